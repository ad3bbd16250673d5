"""A build of what changed gives the same tables as a build of everything."""

import shutil
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.pipeline import build, empty, steps
from app.pipeline.run_add import add_run, manifest_of
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.campaigns import simulate, write
from tests.kit.tables import different_tables

DAYS = 10  # so many that a few changed ones are less than half
LATE = 4  # arrives after the others
IOPING = """\
--- /dev/vda (block device 20 GiB) ioping statistics ---
9 requests completed in 1.56 ms, 36 KiB read, 5.78 k iops, 22.6 MiB/s
generated 10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s
min/avg/max/mdev = 105.4 us / 172.9 us / 224.6 us / 36.9 us
"""


def write_day(folder: Path, day: int) -> Path:
    """Write a small day of three LPARs with one run, which crosses midnight on every other day."""
    place = folder / f"{day:02}"
    before_midnight = timedelta(hours=14, minutes=59) if day % 2 else timedelta()
    write(simulate("smoke", limit=1, later=timedelta(days=day) + before_midnight), place)
    return place


def source_id_of(warehouse: Warehouse, end_of_path: str) -> str:
    with warehouse.connect() as db:
        ((source_id,),) = db.execute(
            "SELECT source_id FROM raw.ledger WHERE ends_with(path, $1)", [end_of_path]
        ).fetchall()
    return str(source_id)


def building(patch: pytest.MonkeyPatch, *models: str) -> None:
    """Let builds make these models only, all by default, and leave out the data tests.

    What is compared with a build of everything needs no other test.
    """
    run = build.run_dbt

    def without_tests(
        database: Path, log: Path, *, select: Sequence[str] = (), exclude: Sequence[str] = (),
        **more: Any,
    ) -> int:  # fmt: skip
        left_out = [*exclude, "resource_type:test"]
        return run(database, log, select=models or select, exclude=left_out, **more)

    patch.setattr(build, "run_dbt", without_tests)
    if models:
        patch.setattr(empty, "kept", lambda: None)  # it has all of them


def built_of_everything(warehouse: Warehouse, folder: Path) -> Warehouse:
    """Copy a warehouse and build it from nothing, not even from an empty warehouse."""
    copy = Warehouse(folder / warehouse.file.name)
    shutil.copytree(warehouse.lake, copy.lake, symlinks=True)
    shutil.copyfile(warehouse.file, copy.file)
    copy.discard_work()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(empty, "kept", lambda: None)
        steps.build(copy)
    return copy


class Built(NamedTuple):
    """A warehouse built three times, and what the first two builds said of the run in a hole."""

    warehouse: Warehouse
    in_hole: list[object]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """Days of which one comes late, halves of a day, a load that is forgotten, a run in a hole."""
    folder, in_hole = tmp_path_factory.mktemp("incremental"), list[object]()
    days = [write_day(folder / "dumps", day) for day in range(DAYS)]
    later = write_day(folder / "later", DAYS)
    in_two_loads = write_day(folder / "two", DAYS + 1)
    first, *others = sorted(in_two_loads.rglob("*.smf"))
    warehouse = Warehouse(folder / "warehouse" / "x.duckdb")
    steps.ingest_paths(warehouse, [day for day in days if day != days[LATE]])
    steps.ingest_paths(warehouse, [in_two_loads / "manifest.json", first])
    add_run_in_hole(warehouse)

    def build_and_ask() -> str:
        made = steps.build(warehouse)
        with warehouse.open_work() as db:
            in_hole.append(
                db.execute(
                    "SELECT is_complete, is_compared, issue_kinds FROM marts.fct_run "
                    "WHERE run_id = 'in-hole'"
                ).fetchone()
            )
        return made

    with pytest.MonkeyPatch.context() as patch:
        building(patch)
        build_and_ask()
        with pytest.MonkeyPatch.context() as more:  # from here on nothing is built from nothing
            more.delattr(Warehouse, "discard_work")
            more.delattr(empty, "kept")

            # A late file for an old day, and a load that is forgotten.
            steps.ingest_paths(warehouse, [days[LATE]])
            steps.forget_load(warehouse, source_id_of(warehouse, "05/smf/MVS1.smf"))
            made = build_and_ask()
            assert steps.build(warehouse) == made  # nothing to do

            # A day that adjoins the others, the other half of a run, and an output that names one.
            with warehouse.open_work() as db:
                ((run_id,),) = db.execute(
                    "SELECT run_id FROM marts.fct_run ORDER BY start_utc LIMIT 1"
                ).fetchall()
            output = in_two_loads / f"{run_id}.ioping.txt"  # simulated, as its folder says
            output.write_text(IOPING)
            steps.ingest_paths(warehouse, [later, *others, *in_two_loads.glob("mft/*"), output])
            steps.build(warehouse)
        yield Built(warehouse, in_hole)


def add_run_in_hole(warehouse: Warehouse) -> None:
    """Declare a run where the records of the day that is late are missing."""
    with warehouse.open_work() as db:
        before, after = (
            db.execute(
                f"SELECT {moment} FROM raw.bench_run JOIN raw.ledger USING (source_id) "
                "WHERE path LIKE $1",
                [f"%/{day:02}/manifest.json"],
            ).fetchall()[0][0]
            for moment, day in (("max(stop_utc)", LATE - 1), ("min(start_utc)", LATE + 1))
        )
    first, gap = before + timedelta(hours=1), timedelta(minutes=10)
    assert first + gap < after
    manifest = manifest_of(
        {
            "campaign": "holes", "run_id": "in-hole", "start": f"{first:%Y-%m-%dT%H:%M:%SZ}",
            "stop": f"{first + gap:%Y-%m-%dT%H:%M:%SZ}",
        }
    )  # fmt: skip
    add_run(warehouse, manifest, "simulated")


@pytest.mark.timeout(900)
def test_builds_of_what_changed_equal_a_build_of_everything(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build of everything has as little memory as one may have."""
    with built.warehouse.open_work() as db:
        runs, complete = db.execute(
            "SELECT count(*), count(*) FILTER (is_complete) FROM marts.fct_run "
            "WHERE run_id <> 'in-hole'"
        ).fetchall()[0]
        assert (runs, complete) == (DAYS + 2, DAYS + 1)  # one has lost the records of an LPAR
        ((responses,),) = db.execute(
            "SELECT count(*) FROM marts.fct_measurement WHERE metric = 'response_time_4KB'"
        ).fetchall()
        assert responses == 1
    monkeypatch.setenv("PERFHOUSE_BUILD_MEMORY", "1.5GB")
    everything = built_of_everything(built.warehouse, tmp_path / "copy")
    assert different_tables(built.warehouse, everything) == []


@pytest.mark.timeout(900)
def test_a_run_in_a_hole_of_the_records_is_incomplete_once_they_go_on(built: Built) -> None:
    assert built.in_hole == [
        (True, True, []),  # more than a day without records: it may not be of z/OS
        (False, False, ["not_covered"]),
    ]
    with built.warehouse.open_work() as db:
        found = db.execute(
            "SELECT found FROM marts.fct_data_issue WHERE run_id = 'in-hole' ORDER BY 1"
        ).fetchall()
    assert found == [(f"no RMF records of MVS{number}",) for number in (1, 2, 3)]
