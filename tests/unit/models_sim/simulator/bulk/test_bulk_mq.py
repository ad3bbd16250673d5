"""A large dump is a small one repeated, each time later."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import islice

import polars as pl
import pytest

from ingest.formats.binary.write import frame_records
from models_sim.simulator.mq.samples import SYQ3, records_of
from tests.kit.dumps import US_1900_TO_1970, Tables, tables_of
from tests.kit.large_day import repeat

EVERY = timedelta(hours=9)


@pytest.fixture(scope="module")
def records() -> list[bytes]:
    return [r for r in records_of(SYQ3, 7) if r[5] not in (2, 3)]


@pytest.fixture(scope="module")
def rounds(records: list[bytes]) -> list[Tables]:
    """Three times the same records, 0, 9 and 18 hours later."""
    many = list(islice(repeat(records, EVERY), 3 * len(records)))
    return [
        tables_of(b"".join(frame_records(many[i * len(records) : (i + 1) * len(records)])))
        for i in range(3)
    ]


def test_first_round_is_the_dump_itself(records: list[bytes]) -> None:
    assert list(islice(repeat(records, EVERY), len(records))) == records


HAS_TIME = {"content_hash", "correl", "sm115tme", "sm115dte", "sm116tme", "sm116dte"}


def test_every_moment_moves_and_nothing_else_changes(rounds: list[Tables]) -> None:
    moved = 0
    for number, tables in enumerate(rounds):
        assert tables.keys() == rounds[0].keys()
        for name, frame in tables.items():
            first = rounds[0][name]
            for column in frame.columns:
                if column in HAS_TIME:
                    continue
                dtype = frame[column].dtype
                expected = first[column]
                if dtype == pl.Datetime("us"):
                    expected = expected + number * EVERY
                    moved += 1
                elif dtype.is_nested() and "Datetime" in str(dtype):
                    flat = expected.explode().explode() + number * EVERY
                    assert frame[column].explode().explode().equals(flat), column
                    continue
                assert frame[column].equals(expected), (name, column)
    assert moved > 30


def test_headers_pass_midnight(rounds: list[Tables]) -> None:
    header = rounds[2]["smf115_header"]
    assert set(header["sm115dte"]) == {date(2024, 3, 1)}
    assert (rounds[0]["smf115_header"]["sm115dte"] == date(2024, 2, 29)).all()
    assert (header["sm115tme"] < 86_400_000_000).all()


def test_queues_keep_their_tasks(rounds: list[Tables]) -> None:
    for tables in rounds:
        starts = tables["smf116_wtas"]["wtasstrt"].dt.epoch("us").to_list()
        known = {((us + US_1900_TO_1970) << 12).to_bytes(8) for us in starts}
        assert {correl[:8] for correl in tables["smf116_wq"]["correl"]} <= known
