"""Facts about dbt's seeds.

They depend on files of the project only, so they are tested here and not in every build.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

import duckdb
import pytest

from app.pipeline.places import ROOT
from tests.kit.cases import cases

SEEDS = ROOT / "dbt/seeds"

GRAIN = {
    "hardware_counter_set": ["set_type"],
    "hardware_machine": ["machine_type"],
    "hardware_miss_counter": ["generation", "counter_number"],
    "hardware_rni": ["generation"],
    "hardware_rni_class": ["l1mp_from", "rni_from"],
    "published_baseline": ["baseline_set", "document_id", "section"],
    "published_claim_evidence": ["claim_id", "pair_no", "role", "cell_id"],
    "published_claim_method": ["claim_id"],
    "published_claim_place": ["claim_id"],
    "published_claim_run": ["claim_id", "metric", "candidate", "baseline"],
    "published_counterpart": [
        *("document_id", "table_id", "metric", "row_label", "message_size", "machine"),
        "run_metric",
    ],
    "published_metric": ["metric"],
    "published_table": ["document_id", "table_id"],
    "run_address_space": ["kind"],
    "run_metric": ["metric"],
    "run_unit": ["unit"],
}
FILLED = {
    "hardware_counter_set": ["set_type", "first_counter", "verified", "source"],
    "hardware_machine": ["machine_type", "generation", "order_no", "verified", "source"],
    "hardware_miss_counter": ["generation", "counter_number", "verified", "source"],
    "hardware_rni": [
        *("generation", "factor", "l3_weight", "l4l_weight", "l4r_weight", "mem_weight"),
        *("verified", "source"),
    ],
    "hardware_rni_class": ["l1mp_from", "rni_from", "verified", "source"],
    "published_baseline": ["baseline_set", "document_id", "section", "is_default"],
    "published_claim_evidence": ["claim_id", "cell_id"],
    "published_claim_method": ["claim_id"],
    "published_claim_place": ["claim_id", "place"],
    "published_claim_run": ["claim_id", "method", "scale", "metric", "candidate"],
    "published_counterpart": ["document_id", "table_id", "metric", "run_metric"],
    "published_metric": ["metric", "metric_kind"],
    "published_table": ["document_id", "table_id", "place", "title", "row_factors"],
    "run_address_space": ["kind", "name_pattern", "source"],
    "run_metric": ["metric", "unit"],
    "run_unit": ["unit", "standard_unit", "factor"],
}


@pytest.fixture(scope="module")
def seeds() -> Iterator[duckdb.DuckDBPyConnection]:
    """All seeds as views, an empty field as NULL."""
    with duckdb.connect() as db:
        for file in SEEDS.rglob("*.csv"):
            db.execute(f"CREATE VIEW {file.stem} AS FROM read_csv('{file}', nullstr = '')")
        yield db


def test_every_seed_is_tested() -> None:
    assert GRAIN.keys() == FILLED.keys() == {file.stem for file in SEEDS.rglob("*.csv")}


@pytest.mark.parametrize("seed", GRAIN)
def test_key_columns_identify_a_row(seed: str, seeds: duckdb.DuckDBPyConnection) -> None:
    key = ", ".join(GRAIN[seed])
    query = f"SELECT {key}, count(*) FROM {seed} GROUP BY {key} HAVING count(*) > 1"
    assert seeds.execute(f"SELECT count(*) FROM {seed}").fetchone() != (0,)
    assert seeds.execute(query).fetchall() == []


def test_machines_have_different_places_in_their_order(seeds: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT count(*) - count(DISTINCT order_no) FROM hardware_machine"
    assert seeds.execute(query).fetchall() == [(0,)]


@pytest.mark.parametrize("seed", FILLED)
def test_necessary_columns_are_filled(seed: str, seeds: duckdb.DuckDBPyConnection) -> None:
    empty = " OR ".join(f"{column} IS NULL" for column in FILLED[seed])
    assert seeds.execute(f"SELECT * FROM {seed} WHERE {empty}").fetchall() == []


@cases
def test_coded_columns_have_known_values(
    seed: str, column: str, known: set[str], seeds: duckdb.DuckDBPyConnection
) -> None:
    query = f"SELECT DISTINCT {column} FROM {seed} WHERE {column} IS NOT NULL"
    found = {value for (value,) in seeds.execute(query).fetchall()}
    assert found
    assert found <= known


def test_evidence_is_of_a_claim_that_has_a_method(seeds: duckdb.DuckDBPyConnection) -> None:
    query = "FROM published_claim_evidence ANTI JOIN published_claim_method USING (claim_id)"
    assert seeds.execute(query).fetchall() == []


def test_each_machine_has_counters_of_all_levels_and_a_formula(
    seeds: duckdb.DuckDBPyConnection,
) -> None:
    query = """
        SELECT
            machine.generation,
            count(DISTINCT counter.level) AS levels,
            count(formula.generation) AS formulas
        FROM hardware_machine AS machine
        LEFT JOIN hardware_miss_counter AS counter USING (generation)
        LEFT JOIN hardware_rni AS formula USING (generation)
        GROUP BY machine.generation
        HAVING levels <> 5 OR formulas = 0
    """
    assert seeds.execute(query).fetchall() == []


def test_misses_and_nest_intensity_always_have_one_class(
    seeds: duckdb.DuckDBPyConnection,
) -> None:
    """The bounds leave no gap and do not overlap."""
    query = """
        WITH pair AS (
            SELECT misses / 4 AS l1mp, intensity / 20 AS rni
            FROM range(0, 60) AS misses (misses), range(0, 60) AS intensities (intensity)
        )
        SELECT pair.l1mp, pair.rni, count(rni_class) AS classes
        FROM pair
        LEFT JOIN hardware_rni_class AS threshold
            ON l1mp >= l1mp_from AND (l1mp_below IS NULL OR l1mp < l1mp_below)
            AND rni >= rni_from AND (rni_below IS NULL OR rni < rni_below)
        GROUP BY ALL
        HAVING classes <> 1
    """
    assert seeds.execute(query).fetchall() == []


# --- units: the factors again, from what the words and prefixes mean

BYTES = {"B": 1.0, "byte": 1, "bytes": 1, "bit": 1 / 8, "kB": 10**3, "KB": 2**10, "KiB": 2**10,
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


@cases
def test_units_that_people_write_are_known(unit: str) -> None:
    assert unit in {name for name, *_ in UNITS}
