"""What the comment of a mart's column says of how its values add up is true."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from duckdb import DuckDBPyConnection

from tests.kit.cases import cases

NEAR = 1e-9


@pytest.fixture(scope="module")
def built(bundled: Path, cases: Path) -> Iterator[DuckDBPyConnection]:
    """A database with the marts of the bundled inputs, and those of the cases attached."""
    with duckdb.connect() as db:
        db.execute(
            f"ATTACH '{bundled}' AS bundled (READ_ONLY); ATTACH '{cases}' AS cases (READ_ONLY)"
        )
        yield db


def texts(db: DuckDBPyConnection, catalog: str, schema: str) -> list[tuple[str, str, str]]:
    """Return the columns of a schema that have comments: table, column, comment."""
    return db.execute(
        "SELECT table_name, column_name, comment FROM duckdb_columns() "
        "WHERE database_name = $1 AND schema_name = $2 AND comment IS NOT NULL",
        [catalog, schema],
    ).fetchall()


def said(db: DuckDBPyConnection, catalog: str) -> dict[str, dict[str, str]]:
    """Return how columns add up, by mart."""
    found: dict[str, dict[str, str]] = {}
    for mart, column, comment in texts(db, catalog, "marts"):
        if how := re.search(r" Adds up: ([^.]*)\.", comment):
            found.setdefault(mart, {})[column] = how[1]
    return found


def combined(column: str, how: str, between: set[str]) -> str | None:
    """Return an aggregate for rows that differ in some columns, or None if there is none."""
    how, _, condition = how.partition(" where ")
    kept = f" FILTER ({condition})" if condition else ""
    if how in ("sum", "sum, a wider bound") or (
        how.startswith("sum over ") and between <= set(how[9:].split(", "))
    ):
        return f"sum({column}){kept}"
    if how in ("greatest", "least"):
        return f"{'max' if how == 'greatest' else 'min'}({column})"
    if weighted := re.fullmatch("average weighted by (.+)", how):
        weight = f"({weighted[1]}) * if({column} IS NULL, NULL, 1)"
        return f"sum({column} * {weight}) / nullif(sum({weight}), 0)"
    return None


@pytest.mark.parametrize("catalog", ["bundled", "cases"])
def test_a_ratio_is_that_of_its_columns(built: DuckDBPyConnection, catalog: str) -> None:
    """In all rows it is the same multiple of theirs; a share is at most 100 %."""
    checked, wrong = 0, []
    for mart, columns in said(built, catalog).items():
        for column, how in columns.items():
            if not (ratio := re.fullmatch("ratio of (.+) and (.+)", how)):
                continue
            least, greatest = built.execute(
                "SELECT min(factor), max(factor) "
                f"FROM (SELECT {column} * ({ratio[2]}) / ({ratio[1]}) AS factor "
                f"FROM {catalog}.marts.{mart} WHERE {column} NOT IN (0, 100) "
                f"AND ({ratio[1]}) <> 0 AND ({ratio[2]}) <> 0)"
            ).fetchone() or (None, None)
            checked += least is not None
            if least is not None and greatest - least > NEAR * abs(greatest):
                wrong.append((mart, column, how, least, greatest))
    assert wrong == []
    assert checked > 100


@cases
def test_parts_add_up_to_the_whole_as_they_say(
    built: DuckDBPyConnection, parts: str, whole: str
) -> None:
    """The key of the mart with the whole is part of the key of its parts."""
    checked, wrong = 0, []
    for catalog in ("bundled", "cases"):
        adds = said(built, catalog)
        keys = dict(
            built.execute(
                f"SELECT name[7:], audit.key FROM {catalog}.meta.lineage WHERE audit IS NOT NULL"
            ).fetchall()
        )
        key = ", ".join(keys[whole])
        for column, how in adds[parts].items():
            aggregate = combined(column, how, {*keys[parts]} - {*keys[whole]} - {"sysplex"})
            if column not in adds[whole] or not aggregate:
                continue
            # Sums of bounds are bounds, too, but wider.
            is_apart = {"low": "added - {0} > {1}", "high": "{0} - added > {1}"}.get(
                column.removesuffix("_us").rpartition("_")[2], "abs(added - {0}) > {1}"
            )
            near = f"{NEAR} * greatest(abs({column}), abs(added), 1)"
            rows, apart = built.execute(
                f"WITH part AS (SELECT {key}, {aggregate} AS added, "
                f"count({column}) = count(*) AS known FROM {catalog}.marts.{parts} GROUP BY ALL) "
                f"SELECT count(*), count_if({is_apart.format(column, near)}) FROM part "
                f"JOIN {catalog}.marts.{whole} USING ({key}) WHERE known AND {column} IS NOT NULL"
            ).fetchone() or (0, 0)
            checked += rows > 0
            if apart:
                wrong.append((catalog, column, how, rows, apart))
    assert wrong == []
    assert checked > 0


@pytest.mark.parametrize("catalog", ["bundled", "cases"])
def test_a_sum_counts_what_a_record_says_once(built: DuckDBPyConnection, catalog: str) -> None:
    """The rows of a record add up to the fields with the same text in its view.

    In the hard cases of the cases, which have damaged sections, to no more than those.
    """
    views: dict[tuple[str, str], list[str]] = {}
    for view, column, comment in texts(built, catalog, "staging"):
        views.setdefault((column, comment), []).append(view)
    pairs: dict[tuple[str, str], dict[str, str]] = {}
    for mart, column, comment in texts(built, catalog, "marts"):
        if found := re.search(r" Adds up: (sum[^.]*)\.", comment):
            fields = views.get((column, comment.replace(found[0], "")), [])
            if len(fields) == 1 and column != "value" and mart != "dim_load":
                pairs.setdefault((mart, fields[0]), {})[column] = found[1].partition(" where ")[2]
    checked, wrong = 0, []
    for (mart, view), columns in pairs.items():
        added = ", ".join(
            f"sum({column}) FILTER ({condition or 'true'}) AS {column}"
            for column, condition in columns.items()
        )
        whole = ", ".join(f"sum({column}) AS {column}" for column in columns)
        apart = ", ".join(
            f"count_if({'abs' if catalog == 'bundled' else ''}(mart.{name} - field.{name}) "
            f"> {NEAR} * greatest(abs(mart.{name}), 1))"
            for name in columns
        )
        rows = (
            built.execute(
                f"WITH mart AS (SELECT source_id, record_no, {added} FROM {catalog}.marts.{mart} "
                f"GROUP BY ALL), field AS (SELECT source_id, record_no, {whole} "
                f"FROM {catalog}.staging.{view} GROUP BY ALL) "
                f"SELECT {apart} FROM mart JOIN field USING (source_id, record_no)"
            ).fetchone()
            or ()
        )
        checked += len(rows)
        wrong += [(mart, view, column, n) for column, n in zip(columns, rows, strict=True) if n]
    assert wrong == []
    assert checked > 100
