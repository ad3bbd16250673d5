"""The dbt project builds, and its unit tests pass, in an empty warehouse."""

import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from app.pipeline.dbt_parse import DBT_PROJECT, parse_project
from app.pipeline.team import PACKAGES
from scripts.properties import entries
from tests.kit.cases import cases


def test_no_test_is_left_out_for_a_name_that_does_not_exist(
    empty_build: tuple[str, Path],
) -> None:
    _, work = empty_build
    manifest = json.loads((work.parent / "dbt/target/manifest.json").read_text())
    assert manifest["disabled"] == {}
    assert [name for name, n in manifest["nodes"].items() if not n["config"]["enabled"]] == []
    known = {n["name"] for n in manifest["nodes"].values() if n["resource_type"] == "test"}
    assert {file.stem for file in (DBT_PROJECT / "tests").rglob("*.sql")} <= known


def test_what_an_earlier_parse_left_out_is_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dbt.contracts.graph.manifest import Manifest

    asked: list[list[str]] = []

    def invoke(arguments: list[str]) -> SimpleNamespace:
        asked.append(arguments)
        result = Manifest()
        if "--no-partial-parse" not in arguments:
            result.disabled = {"test.perfhouse.sums": []}
        return SimpleNamespace(result=result)

    monkeypatch.setattr("dbt.cli.main.dbtRunner", lambda: SimpleNamespace(invoke=invoke))
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path))
    monkeypatch.setenv(PACKAGES, "")  # which parsing sets
    monkeypatch.setenv("DBT_TARGET_PATH", str(tmp_path / "target"))
    parsed = parse_project([])
    assert len(asked) == 2
    assert parsed is not None
    assert parsed.disabled == {}


def test_unit_tests_pass(empty_build: tuple[str, Path]) -> None:
    output, _ = empty_build
    if not os.environ.get("PERFHOUSE_UNIT_TESTS"):
        declared = len(entries("unit_tests"))
        assert re.search(rf"Finished running .*\b{declared} unit tests\b", output)
    assert " ERROR=0 SKIP=0 " in output


def test_marts_of_an_empty_warehouse_are_empty_tables(empty_build: tuple[str, Path]) -> None:
    _, work = empty_build
    with duckdb.connect(str(work), read_only=True) as db:
        marts = db.execute(
            "SELECT table_name, estimated_size FROM duckdb_tables() WHERE schema_name = 'marts' "
            "UNION ALL SELECT view_name, 0 FROM duckdb_views() WHERE schema_name = 'marts'"
        ).fetchall()
    expected = {file.stem for file in (DBT_PROJECT / "models/marts").rglob("*.sql")}
    assert {name for name, _ in marts} == expected
    assert not {name: rows for name, rows in marts if rows and name != "dim_metric"}


def test_schemas_have_the_names_of_the_layers(empty_build: tuple[str, Path]) -> None:
    _, work = empty_build
    with duckdb.connect(str(work), read_only=True) as db:
        schemas = db.execute(
            "SELECT DISTINCT schema_name FROM (SELECT schema_name FROM duckdb_tables() "
            "UNION SELECT schema_name FROM duckdb_views() WHERE NOT internal)"
        ).fetchall()
    layers = {"staging", "intermediate", "marts", "raw", "meta"}
    assert {name for (name,) in schemas} <= layers | {"team"}  # models that a team may replace


def test_every_column_has_a_comment_of_its_own_or_an_inherited_one(
    empty_build: tuple[str, Path],
) -> None:
    _, work = empty_build
    with duckdb.connect(str(work), read_only=True) as db:
        columns = db.execute(
            "SELECT schema_name, table_name || '.' || column_name, comment FROM duckdb_columns() "
            "WHERE schema_name IN ('staging', 'intermediate', 'marts')"
        ).fetchall()
    assert len(columns) > 4000
    assert not [name for _, name, comment in columns if not comment]
    documented = re.compile(r"\S.*\. Unit: [^.].*\. Source: .+\.$", re.DOTALL)
    assert not [
        (name, comment)
        for schema, name, comment in columns
        if schema == "marts" and not documented.match(comment)
    ]


