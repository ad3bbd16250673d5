"""raw.ledger_day: which days a load's records belong to."""

from __future__ import annotations

import struct
from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from app.pipeline.places import ROOT
from ingest import days as days_module
from ingest.days import DayRange, DayRanges, smf_days, text_days
from ingest.formats.binary.framing import Framing, read_batches
from ingest.formats.binary.records import decode_batch
from ingest.lake.catalogue import smf_catalogue
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.kit import framings
from tests.kit.cases import cases

D1, D2, D3 = b"\x01\x21\x06\x0f", b"\x01\x21\x06\x1f", b"\x01\x21\x06\x2f"  # 2021-03-01 and on
DAY = {D1: date(2021, 3, 1), D2: date(2021, 3, 2), D3: date(2021, 3, 3)}
LEAP, NEXT = b"\x01\x20\x36\x6f", b"\x01\x21\x00\x1f"  # days 366 of 2020 and 1 of 2021
DAY |= {LEAP: date(2020, 12, 31), NEXT: date(2021, 1, 1)}
BAD = b"\x01\x21\x99\x9f"  # day 999


def record(day: bytes, kind: int = 7, body: bytes = bytes(8)) -> bytes:
    """One SMF record without its descriptor word, taken at ten in the morning."""
    return bytes([0x1E, kind]) + struct.pack(">I", 3_600_000) + day + b"\xe2\xe8\xe2\xf1" + body


def smf(*days: bytes) -> bytes:
    return framings.framed([record(day) for day in days])


def ranges(warehouse: Warehouse) -> list[tuple[date | None, date | None, int, int]]:
    """All rows of raw.ledger_day, without the load."""
    with warehouse.connect() as db:
        return db.execute(
            "SELECT first_day, last_day, first_record_no, last_record_no FROM raw.ledger_day "
            "ORDER BY source_id, first_record_no"
        ).fetchall()


def load(warehouse: Warehouse, folder: Path, content: bytes, name: str = "file") -> str:
    file = folder / name
    file.write_bytes(content)
    return load_file(warehouse, file).source_id


@cases
def test_each_smf_record_belongs_to_the_day_of_its_header(
    content: bytes, expected: list[tuple[bytes, int, int]], warehouse: Warehouse, tmp_path: Path
) -> None:
    """A range is its day, its first and its last record."""
    load(warehouse, tmp_path, content)
    assert ranges(warehouse) == [(DAY[day], DAY[day], *span) for day, *span in expected]


def test_a_range_continues_in_the_next_batch(tmp_path: Path) -> None:
    content = tmp_path / "dump"
    days_in_file = [*[D1] * 50, *[D2] * 50, *[D1] * 20]
    content.write_bytes(framings.framed([record(day, body=bytes(30_000)) for day in days_in_file]))
    found, batches = DayRanges(), 0
    with content.open("rb", buffering=0) as stream:
        for batch in read_batches(stream, Framing.RDW, 1, smf_catalogue()):
            time = decode_batch(batch, smf_catalogue()).tables["smf_record"]["smf_time"]
            record_no, days = smf_days(batch, time)
            found.add(record_no, days, days)
            batches += 1
    assert batches > 3
    one = (date(2021, 3, 1) - date(1970, 1, 1)).days
    assert found.ranges(120) == [
        DayRange(one, one, 1, 50),
        DayRange(one + 1, one + 1, 51, 100),
        DayRange(one, one, 101, 120),
    ]


@pytest.mark.parametrize("batch", [1, 7, 10_000])
@pytest.mark.parametrize("records", [1000, 1001, 5000])
def test_a_shuffled_file_becomes_one_range(records: int, batch: int) -> None:
    found = DayRanges()
    numbers = np.arange(1, records + 1)
    days = 100 + (numbers * 7919) % 365
    for at in range(0, records, batch):
        part = slice(at, at + batch)
        found.add(numbers[part], days[part], days[part])
    rows = found.ranges(records)
    if records <= days_module.MOST:
        assert [row.first_record_no for row in rows] == numbers.tolist()
    else:
        assert rows == [DayRange(int(days.min()), int(days.max()), 1, records)]


