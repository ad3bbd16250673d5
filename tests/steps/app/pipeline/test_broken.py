"""Facts of models that do not hold: which loads a build does without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from app.pipeline.doctor import examine
from tests.kit.broken import ingested, misnumber, rows_of
from tests.kit.warehouses import LATE, copied

pytestmark = [pytest.mark.timeout(1800), pytest.mark.usefixtures("broken_facts")]

QUEUES = "SELECT count(*) > 0 FROM marts.fct_queue_accounting WHERE source_id = $1"
ASIDE = "SELECT source_id, model, fact, rows_failed FROM meta.set_aside"
FOUND = (
    "SELECT severity, source_id, subject FROM marts.fct_data_issue WHERE kind = 'load_set_aside'"
)


def test_a_load_whose_rows_break_a_fact_is_set_aside_and_named_until_it_is_loaded_again(
    days: Path, tmp_path: Path, dbt_runs: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse, files = copied(days, tmp_path / "w"), days.parents[1] / "files"
    run = ["run", "--warehouse", str(warehouse.file)]
    file = files / f"{LATE[2]}/smf/MVS1.smf"
    bad = ingested(warehouse, file)
    misnumber(warehouse, bad, "smf116_wq", "section_no")
    good = ingested(warehouse, files / f"{LATE[2]}/smf/MVS3.smf")
    assert main([*run, str(files / f"{LATE[0]}")]) == 1
    assert dbt_runs() == 2
    said = " ".join(capsys.readouterr().out.split())
    assert f"error: load_set_aside: 1 found, first {file}: rows of marts.fct_queue_acc" in said
    fact = ("marts.fct_queue_accounting", "one row per source_id, record_no, section_no")
    assert rows_of(warehouse, ASIDE) == [(bad, *fact, 1)]
    assert rows_of(warehouse, FOUND) == [("error", bad, str(file))]
    assert rows_of(warehouse, QUEUES, bad) == [(False,)]
    assert rows_of(warehouse, QUEUES, good) == [(True,)]
    (named,) = (one.found for one in examine(warehouse) if one.about == "set aside")
    assert named.startswith(f"{file}: builds do without it, as its rows in {fact[0]} break")
    (load,) = (one for one in steps.outdated(warehouse, everything=True) if one.source_id == bad)
    steps.reload(warehouse, [load])
    steps.build(warehouse)
    steps.check(warehouse)
    steps.publish(warehouse)
    assert dbt_runs() == 1
    assert rows_of(warehouse, ASIDE) == rows_of(warehouse, FOUND) == []
    assert rows_of(warehouse, QUEUES, bad) == [(True,)]
