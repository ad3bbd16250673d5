"""Rows with values as the tools print them survive writing and reading."""

from datetime import datetime

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from polars.testing import assert_frame_equal

from ingest.formats.parsers import PARSERS, find_parser
from models_sim.simulator.outputs import KINDS, write_output
from tests.unit.models_sim.simulator.outputs import strategies_runs, strategies_tools

STRATEGIES = {
    kind: strategy
    for module in (strategies_runs, strategies_tools)
    for kind, strategy in module.STRATEGIES.items()
}
SCHEMAS = {table: schema for parser in PARSERS for table, schema in parser.SCHEMAS.items()}


def frames(tables):
    """The drawn rows in the columns of the raw tables."""
    return {
        table: pl.DataFrame(rows, schema=SCHEMAS[table], orient="row")
        for table, rows in tables.items()
    }


def read(kind, content):
    parser, found = find_parser(content)
    assert found == kind
    parsed = parser.parse(content)
    assert parsed.rejected == []
    return parsed.tables


def same(found, expected):
    """Equal values, floats to nine digits; the line number of a row does not matter."""
    assert_frame_equal(
        found.drop("record_no"), expected.drop("record_no"), rel_tol=1e-9, abs_tol=1e-12
    )


@pytest.mark.parametrize("kind", STRATEGIES)
def test_rows_survive_the_round_trip(kind):
    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    @given(STRATEGIES[kind])
    def check(tables):
        expected = frames(tables)
        found = read(kind, write_output(kind, expected))
        for table, frame in expected.items():
            # SYSLOG also has messages for CSM's pools and limits, which follow.
            more = table == "bench_syslog_message"
            same(found[table].head(frame.height) if more else found[table], frame)

    check()


def test_every_kind_is_tested():
    genuine_only = {"du", "free", "ioping_raw", "perf_harness", "rmf_text", "rmf_xml"}
    assert set(STRATEGIES) | genuine_only == set(KINDS)


def test_absent_columns_and_tables_are_null():
    at = datetime.fromisoformat
    run = pl.DataFrame({
        "run_id": ["a"], "campaign": ["c"], "start_utc": [at("2024-01-01T10:00")],
        "stop_utc": [at("2024-01-01T10:02")],
    })  # fmt: skip
    found = read("run_manifest", write_output("run_manifest", {"bench_run": run}))
    assert found.keys() == {"bench_run"}
    assert found["bench_run"].row(0, named=True) == {
        "record_no": 1, "run_id": "a", "campaign": "c", "repetition": 1,
        "start_utc": at("2024-01-01T10:00"), "stop_utc": at("2024-01-01T10:02"),
        "steady_start_utc": None, "steady_stop_utc": None, "start_local": at("2024-01-01T10:00"),
        "time_zone": "+00:00", "utc_offset_minutes": 0,
    }  # fmt: skip