MANIFEST = b"""\
perfhouse_manifest = 1
campaign = "c"
time_zone = "UTC"
[[run]]
start = 2021-03-01T10:00:00
stop = 2021-03-01T10:02:00
[[run]]
start = 2021-03-01T23:59:00
stop = 2021-03-02T00:01:00
[[run]]
start = 2021-03-03T00:00:00
stop = 2021-03-03T00:01:00
"""


@cases
def test_each_record_of_a_text_belongs_to_the_days_of_its_times(
    content: bytes,
    expected: list[tuple[bytes | None, bytes | None, int, int]],
    warehouse: Warehouse,
    tmp_path: Path,
) -> None:
    """A range is its first and last day, and its first and last record."""
    load(warehouse, tmp_path, content)
    assert ranges(warehouse) == [
        (DAY.get(first), DAY.get(last), *span)  # type: ignore[arg-type]
        for first, last, *span in expected
    ]


def test_an_output_without_times_is_one_range_without_days(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    sample = ROOT / "tests/kit/samples/bench/docker_df.txt"
    load(warehouse, tmp_path, sample.read_bytes())
    ((first, last, begin, end),) = ranges(warehouse)
    assert (first, last, begin) == (None, None, 1)
    with warehouse.connect() as db:
        assert db.execute("SELECT max(record_no) FROM raw.bench_docker_df").fetchone() == (end,)


def test_the_times_of_all_tables_and_columns_count() -> None:
    def at(day: int) -> datetime:
        return datetime(2021, 3, day, 12)

    tables = {
        "a": pl.DataFrame({"record_no": [1, 1, 2], "time_utc": [at(3), at(2), None]}),
        "b": pl.DataFrame({"record_no": [1, 3], "start_utc": [at(4), at(5)],
                           "stop_utc": [at(5), None], "policy_activated_local": [at(1), at(1)]}),
        "c": pl.DataFrame({"record_no": [4], "value": [1.0]}),
    }  # fmt: skip
    record_no, first, last = text_days(tables)
    march = (date(2021, 2, 28) - date(1970, 1, 1)).days
    assert record_no.tolist() == [1, 3]
    assert (first - march).tolist() == [2, 5]
    assert (last - march).tolist() == [5, 5]


def test_every_load_has_ranges_that_cover_its_records(
    warehouse: Warehouse, dumps: list[Path]
) -> None:
    for dump in dumps:
        load_file(warehouse, dump)
    with warehouse.connect() as db:
        wrong = db.execute(
            "WITH record AS (SELECT source_id, record_no, smf_time::DATE AS day "
            "FROM raw.smf_record) "
            "SELECT source_id, record_no, count(first_day) FROM record LEFT JOIN raw.ledger_day "
            "USING (source_id) WHERE record_no BETWEEN first_record_no AND last_record_no "
            "AND day BETWEEN first_day AND last_day GROUP BY ALL HAVING count(first_day) <> 1"
        ).fetchall()
        loads = db.execute("SELECT count(DISTINCT source_id) FROM raw.ledger_day").fetchone()
        covered = db.execute(
            "SELECT source_id, sum(last_record_no - first_record_no + 1) FROM raw.ledger_day "
            "GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        records = db.execute(
            "SELECT source_id, max(record_no) FROM raw.smf_record GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    assert wrong == []
    assert loads == (len(dumps),)
    assert covered == records


def test_ranges_are_merged_and_forgotten_with_their_load(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    loads = [load(warehouse, tmp_path, smf(*days)) for days in ((D1,), (D1, D2), (D2, D2, D3))]
    before = ranges(warehouse)
    assert warehouse.store.compact(enough=2) == 3
    assert ranges(warehouse) == before
    assert warehouse.forget(loads[1])
    assert sorted(ranges(warehouse)) == [
        (DAY[D1], DAY[D1], 1, 1), (DAY[D2], DAY[D2], 1, 2), (DAY[D3], DAY[D3], 3, 3)
    ]  # fmt: skip