def test_every_numeric_column_of_a_mart_says_how_it_adds_up(empty_build: tuple[str, Path]) -> None:
    _, work = empty_build
    with duckdb.connect(str(work), read_only=True) as db:
        marts: dict[str, dict[str, str]] = {}
        numbers = set()
        for mart, column, comment, is_number in db.execute(
            "SELECT table_name, column_name, comment, numeric_precision IS NOT NULL "
            "FROM duckdb_columns() WHERE schema_name = 'marts'"
        ).fetchall():
            marts.setdefault(mart, {})[column] = comment
            numbers |= {(mart, column)} if is_number else set()
    expression = r"(\w+(?: [-+*] \w+)*)"
    known = re.compile(
        r"last|greatest|least|setting|key|no|sum, a wider bound"
        rf"|sum(?: over (\w+(?:, \w+)*))?(?: where not (\w+))?"
        rf"|average weighted by {expression}|ratio of {expression} and {expression}"
    )
    wrong = []
    for mart, columns in marts.items():
        for column, comment in columns.items():
            how = re.search(r"\. Adds up: ([^.]*)\. Source: ", comment)
            said = known.fullmatch(how[1]) if how else None
            named = re.findall(r"\w+", " ".join(filter(None, said.groups()))) if said else []
            if (mart, column) in numbers and not (said and {*named} <= columns.keys()):
                wrong.append((mart, column, how and how[1]))
            if (mart, column) not in numbers and how:
                wrong.append((mart, column, how[1]))
    assert wrong == []


def test_a_column_inherits_a_comment_only_if_all_that_it_reads_agree(
    empty_build: tuple[str, Path],
) -> None:
    _, work = empty_build
    with duckdb.connect(str(work), read_only=True) as db:
        comments = dict(
            db.execute(
                "SELECT schema_name || '.' || table_name || '.' || column_name, comment "
                "FROM duckdb_columns()"
            ).fetchall()
        )
    field = "staging.mq__buffer_pool.page_reads"
    assert comments[field].endswith("Source: QPSTRIO.")
    told = comments["marts.fct_buffer_pool_interval.page_reads"]
    assert told.replace(" Adds up: sum.", "") == comments[field]


def test_no_model_repeats_a_description_that_it_would_inherit(
    empty_build: tuple[str, Path],
) -> None:
    _, work = empty_build
    manifest = json.loads((work.parent / "dbt/target/manifest.json").read_text())
    told = manifest["nodes"] | manifest["sources"]
    with duckdb.connect(str(work), read_only=True) as db:
        comments = {
            tuple(place): re.sub(r" Adds up: [^.]*\.", "", comment or "")
            for *place, comment in db.execute(
                "SELECT schema_name, table_name, column_name, comment FROM duckdb_columns()"
            ).fetchall()
        }

    def inherited(model: dict, column: str, *, views: bool) -> set[str]:
        """Return the texts of what a model reads; `views`: if models of staging are stored."""
        texts = set()
        for parent in (told[name] for name in model["depends_on"].get("nodes", ())):
            if parent["resource_type"] == "model" and parent["schema"] == "staging" and not views:
                texts.add(parent["columns"].get(column, {}).get("description"))
            else:
                table = parent.get("alias") or parent["identifier"]
                texts.add(comments.get((parent["schema"], table, column)))
        return texts - {None, ""}

    assert not [
        f"{model['name']}.{name}"
        for model in manifest["nodes"].values()
        for name, column in model["columns"].items()
        # Models of staging are no tables, so nothing inherits from what they read.
        if model["config"]["materialized"] != "view"
        and all(
            inherited(model, name, views=views) == {column["description"]}
            for views in (False, True)
        )
    ]


#: A choice by one column alone, such as arg_min(source_id, start_utc).
_BY_ONE_COLUMN = re.compile(
    r"\b(?:arg_min|arg_max|min_by|max_by)\(\s*(?:[^(),]|\{[^{}]*\}|\([^()]*\))+,\s*([\w.]+)\s*\)"
)


@cases
def test_a_choice_by_one_column_is_seen(sql: str, by: list[str]) -> None:
    assert _BY_ONE_COLUMN.findall(sql) == by


def test_rows_that_are_equal_do_not_let_a_build_choose() -> None:
    """What picks a row of a group names as many columns as it takes to tell all of them apart."""
    choices = {
        (path.name, by)
        for folder in ("models", "macros")
        for path in (DBT_PROJECT / folder).rglob("*.sql")
        for by in _BY_ONE_COLUMN.findall(path.read_text())
    }
    # These are numbers of rows, or rows of columns.
    assert {
        choice for choice in choices if choice[1].split(".")[-1] not in ("order_no", "place")
    } == set()
