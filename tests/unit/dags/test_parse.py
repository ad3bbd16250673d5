"""Airflow reads every file of dags/."""

import json
import os
import subprocess
import sys
from pathlib import Path

from app.pipeline.places import ROOT

PARSE = """
import json, sys
from airflow.dag_processing.dagbag import DagBag

bag = DagBag(sys.argv[1])
tasks = {name: sorted(dag.task_ids) for name, dag in bag.dags.items()}
dags = list(bag.dags.values())
untold = [dag.dag_id for dag in dags if not (dag.description and dag.doc_md and dag.tags)]
from ingest.base.errors import SettingsError
trying = [
    task.task_id for dag in dags for task in dag.tasks
    if task.owner != "perfhouse"
    or task.retry_policy.evaluate(SettingsError("x"), 1, 8).action.value != "fail"
]
alone = [one.task_id for one in bag.dags["perfhouse_care"].tasks if not one.upstream_task_ids]
print(json.dumps([bag.import_errors, tasks, untold, trying, sorted(alone)]))
"""


def test_each_file_defines_the_dag_of_its_name(tmp_path: Path) -> None:
    folder = ROOT / "dags"
    done = subprocess.run(
        [sys.executable, "-c", PARSE, folder],
        env=os.environ | {"AIRFLOW_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    errors, tasks, untold, trying, alone = json.loads(done.stdout.splitlines()[-1])
    assert (untold, trying) == ([], [])
    assert alone == ["back_up", "retain"]  # neither waits for the other
    assert errors == {}
    assert tasks.keys() == {file.stem for file in folder.glob("*.py")}
    assert all(tasks.values())
