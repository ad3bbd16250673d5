"""Facts of models that do not hold: which loads a build does without, and which tables it keeps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import build as module
from app.pipeline import steps
from app.pipeline.doctor import examine
from app.pipeline.places import ROOT
from ingest.lake.warehouse import Warehouse
from tests.kit.broken import misnumber
from tests.kit.days import write_day
from tests.kit.lives import built_of_everything
from tests.kit.tables import different_tables
from tests.kit.warehouses import LATE, copied

pytestmark = [pytest.mark.timeout(1800), pytest.mark.usefixtures("broken_facts")]

QUEUES = "SELECT count(*) > 0 FROM marts.fct_queue_accounting WHERE source_id = $1"
ASIDE = "SELECT source_id, model, fact, rows_failed FROM meta.set_aside"
FOUND = (
    "SELECT severity, source_id, subject FROM marts.fct_data_issue WHERE kind = 'load_set_aside'"
)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return a function that says how often builds ran dbt since it was last called."""
    ran: list[object] = []
    run = module.run_dbt

    def counted(*places: Path, **options: object) -> object:
        ran.append(places)
        return run(*places, **options)  # type: ignore[arg-type]

    def since() -> int:
        number = len(ran)
        ran.clear()
        return number

    monkeypatch.setattr(module, "run_dbt", counted)
    return since


def ingested(warehouse: Warehouse, file: Path) -> str:
    (load,) = steps.ingest_paths(warehouse, [file])
    assert load.status == "loaded", load.reasons
    return load.source_id


def rows_of(warehouse: Warehouse, sql: str, *values: object) -> list[tuple[object, ...]]:
    with warehouse.connect() as db:
        return db.execute(sql, list(values)).fetchall()


def test_a_load_whose_rows_break_a_fact_is_set_aside_and_named_until_it_is_loaded_again(
    days: Path, tmp_path: Path, passes: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse, files = copied(days, tmp_path / "w"), days.parents[1] / "files"
    run = ["run", "--warehouse", str(warehouse.file)]
    file = files / f"{LATE[2]}/smf/MVS1.smf"
    bad = ingested(warehouse, file)
    misnumber(warehouse, bad, "smf116_wq", "section_no")
    good = ingested(warehouse, files / f"{LATE[2]}/smf/MVS3.smf")
    assert main([*run, str(files / f"{LATE[0]}")]) == 1
    assert passes() == 2
    said = " ".join(capsys.readouterr().out.split())
    assert f"error: load_set_aside: 1 found, first {file}: rows of marts.fct_queue_acc" in said
    fact = ("marts.fct_queue_accounting", "one row per source_id, record_no, section_no")
    assert rows_of(warehouse, ASIDE) == [(bad, *fact, 1)]
    assert rows_of(warehouse, FOUND) == [("error", bad, str(file))]
    assert rows_of(warehouse, QUEUES, bad) == [(False,)]
    assert rows_of(warehouse, QUEUES, good) == [(True,)]
    (named,) = (one.found for one in examine(warehouse) if one.about == "set aside")
    assert named.startswith(f"{file}: builds do without it, as its rows in {fact[0]} break")
    assert main([*run, str(files / f"{LATE[1]}")]) == 1
    assert passes() == 1
    assert rows_of(warehouse, ASIDE) == [(bad, *fact, 1)]
    assert different_tables(warehouse, built_of_everything(warehouse, tmp_path / "again")) == []
    assert passes() == 2
    (load,) = (one for one in steps.outdated(warehouse, everything=True) if one.source_id == bad)
    steps.reload(warehouse, [load])
    steps.build(warehouse)
    steps.check(warehouse)
    steps.publish(warehouse)
    assert passes() == 1
    assert rows_of(warehouse, ASIDE) == rows_of(warehouse, FOUND) == []
    assert rows_of(warehouse, QUEUES, bad) == [(True,)]


def test_what_a_fact_is_about_stays_as_last_published_if_it_fails_again(
    tmp_path: Path, passes: Callable[[], int], capsys: pytest.CaptureFixture[str]
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
    assert passes() == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "error: load_set_aside: 1 found, first" in said
    assert "error: staging.stg_published__cell: " in said
    assert "fact that all data must hold: one row per source_id, record_no" in said
    assert rows_of(warehouse, known) == []
    assert rows_of(warehouse, "SELECT count(*) > 0 FROM marts.fct_queue_accounting") == [(True,)]
    steps.forget_load(warehouse, cells)
    steps.forget_load(warehouse, bad)
    main([*run, str(figures)])
    assert passes() == 1
    published = rows_of(warehouse, known)
    assert published
    assert rows_of(warehouse, ASIDE) == []
    misnumber(warehouse, cells, "published_cell", "record_no")
    (claimed,) = rows_of(
        warehouse, "SELECT source_id FROM raw.ledger WHERE path LIKE '%claims.csv'"
    )
    steps.forget_load(warehouse, str(claimed[0]))  # published figures changed: all is built
    assert main([*run, str(second)]) == 1
    assert passes() == 1
    assert rows_of(warehouse, known) == published
    assert rows_of(warehouse, claims) == [(True,)]  # of the same models
    assert rows_of(warehouse, "SELECT count(*) FROM marts.fct_run") == [(2,)]
