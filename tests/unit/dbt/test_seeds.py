"""Facts about dbt's seeds.

They depend on files of the project only, so they are tested here and not in every build.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from app.pipeline.places import ROOT
from tests.kit.cases import cases, queries

SEEDS = ROOT / "dbt/seeds"

#: Seed -> the columns that identify a row, and those that are always filled.
SEEDS_OF = {
    row["seed"]: (row["key"].split(), row["filled"].split())
    for row in csv.DictReader(Path(__file__).with_name("seeds.csv").open())
}
FACTS = queries(__file__)


@pytest.fixture(scope="module")
def seeds() -> Iterator[duckdb.DuckDBPyConnection]:
    """All seeds as views, an empty field as NULL."""
    with duckdb.connect() as db:
        for file in SEEDS.rglob("*.csv"):
            db.execute(f"CREATE VIEW {file.stem} AS FROM read_csv('{file}', nullstr = '')")
        yield db


def test_every_seed_is_tested() -> None:
    assert SEEDS_OF.keys() == {file.stem for file in SEEDS.rglob("*.csv")}


@pytest.mark.parametrize("seed", SEEDS_OF)
def test_keys_identify_rows_and_necessary_columns_are_filled(
    seed: str, seeds: duckdb.DuckDBPyConnection
) -> None:
    key, filled = SEEDS_OF[seed]
    rows = seeds.table(seed)
    assert len(rows) == len(rows.select(*key).distinct()) > 0
    assert rows.filter(" OR ".join(f"{column} IS NULL" for column in filled)).fetchall() == []


@cases
def test_coded_columns_have_known_values(
    seed: str, column: str, known: set[str], seeds: duckdb.DuckDBPyConnection
) -> None:
    query = f"SELECT DISTINCT {column} FROM {seed} WHERE {column} IS NOT NULL"
    found = {value for (value,) in seeds.execute(query).fetchall()}
    assert found
    assert found <= known


@pytest.mark.parametrize("fact", FACTS)
def test_no_row_contradicts_a_fact(fact: str, seeds: duckdb.DuckDBPyConnection) -> None:
    assert seeds.execute(FACTS[fact]).fetchall() == []


# --- units: the factors again, from what the words and prefixes mean

BYTES = {"B": 1.0, "byte": 1, "bytes": 1, "bit": 1 / 8, "kB": 2**10, "KB": 2**10, "KiB": 2**10,
         "MB": 2**20, "MiB": 2**20, "GB": 2**30, "GiB": 2**30, "TB": 2**40, "TiB": 2**40,
         "kbit": 10**3 / 8, "Mbit": 10**6 / 8, "Gbit": 10**9 / 8,
         "Kb": 2**10 / 8, "Mb": 2**20 / 8, "Gb": 2**30 / 8}  # fmt: skip
TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "\u03bcs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1,
         "second": 1, "seconds": 1, "min": 60, "minute": 60, "minutes": 60, "h": 3600, "hour": 3600,
         "hours": 3600, "d": 86400, "day": 86400, "days": 86400}  # fmt: skip
COUNTS = {
    "": 1.0,
    "1": 1,
    "count": 1,
    "thousand": 1e3,
    "million": 1e6,
    **dict.fromkeys(("messages", "transactions", "requests", "operations", "iterations"), 1),
}
UNITS = [
    (row["unit"], row["standard_unit"], float(row["factor"]))
    for row in csv.DictReader((SEEDS / "runs/run_unit.csv").open(encoding="utf-8"))
]


def size(unit: str) -> tuple[str, float]:
    """Return the basic unit of a unit's kind, and its size in it."""
    named = {"%": 1.0, "percent": 1.0, "ratio": 100.0}
    if unit in named:
        return "%", named[unit]
    if unit in ("messages", "message", "files", "file"):
        return unit.rstrip("s") + "s", 1.0
    above, _, below = unit.partition("/")
    if above.startswith("CPU "):
        work = {"": 1.0, "GB": 1.0, "MB": 1 / 1024, "channel": 1.0}[below]
        per = "/channel" if below == "channel" else "/GB" if below else ""
        return f"CPU s{per}", TIMES[above.removeprefix("CPU ")] / work
    if "/" not in unit:
        kinds = {"B": BYTES, "s": TIMES, "count": COUNTS}
        ((kind, sizes),) = [(k, s) for k, s in kinds.items() if unit in s]
        return kind, sizes[unit]
    if above in BYTES:
        return "MB/s", BYTES[above] / 2**20 / TIMES[below]
    return "1/s", COUNTS[above] / TIMES[below]


@pytest.mark.parametrize(("unit", "standard", "factor"), UNITS, ids=[unit for unit, *_ in UNITS])
def test_a_unit_has_the_factor_that_its_name_means(unit: str, standard: str, factor: float) -> None:
    assert (standard, factor) == (size(unit)[0], pytest.approx(size(unit)[1], rel=1e-12))


def test_units_that_people_write_are_known() -> None:
    written = {"B", "kB", "KiB", "MB", "GiB", "ms", "min", "h", "messages/s", "CPU ms/GB", "%"}
    assert written <= {name for name, *_ in UNITS}
