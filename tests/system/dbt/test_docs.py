"""dbt generates its documentation from a copy of a working database, as docs/dbt.md says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from app.pipeline.dbt import DBT_PROJECT
from ingest.lake.warehouse import Warehouse


def test_docs_are_generated_with_the_columns_of_the_marts(small: Path, tmp_path: Path) -> None:
    copy = shutil.copyfile(Warehouse(small).work, tmp_path / "copy.duckdb")
    places = {"PERFHOUSE_WORK": copy, "DBT_TARGET_PATH": tmp_path, "DBT_LOG_PATH": tmp_path}
    done = subprocess.run(
        [Path(sys.executable).with_name("dbt"), "docs", "generate"],
        cwd=DBT_PROJECT, env=os.environ | {name: str(place) for name, place in places.items()},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fct_rmf_report_figure" in (tmp_path / "catalog.json").read_text()
