"""What the tasks of DAGs write to the log."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.pipeline import steps
from ingest.lake.log import step
from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases

TASK = SimpleNamespace(dag_id="perfhouse_build", task_id="check")


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    made = Warehouse(tmp_path / "w.duckdb")
    steps.prepare(made)
    monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(made.file))
    return made


def run(warehouse: Warehouse, callback: str, **context: object) -> list[dict[str, Any]]:
    """Take a task through its callbacks, as Airflow calls them, and return the lines of the log."""
    given = {"task_instance": TASK, **context}
    from app.schedule import tasks  # imports Airflow

    tasks.DEFAULTS["on_execute_callback"](given)
    with step(warehouse, "check"):
        pass
    from app.schedule import tasks

    called = tasks.DEFAULTS[callback]
    for one in called if isinstance(called, list) else [called]:
        one(given)
    (file,) = (warehouse.lake / "log").glob("2*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


@cases
def test_lines_name_the_task_and_the_last_says_how_it_ended(
    warehouse: Warehouse, callback: str, context: dict[str, object], status: str, message: str
) -> None:
    *within, last = run(warehouse, callback, **context)
    assert [line["event"] for line in within] == ["begun", "ended"]
    assert {line["command"] for line in (*within, last)} == {"perfhouse_build.check"}
    assert (last["event"], last["status"], last.get("message")) == ("command", status, message)
    assert ("traceback" in last) == (status == "failed")
