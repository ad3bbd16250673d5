"""dbt's own commands work on a copy of a working database, as docs/dbt.md says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from app.pipeline.dbt_parse import DBT_PROJECT
from ingest.lake.warehouse import Warehouse

pytestmark = pytest.mark.timeout(900)

REBUILT = ("marts.dim_load", "marts.fct_rmf_report_figure")


def dbt(file: Path, *arguments: str) -> tuple[bool, str]:
    """Run dbt's command on a file; return whether it succeeded, and what it printed."""
    out = file.parent / "dbt-out"
    done = subprocess.run(
        [Path(sys.executable).with_name("dbt"), "--no-use-colors", *arguments],
        cwd=DBT_PROJECT,
        env=os.environ
        | {
            "PERFHOUSE_WORK": str(file),
            "DBT_TARGET_PATH": str(out / "target"),
            "DBT_LOG_PATH": str(out),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all tests have their copy, so that dbt parses its project once."""
    return tmp_path_factory.mktemp("plain") / "any name.duckdb"


@pytest.fixture
def copy(days: Path, place: Path) -> Path:
    return Path(shutil.copyfile(Warehouse(days).work, place))


def counts(file: Path) -> dict[str, int]:
    with duckdb.connect(str(file)) as db:
        return {
            name: db.sql(f"SELECT count(*) FROM {name}").fetchall()[0][0] for name in REBUILT
        }  # fmt: skip


def test_a_build_by_hand_has_models_of_all_records_data_tests_and_unit_tests(copy: Path) -> None:
    """tests/steps/dbt/test_project.py builds everything in this way."""
    before = counts(copy)
    assert all(before.values())
    with duckdb.connect(str(copy)) as db:
        for name in REBUILT:
            db.execute(f"DELETE FROM {name}")
    assert not any(counts(copy).values())
    succeeded, printed = dbt(copy, "build", "--select", "+dim_load", "fct_rmf_report_figure")
    assert succeeded, printed
    assert re.search(r"PASS=\d+ WARN=0 ERROR=0 SKIP=0", printed)
    assert re.search(r"Finished running .*\b\d+ unit tests?\b", printed)
    assert counts(copy) == before


def test_docs_are_generated_with_the_columns_of_the_marts(copy: Path) -> None:
    succeeded, printed = dbt(copy, "docs", "generate")
    assert succeeded, printed
    assert "fct_rmf_report_figure" in (copy.parent / "dbt-out/target/catalog.json").read_text()


def test_a_copy_of_an_unfinished_build_is_refused(copy: Path) -> None:
    with duckdb.connect(str(copy)) as db:
        db.execute("DROP TABLE meta.build")
    succeeded, printed = dbt(copy, "run", "--select", "dim_load")
    assert not succeeded
    assert "holds no finished build of perfhouse: run 'perfhouse build'" in printed


def test_the_working_database_itself_is_refused(days: Path, copy: Path) -> None:
    """It is beside the loads. Under the name of the copy, dbt need not parse again."""
    raw = copy.with_name("raw")
    raw.symlink_to(Warehouse(days).raw.resolve())
    succeeded, printed = dbt(copy, "run", "--select", "dim_load")
    raw.unlink()
    assert not succeeded
    assert "is the working database of a warehouse" in printed
