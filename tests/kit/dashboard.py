"""Warehouses from empty to full, and a way to open a page of the dashboard."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from app.pipeline.places import ROOT
from ingest.lake.warehouse import Warehouse

if TYPE_CHECKING:  # streamlit takes a second
    from streamlit.testing.v1 import AppTest

    from app.dashboard.navigation import View

MAIN = ROOT / "app" / "dashboard" / "main.py"
QUEUE_MANAGER, SYSTEM = "SYQ1", "SY1"
#: A name that is Markdown, a title for the terminal, and a change of direction.
HOSTILE = "![b](http://127.0.0.1:9/x) :red[a] $x$ \x1b]0;t\x07\u202eb"
HOSTILE_SHOWN = HOSTILE.encode("unicode_escape").decode()
#: The marts that all pages read, with three runs.
MARTS = """
CREATE SCHEMA marts;
CREATE TABLE meta.measure (mart VARCHAR, name VARCHAR, adds VARCHAR, "by" VARCHAR);
CREATE TABLE marts.dim_load AS SELECT 'a1' AS source_id, 'dump.smf' AS path, 'smf' AS kind;
CREATE TABLE marts.fct_run AS
    SELECT 'measured' AS origin, run_id, TIMESTAMP '2026-03-01 10:00' + to_hours(i) AS start_utc,
        start_utc + INTERVAL 30 MINUTE AS stop_utc
    FROM (VALUES (0, 'r0'), (1, 'r1'), (2, 'r2')) AS t (i, run_id);
CREATE TABLE marts.fct_run_coverage AS
    SELECT origin, run_id, 'SY1' AS system_id FROM marts.fct_run;
CREATE TABLE marts.fct_data_issue (
    origin VARCHAR, source_id VARCHAR, record_no BIGINT, kind VARCHAR, severity VARCHAR,
    sysplex VARCHAR, system_id VARCHAR, start_utc TIMESTAMP, end_utc TIMESTAMP, subject VARCHAR,
    run_id VARCHAR, found VARCHAR, done VARCHAR, affects VARCHAR[]
);
CREATE TABLE marts.fct_completeness (
    sysplex VARCHAR, system_id VARCHAR, figures VARCHAR, start_utc TIMESTAMP, end_utc TIMESTAMP,
    is_known BOOLEAN, issue_kinds VARCHAR[]
);
"""


@pytest.fixture(scope="session")
def one_scan() -> Iterator[None]:
    """Look for installed components once: AppTest does in each run, longer than a page takes."""
    from streamlit.components.v2 import manifest_scanner

    with pytest.MonkeyPatch.context() as patch:
        found = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found)
        yield


def altered(bundled: Path, folder: Path, statements: list[str]) -> Path:
    """Copy a published file alone and change it there; return the copy."""
    file = folder / "perfhouse.duckdb"
    shutil.copy(bundled, file)
    with duckdb.connect(str(file)) as db:
        for statement in statements:
            db.execute(statement)
    return file


def _marts(bundled: Path) -> dict[str, list[str]]:
    """Return the marts that are tables and their columns."""
    with duckdb.connect(str(bundled), read_only=True) as db:
        return dict(
            db.execute(
                "select table_name, list(column_name) from duckdb_columns() "
                "semi join duckdb_tables() using (schema_name, table_name) "
                "where schema_name = 'marts' group by 1 order by 1"
            ).fetchall()
        )


#: The views that pages read.
_VIEWS = ("raw.ledger", "raw.quarantine", "meta.expectation_result", "meta.pipeline_step",
          "meta.log")  # fmt: skip


def stored(view: str, condition: str = "true") -> str:
    """Return statements that make a table of a view, so that a test may change its rows."""
    return (
        f"create table kept as from {view} where {condition};"
        f" drop view {view}; create table {view} as from kept; drop table kept"
    )


@pytest.fixture(scope="session")
def empty(bundled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published file with all tables and no rows."""
    deleted = [f"delete from marts.{mart}" for mart in _marts(bundled)]
    return altered(
        bundled,
        tmp_path_factory.mktemp("empty"),
        [*deleted, *(stored(view, "false") for view in _VIEWS)],
    )


