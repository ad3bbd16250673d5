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
print(json.dumps([bag.import_errors, tasks]))
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
    errors, tasks = json.loads(done.stdout.splitlines()[-1])
    assert errors == {}
    assert tasks.keys() == {file.stem for file in folder.glob("*.py")}
    assert all(tasks.values())
