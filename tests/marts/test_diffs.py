"""Diff tests: what queries return, as data.

A folder AREA/CASE with `query.sql` and `expected.csv` is a test. The query reads the published file
of all inputs (the fixture `cases`), of the bundled ones if its first line is `-- bundled`, or of
both in turn if that is `-- bundled and cases`.
Floating-point values may differ by 1e-5 of themselves; all else is compared as text.

A folder `input` beside them, or alone, holds source files: all of them are loaded into `cases`.
AREA/truth/NAME.csv is the table `truth_NAME` of all queries: what really happened, which nobody
changes because a query says otherwise. Of the bundled inputs, `done_NAME` is what the simulator did
(tests/kit/simulated.py).

To write new rows to `expected.csv`, run `pytest tests/marts/test_diffs.py --snapshot-update`, and
read what git shows: rows are right because of what went in, not because they came out.
"""

import csv
import difflib
import io
import math
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from duckdb import DuckDBPyConnection

from ingest.lake.warehouse import Warehouse
from tests.kit.simulated import done

HERE = Path(__file__).parent
QUERY, EXPECTED = "query.sql", "expected.csv"
CASES = sorted({file.parent for name in (QUERY, EXPECTED) for file in HERE.glob(f"*/*/{name}")})
NEAR = 1e-5


def warehouses(case: Path) -> list[str]:
    """Return the fixtures that a query is asked of."""
    query = (case / QUERY).read_text() if (case / QUERY).exists() else ""  # which fails
    named = re.match("-- (bundled)(?: and (cases))?\n", query)
    return [name for name in named.groups() if name] if named else ["cases"]


@pytest.fixture(scope="module")
def opened(request: pytest.FixtureRequest) -> Iterator[Callable[[str], DuckDBPyConnection]]:
    """Opens the warehouse of a fixture, once, with the tables of the truth."""
    with ExitStack() as stack:

        @cache
        def opened(warehouse: str) -> DuckDBPyConnection:
            file = Warehouse(request.getfixturevalue(warehouse))
            db = stack.enter_context(file.connect())
            tables = {
                f"truth_{file.stem}": pl.read_csv(
                    file, try_parse_dates=True, infer_schema_length=None
                )
                for file in HERE.glob("*/truth/*.csv")
            }
            for name, frame in (tables | (done() if warehouse == "bundled" else {})).items():
                db.register(name, frame)
            return db

        yield opened


def test_there_are_cases_and_inputs() -> None:
    assert len(CASES) > 30
    assert len([*HERE.glob("*/*/input/ORIGIN")]) > 30


@pytest.mark.parametrize(
    ("case", "warehouse"),
    [
        pytest.param(case, warehouse, id=f"{case.parent.name}/{case.name}-{warehouse}")
        for case in CASES
        for warehouse in warehouses(case)
    ],
)
def test_rows(
    case: Path,
    warehouse: str,
    opened: Callable[[str], DuckDBPyConnection],
    request: pytest.FixtureRequest,
) -> None:
    file = case / EXPECTED
    rows = opened(warehouse).sql((case / QUERY).read_text())
    update = request.config.getoption("update_snapshots")
    wanted = [] if update and not file.exists() else [*csv.reader(file.open(newline=""))]
    found = [rows.columns]
    for row, beside in zip_longest(rows.fetchall(), wanted[1:], fillvalue=()):
        if row:
            found.append([shown(*pair) for pair in zip_longest(row, beside[: len(row)])])
    if update:
        file.write_text(written(found))
    elif found != wanted:
        before, after = (written(rows).splitlines() for rows in (wanted, found))
        diff = difflib.unified_diff(before, after, EXPECTED, "found", n=1, lineterm="")
        pytest.fail("\n".join(diff), pytrace=False)


def shown(value: Any, wanted: str | None) -> str:
    """Return a value as text: as expected if it is near to that."""
    if isinstance(value, float):
        with suppress(ValueError):
            if wanted and math.isclose(value, float(wanted), rel_tol=NEAR):
                return wanted
        return f"{value:.6g}"
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def written(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