@pytest.fixture(scope="session")
def no_runs(bundled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published file with the records of systems, no benchmark run and no published figure."""
    deleted = [
        f"delete from marts.{mart}" + " where kind = 'runs'" * (mart == "fct_arrival")
        for mart, columns in _marts(bundled).items()
        if {"run_id", "campaign", "configuration_id", "factors_id"} & set(columns)
        and mart != "fct_data_issue"
    ]
    return altered(bundled, tmp_path_factory.mktemp("no_runs"), deleted)


@pytest.fixture(scope="session")
def one_row(bundled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published file with one row in each fact table: the first of queue manager SYQ1."""
    statements = []
    for mart, columns in _marts(bundled).items():
        if not mart.startswith("fct_"):
            continue
        first = (
            "cell_id = 1"
            if mart == "fct_published_measurement"
            else "true"
            if mart.startswith("fct_published")
            else "campaign = 'smoke' and kind = 'TCP/IP'"
            if mart == "fct_cost_by_address_space"
            else "kind = 'feed'"  # rows have no order
            if mart == "fct_arrival"
            else "run_id = (select min(run_id) from marts.fct_run where campaign = 'smoke')"
            " and metric = 'rate'"
            if mart == "fct_measurement"
            else "run_id = (select min(run_id) from marts.fct_run where campaign = 'smoke')"
            if "run_id" in columns
            else f"queue_manager = '{QUEUE_MANAGER}'"
            if "queue_manager" in columns
            # of the last interval, in all marts: rows have no order
            else f"system_id = '{SYSTEM}' and interval_start_utc >= '2024-02-29 14:45'"
            if {"system_id", "interval_start_utc"} <= set(columns)
            else f"system_id = '{SYSTEM}'"
            if "system_id" in columns
            else "true"
        )
        statements.append(
            f"delete from marts.{mart}"
            f" where rowid <> (select min(rowid) from marts.{mart} where {first})"
        )
    statements.append("delete from marts.dim_load where kind <> 'smf' or record_subtype <> 1")
    return altered(bundled, tmp_path_factory.mktemp("one_row"), statements)


@pytest.fixture(scope="session")
def hostile(one_row: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One row in each fact table, whose names are Markdown."""
    names = {"campaign", "citation", "configuration", "git_revision", "queue_manager", "title"}
    statements = [
        f"update marts.{mart} set {column} = '{HOSTILE}'"
        for mart, columns in _marts(one_row).items()
        for column in names.intersection(columns)
    ]
    return altered(one_row, tmp_path_factory.mktemp("hostile"), statements)


@pytest.fixture(scope="session")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file before its first build: raw views, no marts."""
    from app.pipeline.steps import prepare

    warehouse = Warehouse(tmp_path_factory.mktemp("unbuilt") / "perfhouse.duckdb")
    prepare(warehouse)
    return warehouse.file


@pytest.fixture
def open_page(one_scan: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Open a page on a warehouse through the main script, with URL parameters."""
    from streamlit.testing.v1 import AppTest
    from streamlit.util import calc_hash

    def opened(view: View, file: Path, **address: str | list[str]) -> AppTest:
        monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(file))
        test = AppTest.from_file(str(MAIN), default_timeout=120)
        # Before a first run, `switch_page` takes a page's file for its address.
        test._page_hash = calc_hash(view.path)
        test.query_params.update(address)
        return test.run()

    return opened


def published(folder: Path, *statements: str) -> Path:
    """Publish a warehouse whose marts statements make; return its file."""
    from app.pipeline import steps

    warehouse = Warehouse(folder / "w.duckdb")
    steps.prepare(warehouse)
    with warehouse.open_work() as db:
        for statement in (MARTS, *statements):
            db.execute(statement)
    warehouse.publish()
    return warehouse.file


def markdown(page: AppTest) -> str:
    """Return all text of a page outside its tables, as Streamlit takes it."""
    kinds = ("title", "header", "caption", "markdown", "info", "warning", "error", "success")
    blocks = [str(block.value) for kind in kinds for block in page.get(kind)]
    metrics = [text for metric in page.metric for text in (metric.label, metric.value)]
    return "\n".join([*blocks, *metrics, *(block.label for block in page.get("expander"))])


def said(page: AppTest) -> str:
    """Return all text of a page outside its tables, as people see it."""
    return re.sub(r"\\(\W|_)", r"\1", markdown(page))


def charts(page: AppTest) -> int:
    return len(page.get("vega_lite_chart"))


def metrics(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}
