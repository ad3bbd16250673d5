"""What a build rebuilds, as the log of the warehouse says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.pipeline import build as module
from app.pipeline import steps
from app.pipeline.bundled import PUBLISHED, published_figures
from app.pipeline.places import ROOT
from ingest.lake.warehouse import Warehouse
from tests.kit.lives import IN_HOLE
from tests.kit.manifests import manifest
from tests.kit.warehouses import LATE, copied


def last_build(warehouse: Warehouse) -> tuple[bool | None, int | None, int]:
    """Return whether the last build was of everything, how many days it built, and dbt's nodes."""
    with warehouse.connect() as db:
        (*_, built) = db.execute(
            "SELECT is_whole, days, nodes FROM meta.pipeline_step WHERE step = 'build' "
            "ORDER BY begun_at"
        ).fetchall()
    return built


def test_a_late_day_builds_its_neighbours_again(days: Path, tmp_path: Path) -> None:
    """Until it is there, nothing says that the run between them should have had records."""
    warehouse = copied(days, tmp_path / "w")
    with warehouse.open_work() as db:
        assert db.execute(IN_HOLE).fetchall() == [(True, True, [], 0)]
    steps.ingest_paths(warehouse, [days.parents[1] / f"files/{LATE[0]}"])
    with warehouse.open_work() as db:
        changes = module.pending_changes(db, warehouse.loads())
        assert changes
        planned = module.plan_days(warehouse, db, changes)
        assert planned
        assert planned.number == 4


def test_a_build_makes_only_what_changed(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse = copied(small, tmp_path / "w")
    with warehouse.open_work() as db:
        made = module.build_id(db)
    assert steps.build(warehouse) == made
    assert last_build(warehouse) == (None, None, 0)
    assert steps.is_current(warehouse)
    with warehouse.open_work() as db:  # as an unfinished build leaves it
        db.execute("BEGIN; DROP TABLE meta.build")
        assert module.build_id(db) is None
        assert module.pending_changes(db, warehouse.loads()) is None  # everything is to be built
        db.execute("ROLLBACK")
    with monkeypatch.context() as patch:
        patch.setattr(module, "_models", lambda: "other models")
        assert not steps.is_current(warehouse)
        with warehouse.open_work() as db:
            assert (
                module.pending_changes(db, warehouse.loads()) is None
            )  # everything is to be built
    monkeypatch.setattr(module, "_predictions", lambda: "other predictions")
    assert steps.build(warehouse) != made
    is_whole, built, nodes = last_build(warehouse)
    assert (is_whole, built) == (False, None)
    assert 0 < nodes < 60  # what depends on predictions
    assert steps.build(warehouse) == steps.build(warehouse)


def test_blocks_that_were_overwritten_are_noticed_and_a_load_meanwhile_is_in_the_next_build(
    small: Path, tmp_path: Path
) -> None:
    """The working database is damaged, and so is made again. A model may see half of the load."""
    warehouse = copied(small, tmp_path / "w")
    headers, held = 3 * 4096, warehouse.work.read_bytes()
    warehouse.work.write_bytes(held[:headers] + os.urandom(len(held) - headers))
    late: list[str] = []

    def progress(*_: object) -> None:
        if not late:
            (load,) = steps.ingest_paths(warehouse, [manifest(tmp_path, "august")])
            late.append(load.source_id)

    steps.build(warehouse, progress)
    assert last_build(warehouse)[0] is True
    with warehouse.open_work() as db:
        built = db.execute("SELECT source_id FROM meta.build_load").fetchall()
        assert late not in map(list, built)
        assert len(built) == len(warehouse.loads()) - 1
        assert (
            module.pending_changes(db, warehouse.loads()) is None
        )  # the next one is of everything


def test_published_figures_belong_to_the_product(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PUBLISHED)
    warehouse = Warehouse(tmp_path / "own.duckdb")
    steps.ingest_paths(warehouse, [ROOT / "examples/own-results"])

    def built() -> tuple[int, int]:
        steps.build(warehouse)
        with warehouse.open_work() as db:
            (counts,) = db.execute(
                "SELECT (SELECT count(*) FROM raw.ledger), "
                "(SELECT count(*) FROM marts.fct_published_measurement)"
            ).fetchall()
        return counts

    loads, figures = built()
    assert loads == 1 + len(published_figures())
    assert figures > 1000
    assert built() == (loads, figures)
    with warehouse.connect() as db:
        rows = db.execute("SELECT source_id FROM raw.ledger WHERE kind <> 'results_table'")
        steps.forget_load(warehouse, *(source for (source,) in rows.fetchall()))
    assert built() == (1, 0)
