"""The marts suite: whether the figures are plausible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from expectations.limits import Limits
from expectations.rule import ERROR, WARNING, Rule, name
from expectations.suites.known_marts import Mart

__all__ = ["marts_suite"]

Columns = Mapping[str, Mapping[str, str]]

_NUMBERS = ("BIGINT", "INTEGER", "DOUBLE", "HUGEINT", "UBIGINT", "FLOAT", "DECIMAL", "SMALLINT")
_NO_FIGURES = ("source_id", "record_no", "section_no", "utc_offset_minutes")


def marts_suite(limits: Limits, columns: Columns, marts: Mapping[str, Mart]) -> Iterator[Rule]:
    """Yield the rules of all marts; `columns` holds the column types of each "schema.table"."""
    yield _interval_rule()
    yield _usable_rule()
    for mart_name, mart in marts.items():
        table = f"marts.{mart_name}"
        stated = columns.get(table, {})
        figures = [
            column
            for column, kind in stated.items()
            if kind.startswith(_NUMBERS) and not kind.endswith("]") and column not in _NO_FIGURES
        ]
        if tests := _impossible(mart, figures, stated):
            yield Rule(
                suite="marts",
                table=table,
                name="figures_are_plausible",
                severity=ERROR,
                expected="finite numbers"
                if mart.printed
                else "finite numbers; counts, times and rates are not negative",
                problem="impossible figures",
                advice="Compare with the record in raw: either the model or its input is wrong",
                query=_failing_figures(mart, tests),
            )
        if tests := _out_of_bounds(mart, figures, limits):
            yield Rule(
                suite="marts",
                table=table,
                name="figures_are_within_bounds",
                severity=limits.bounds,
                expected=(
                    "percentages from 0 to 100, ratios from 0 to 1, with a tolerance of "
                    f"{limits.tolerance_percent:g} %; at most {limits.most_bytes_per_second:g} "
                    "bytes/s"
                ),
                problem="figures out of bounds",
                advice=(
                    "A request that spans two intervals can cause this; compare with the record "
                    "in raw"
                ),
                query=_failing_figures(mart, tests),
            )
        if mart.compared:
            yield _agreement_rule(table, mart)
        if mart.is_unique_by_data and set(mart.key) <= set(stated):
            yield _key_rule(table, mart)


def _impossible(mart: Mart, figures: list[str], own: Mapping[str, str]) -> dict[str, str]:
    """Return column -> SQL condition that holds where its value is impossible."""
    tests = {}
    for column in figures:
        conditions = []
        if own[column] in ("DOUBLE", "FLOAT"):
            conditions.append(f"NOT isfinite({name(column)})")
        if not (mart.printed or column in mart.signed or column.endswith("_percent")):
            conditions.append(f"{name(column)} < 0")
        if conditions:
            tests[column] = " OR ".join(conditions)
    return tests


def _out_of_bounds(mart: Mart, figures: list[str], limits: Limits) -> dict[str, str]:
    """Return column -> SQL condition that holds where its value exceeds its bounds."""
    tolerance = limits.tolerance_percent / 100
    tests = {}
    for column in figures:
        value = name(column)
        if column == "interval_seconds" and "hour_utc" in mart.key:
            tests[column] = f"{value} > {3600 * (1 + tolerance)}"
        if mart.printed or column in mart.signed:
            continue
        if column.endswith("_percent"):
            tests[column] = f"{value} < {-100 * tolerance} OR {value} > {100 * (1 + tolerance)}"
        elif column.endswith("mb_per_second"):
            tests[column] = f"{value} > {limits.most_bytes_per_second / 2**20}"
        elif column.endswith("bytes_per_second"):
            tests[column] = f"{value} > {limits.most_bytes_per_second}"
    return tests


def _failing_figures(mart: Mart, tests: Mapping[str, str]) -> str:
    """Return a query for the rows in which a condition holds, showing "column = value"."""
    shown = ", ".join(
        f"CASE WHEN {test} THEN '{column} = ' || {name(column)}::VARCHAR END"
        for column, test in tests.items()
    )
    return f"""
        SELECT {_place(mart)} AS place, concat_ws(', ', {shown}) AS observed
        FROM batch WHERE {" OR ".join(f"({test})" for test in tests.values())}
    """


def _place(mart: Mart) -> str:
    """Return an SQL expression for the row's key in words."""
    shown = {c: f"{name(c)}::VARCHAR" for c in mart.key}
    if "source_id" in shown:
        shown["source_id"] = "left(source_id, 12)"
    words = ", ".join(f"'{c} ' || coalesce({text}, 'NULL')" for c, text in shown.items())
    return f"concat_ws(', ', {words})"


def _agreement_rule(table: str, mart: Mart) -> Rule:
    before, other = mart.compared
    return Rule(
        suite="marts",
        table=table,
        name="sources_agree",
        severity=WARNING,
        expected=f"{before} and {other} figures are equal, except for rounding",
        problem=f"{before} and {other} figures differ",
        advice="They may be of different intervals or systems, or one of them was misread",
        column=other,
        query=f"""
            SELECT {_place(mart)} AS place,
                '{before} ' || {before} || ', {other} ' || {other} AS observed
            FROM batch WHERE NOT agrees
        """,
    )


def _key_rule(table: str, mart: Mart) -> Rule:
    """Return the rule that no two records have one key; dbt tests that no record has it twice."""
    key = ", ".join(map(name, mart.key))
    return Rule(
        suite="marts",
        table=table,
        name="records_have_different_keys",
        severity=ERROR,
        expected=f"one record for each {', '.join(mart.key)}",
        problem="several records with the same key",
        advice="Two systems share a name, or records contradict each other; sums count them all",
        query=f"""
            SELECT {_place(mart)} AS place, count(*) || ' rows' AS observed
            FROM batch GROUP BY {key} HAVING count(*) > 1
        """,
    )


def _interval_rule() -> Rule:
    """Leave out subtypes that are in no mart: 5, which can be alone, and 240."""
    return Rule(
        suite="marts",
        table="intermediate.int_mq__record",
        name="statistics_have_an_interval",
        severity=WARNING,
        expected="every statistics record has a known interval",
        problem="statistics records without a known interval",
        advice="No mart includes them: their product section holds no valid time",
        column="interval_start_utc",
        query="""
            SELECT '115.' || coalesce(record_subtype::VARCHAR, '') || ', record ' || record_no
                || ' of load ' || left(source_id, 12) AS place, 'no interval' AS observed
            FROM batch
            WHERE record_type = 115 AND record_subtype NOT IN (5, 240)
                AND interval_start_utc IS NULL
        """,
    )


def _usable_rule() -> Rule:
    """Leave out records of Monitor III: Monitor I covers the same interval."""
    return Rule(
        suite="marts",
        table="intermediate.int_rmf__record",
        name="rmf_records_are_usable",
        severity=WARNING,
        expected="every RMF record is complete and has an interval and valid samples",
        problem="RMF records that no mart includes",
        advice="Parts may be missing from the dump; invalid samples measured nothing",
        column="usable",
        query="""
            SELECT record_type || '.' || record_subtype || ', record ' || record_no
                || ' of load ' || left(source_id, 12) AS place,
                concat_ws(
                    ', ',
                    CASE WHEN NOT complete THEN 'incomplete' END,
                    CASE WHEN skipped THEN 'marked as having invalid samples' END,
                    CASE WHEN interval_start_utc IS NULL THEN 'no interval in UTC' END
                ) AS observed
            FROM batch
            WHERE NOT monitor_iii AND usable IS NOT TRUE
        """,
    )
