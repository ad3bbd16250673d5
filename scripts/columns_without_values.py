"""List the columns of marts that have no value, or only one, in all of the given warehouses.

    python scripts/columns_without_values.py WAREHOUSE.duckdb...

Such a column may be wrong without being noticed. Left out are columns

- for which a unit test of dbt expects a value that the warehouses lack: one of the mart, or of a
  model that the mart reads, if the column has the same name there;
- that pass on a field of a record under its plain name (the comment is that of the field), as every
  layout is tested with random values of all its fields;
- that docs/developers/columns.md gives a reason for.

Exits with 1 if any are left.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

import duckdb
import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[1]
REASONS = ROOT / "docs/developers/columns.md"

Column = tuple[str, str]
_COLUMNS = """
    SELECT mart.table_name, mart.column_name, field.comment IS NOT NULL
    FROM duckdb_columns() AS mart
    LEFT JOIN (
        SELECT DISTINCT column_name, comment FROM duckdb_columns()
        WHERE schema_name = 'staging' AND NOT starts_with(table_name, 'stg_')
    ) AS field
        ON field.column_name = mart.column_name
        AND field.comment = regexp_replace(mart.comment, ' Adds up: [^.]*\\.', '')
    WHERE mart.schema_name = 'marts'
"""
_BEHIND = """
    WITH RECURSIVE behind AS (
        SELECT name AS mart, name AS model FROM meta.lineage WHERE layer = 'marts'
        UNION
        SELECT mart, unnest(parents) FROM behind JOIN meta.lineage ON name = model
    )
    SELECT split_part(mart, '.', 2), list(split_part(model, '.', 2)) FROM behind GROUP BY mart
"""


def values_of(warehouses: Collection[str]) -> tuple[dict[Column, set[str]], dict[str, list[str]]]:
    """Return up to two values of each column that is no field of a record, and what marts read."""
    values: dict[Column, set[str]] = defaultdict(set)
    behind: dict[str, list[str]] = {}
    for warehouse in warehouses:
        with duckdb.connect(warehouse, read_only=True) as db:
            behind |= dict(db.execute(_BEHIND).fetchall())
            for mart, column, is_field in db.execute(_COLUMNS).fetchall():
                if not is_field:
                    examples = db.execute(
                        f'SELECT DISTINCT "{column}"::VARCHAR FROM marts."{mart}" '
                        f'WHERE "{column}" IS NOT NULL LIMIT 2'
                    ).fetchall()
                    values[mart, column] |= {value for (value,) in examples}
    return values, behind


def expected_values() -> dict[Column, set[str]]:
    """Return the values that unit tests of dbt expect of each column of a model, as text."""
    values: dict[Column, set[str]] = defaultdict(set)
    for file in (ROOT / "dbt/models").rglob("*__unit_tests.yml"):
        for test in yaml.safe_load(file.read_text())["unit_tests"]:
            for row in test["expect"].get("rows") or []:
                for column, value in row.items():
                    if value is not None:
                        values[test["model"], column].add(_plain(value))
    return values


def _plain(value: object) -> str:
    return str(value).removesuffix(".0").lower()


def explained_columns() -> set[Column]:
    """Return the columns that the document gives a reason for; * stands for any mart."""
    rows = re.findall(r"^\| `([\w*]+)` \| (.+?) \|", REASONS.read_text(), re.MULTILINE)
    return {(mart, column) for mart, names in rows for column in re.findall(r"`(\w+)`", names)}


def main(warehouses: list[str]) -> int:
    """Print the columns, by mart. Return the exit status."""
    values, behind = values_of(warehouses)
    tested, reasons = expected_values(), explained_columns()
    none: dict[str, list[str]] = defaultdict(list)
    constant: dict[str, list[str]] = defaultdict(list)
    for (mart, column), examples in sorted(values.items()):
        shown = {_plain(value) for value in examples}
        others = set().union(*(tested[model, column] for model in behind[mart])) - shown
        if len(examples) < 2 and not others and not {(mart, column), ("*", column)} & reasons:
            (constant if examples else none)[mart].append(
                " ".join([column, *(f"({v})" for v in examples)])
            )
    for title, left in (("no value", none), ("one value", constant)):
        print(f"{sum(map(len, left.values()))} columns have {title}")
        for mart, columns in left.items():
            print(f"  {mart}: {', '.join(columns)}")
    return bool(none or constant)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
