"""Random lives of a warehouse: what was built step by step equals a build of everything.

A life begins with a copy of the ready warehouse `days`, to which a day comes late, between two
others where a run lies in a hole. Files arrive in any order: a day that adjoins others; one in two
halves, and output that names its run; records of capacity whose averages reach back over midnight.
Loads are forgotten, lost, decoded again, merged and removed by retention; the warehouse is moved by
backup and restore.
At the end, no load is missing or doubled, and all tables are as in a build of everything.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from app.pipeline import steps
from app.pipeline.backup import back_up, restore
from app.pipeline.retention import POLICY, retain
from ingest.lake.warehouse import Warehouse
from ingest.repair import repair
from tests.kit.tables import different_tables
from tests.kit.warehouses import LATE, copied

__all__ = ["IN_HOLE", "OLD", "built_of_everything", "hours", "lives"]

#: After all records of `days` that no run needs.
OLD = date(2026, 2, 17)
#: A run where records of three LPARs are missing, once those after it are known.
IN_HOLE = """
    SELECT is_complete, is_compared, issue_kinds, count(DISTINCT found)
    FROM marts.fct_run LEFT JOIN marts.fct_data_issue USING (run_id)
    WHERE run_id = 'in-hole' GROUP BY ALL
"""
some = st.integers(0, 10_000)  # chooses one of what there is


def built_of_everything(warehouse: Warehouse, folder: Path) -> Warehouse:
    """Copy a warehouse and build it from nothing."""
    copy = copied(warehouse.file, folder)
    copy.discard_work()
    steps.build(copy)
    return copy


def hours(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    """Return the published hours, without where they come from and the rounding of sums."""
    with warehouse.connect() as db:
        rows = db.execute(
            "SELECT * EXCLUDE (source_id, record_no, rolled_intervals) FROM marts.fct_usage_hour "
            "ORDER BY origin, hour_utc, subject, sysplex, system_id, queue_manager, name"
        ).fetchall()
    return [tuple(float(f"{v:.9g}") if isinstance(v, float) else v for v in row) for row in rows]


class _Life(RuleBasedStateMachine):
    ready: Path  # set by `lives`

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="perfhouse-"))
        self.warehouse = copied(self.ready, self.folder / "0")
        files = self.ready.parents[1] / "files"
        between, adjoining, halved = (files / str(day) for day in LATE)
        first = [halved / "manifest.json", halved / "smf/MVS1.smf"]
        self.waiting: list[list[Path]] = [
            [between],
            first,
            [file for file in halved.rglob("*.*") if file not in first],
            list((files / "output").glob("*.txt")),
            [adjoining],
            [files / "capacity/1.smf"],
        ]
        self.around = [files / "hole/hole.json", *files.glob(f"{LATE[0]}/smf/*")]
        for day in (LATE[0] - 1, LATE[0] + 1):
            self.around += [files / f"{day}/manifest.json", *files.glob(f"{day}/smf/*")]
        self.loads = self.paths()
        self.happened = {"is built"}  # what may not happen now

    def paths(self) -> dict[str, str]:
        """Return path -> source_id of the loads, except of hours that retention kept."""
        ledger = self.warehouse.store.ledger().select("path", "source_id").collect()
        return {path: source_id for path, source_id in ledger.rows() if path}

    def note(self, what: str, *, changes: bool = True) -> None:
        event(what)
        assert self.paths() == self.loads, what
        self.happened.add(what)
        if changes:
            self.happened.discard("is built")

    @initialize()
    def begins(self) -> None:
        self.arrives(0)

    @rule(which=some)
    @precondition(lambda self: self.waiting)
    def arrives(self, which: int) -> None:
        batch = self.waiting.pop(which % len(self.waiting))
        arrived = steps.ingest_paths(self.warehouse, batch)
        assert {load.status for load in arrived} == {"loaded"}
        self.loads |= {str(load.path): load.source_id for load in arrived}
        self.note("arrives")

    @rule()
    @precondition(lambda self: "is built" not in self.happened)
    def is_built(self) -> None:
        steps.build(self.warehouse)
        self.note("is built", changes=False)

    @rule(which=some)
    def is_forgotten(self, which: int) -> None:
        """One that may come again."""
        path = sorted(self.loads)[which % len(self.loads)]
        steps.forget_load(self.warehouse, self.loads.pop(path))
        self.waiting.append([Path(path)])
        self.note("is forgotten")

    @rule(which=some, how=st.sampled_from(["folder", "ledger", "rows", "half of the rows"]))
    def is_lost(self, which: int, how: str) -> None:
        """Merged loads or one, which are loaded again from their files."""
        raw = self.warehouse.raw
        folders = sorted(one for one in raw.iterdir() if one.name[0] not in "_.")
        folder = folders[which % len(folders)]
        of_rows = [file for file in folder.glob("*.parquet") if not file.name.startswith("ledger")]
        if how == "folder":
            shutil.rmtree(folder)
        elif how == "ledger" or not of_rows:
            (folder / "ledger.0.parquet").unlink()
        else:
            file = sorted(of_rows)[which % len(of_rows)]
            content = file.read_bytes()
            file.unlink()  # it is a link to the ready one
            if how != "rows":
                file.write_bytes(content[: len(content) // 2])
        repair(self.warehouse, deep=True)
        self.note(f"is lost: {how}")

    @rule(which=some)
    def is_decoded_again(self, which: int) -> None:
        made = steps.outdated(self.warehouse, everything=True)
        steps.reload(self.warehouse, [made[which % len(made)]])
        self.note("is decoded again")

    @rule()
    @precondition(lambda self: "is merged" not in self.happened)
    def is_merged(self) -> None:
        steps.merge_loads(self.warehouse)
        self.note("is merged", changes=False)

    @rule()
    @precondition(lambda self: "is moved" not in self.happened)
    def is_moved(self) -> None:
        backup = back_up(self.warehouse, self.folder / "backup")
        self.warehouse = Warehouse(self.folder / "1" / "moved.duckdb")
        restore(backup.folder, self.warehouse)
        self.note("is moved", changes=False)

    @rule()
    @precondition(lambda self: "is aged" not in self.happened)
    def is_aged(self) -> None:
        """Old records that no run needs are removed; readers see the same hours, also later."""

        def published() -> list[tuple[Any, ...]]:
            steps.build(self.warehouse)
            self.warehouse.publish()
            return hours(self.warehouse)

        before = published()
        (self.warehouse.lake / POLICY).write_text("[keep_days]\nrecords = 1\n")
        removed = {load.path for load in retain(self.warehouse, OLD).loads}
        assert hours(self.warehouse) == before
        self.loads = {path: one for path, one in self.loads.items() if path not in removed}
        assert published() == before
        self.note("is aged", changes=False)

    def teardown(self) -> None:
        try:
            if sys.exc_info()[0] is None:
                self.compare()
        finally:
            shutil.rmtree(self.folder)

    def compare(self) -> None:
        steps.build(self.warehouse)
        assert self.paths() == self.loads
        if {str(file) for file in self.around} <= self.loads.keys():
            with self.warehouse.open_work() as db:
                assert db.execute(IN_HOLE).fetchall() == [(False, False, ["not_covered"], 3)]
        assert steps.check(self.warehouse).faults == ()
        everything = built_of_everything(self.warehouse, self.folder / "everything")
        assert different_tables(self.warehouse, everything) == []


def lives(ready: Path, number: int, changes: int) -> None:
    """Live so many lives, always the same, each of so many changes."""
    run_state_machine_as_test(
        type("Life", (_Life,), {"ready": ready}),
        settings=settings(
            max_examples=number, stateful_step_count=changes, database=None,
            phases=[Phase.generate], print_blob=False,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
