"""Facts of models that do not hold: what later builds do without, and what they keep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from app.pipeline.places import ROOT
from ingest.lake.warehouse import Warehouse
from tests.kit.broken import ingested, misnumber, rows_of
from tests.kit.days import write_day
from tests.kit.lives import built_of_everything
from tests.kit.tables import different_tables
from tests.kit.warehouses import LATE, copied

pytestmark = [pytest.mark.timeout(1800), pytest.mark.usefixtures("broken_facts")]

ASIDE = "SELECT source_id, model, fact, rows_failed FROM meta.set_aside"


def test_builds_that_follow_do_without_it_and_equal_a_build_of_everything(
    days: Path, tmp_path: Path, dbt_runs: Callable[[], int]
) -> None:
    warehouse, files = copied(days, tmp_path / "w"), days.parents[1] / "files"
    bad = ingested(warehouse, files / f"{LATE[2]}/smf/MVS1.smf")
    misnumber(warehouse, bad, "smf116_wq", "section_no")
    for day, runs in ((LATE[0], 2), (LATE[1], 1)):
        assert main(["run", "--warehouse", str(warehouse.file), str(files / f"{day}")]) == 1
        assert dbt_runs() == runs
        assert rows_of(warehouse, "SELECT source_id FROM meta.set_aside") == [(bad,)]
    assert different_tables(warehouse, built_of_everything(warehouse, tmp_path / "again")) == []


def test_what_a_fact_is_about_stays_as_last_published_if_it_fails_again(
    tmp_path: Path, dbt_runs: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    """No build can do without published figures; the first one has none to keep."""
    warehouse = Warehouse(tmp_path / "w.duckdb")
    run = ["run", "--warehouse", str(warehouse.file)]
    figures = ROOT / "data/published"
    first, second = (write_day(tmp_path / "files", day) for day in (0, 10))
    (cells,) = (
        load.source_id
        for load in steps.ingest_paths(warehouse, [figures])
        if load.path.name == "cells.csv"
    )
    known = "SELECT * FROM marts.fct_published_measurement ORDER BY ALL"
    claims = "SELECT count(*) > 0 FROM marts.fct_published_claim"
    misnumber(warehouse, cells, "published_cell", "record_no")
    bad = ingested(warehouse, first / "smf/MVS1.smf")
    misnumber(warehouse, bad, "smf116_wq", "section_no")
    assert main([*run, str(first)]) == 1
    assert dbt_runs() == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "error: load_set_aside: 1 found, first" in said
    assert "error: staging.stg_published__cell: " in said
    assert "fact that all data must hold: one row per source_id, record_no" in said
    assert rows_of(warehouse, known) == []
    assert rows_of(warehouse, "SELECT count(*) > 0 FROM marts.fct_queue_accounting") == [(True,)]
    steps.forget_load(warehouse, cells)
    steps.forget_load(warehouse, bad)
    main([*run, str(figures)])
    assert dbt_runs() == 1
    published = rows_of(warehouse, known)
    assert published
    assert rows_of(warehouse, ASIDE) == []
    misnumber(warehouse, cells, "published_cell", "record_no")
    (claimed,) = rows_of(
        warehouse, "SELECT source_id FROM raw.ledger WHERE path LIKE '%claims.csv'"
    )
    steps.forget_load(warehouse, str(claimed[0]))  # published figures changed: all is built
    assert main([*run, str(second)]) == 1
    assert dbt_runs() == 1
    assert rows_of(warehouse, known) == published
    assert rows_of(warehouse, claims) == [(True,)]  # of the same models
    assert rows_of(warehouse, "SELECT count(*) FROM marts.fct_run") == [(2,)]
