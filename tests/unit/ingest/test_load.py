"""Loads: once only, whole or not at all, with damaged parts set aside."""

from __future__ import annotations

import gzip
import hashlib
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import zstandard

from app.pipeline.places import ROOT
from ingest.lake.catalogue import raw_schemas
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from ingest.writer import Load
from tests.kit import framings, lakes
from tests.kit.cases import cases

SECTIONS = sorted(
    t for t in raw_schemas() if t.startswith("smf") and t not in {"smf_record", "smf_opaque"}
)


@pytest.fixture(scope="module")
def content(dumps: list[Path]) -> bytes:
    """Return an uncompressed dump with record descriptor words."""
    return framings.longest_plain(dumps)


def query(warehouse: Warehouse, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    with warehouse.connect() as db:
        return db.execute(sql, list(values)).fetchall()


def everything(warehouse: Warehouse) -> dict[str, list[tuple[Any, ...]]]:
    """Return the number of rows and a digest of every raw table."""
    with warehouse.connect() as db:
        return {
            table: db.execute(f"SELECT count(*), bit_xor(hash(t)) FROM raw.{table} AS t").fetchall()
            for table in lakes.tables_with_rows(warehouse)
        }


def write(folder: Path, content: bytes, name: str = "dump") -> Path:
    file = folder / name
    file.write_bytes(content)
    return file


# --- once

SAME: dict[str, Callable[[bytes], bytes]] = {
    "another name": bytes,
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
}


def test_the_same_content_is_loaded_once(
    content: bytes, warehouse: Warehouse, tmp_path: Path
) -> None:
    first = load_file(warehouse, write(tmp_path, content))
    before = everything(warehouse)
    for other, pack in SAME.items():
        second = load_file(warehouse, write(tmp_path, pack(content), other))
        assert (first.status, second.status) == ("loaded", "duplicate")
        assert first.source_id == second.source_id == hashlib.sha256(content).hexdigest()
    assert everything(warehouse) == before
    assert before["ledger"][0][0] == 1


def test_two_processes_load_the_same_file_once(
    content: bytes, warehouse: Warehouse, tmp_path: Path
) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from ingest.load import load_file; from ingest.lake.warehouse import Warehouse\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "print(load_file(Warehouse(Path(sys.argv[1])), Path(sys.argv[2])).status)"
    )
    file = write(tmp_path, content * 3)
    arguments = [sys.executable, "-c", script, str(warehouse.file), str(file)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    processes = [subprocess.Popen(arguments, **pipes) for _ in range(2)]  # type: ignore[call-overload]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    printed = sorted(process.communicate(timeout=60)[0].strip() for process in processes)
    assert printed == ["duplicate", "loaded"]
    records = 3 * len(framings.read_records(content))
    assert query(warehouse, "SELECT count(*) FROM raw.smf_record") == [(records,)]
    assert query(warehouse, "SELECT records FROM raw.ledger") == [(records,)]
    assert not list(warehouse.staging.iterdir())


# --- the ledger


@pytest.fixture(scope="module")
def loaded(
    dumps: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Warehouse, list[Load]]:
    """Return a warehouse with every dump loaded; tests must not change it."""
    warehouse = Warehouse(tmp_path_factory.mktemp("loaded") / "w.duckdb")
    warehouse.create()
    return warehouse, [load_file(warehouse, dump, "simulated") for dump in dumps]


def test_the_counts_of_the_ledger_add_up(loaded: tuple[Warehouse, list[Load]]) -> None:
    warehouse, loads = loaded
    rows = query(
        warehouse,
        "SELECT source_id, status, records, records_loaded, records_quarantined, origin "
        "FROM raw.ledger",
    )
    assert sorted(rows) == sorted(
        (x.source_id, "loaded", x.records, x.records, 0, "simulated") for x in loads
    )
    counted = query(
        warehouse, "SELECT source_id, sum(records)::INT FROM raw.ledger_count GROUP BY ALL"
    )
    held = query(warehouse, "SELECT source_id, count(*)::INT FROM raw.smf_record GROUP BY ALL")
    assert sorted(counted) == sorted(held) == sorted((x.source_id, x.records) for x in loads)


def test_the_ledger_counts_the_sections_of_each_subtype(
    loaded: tuple[Warehouse, list[Load]],
) -> None:
    warehouse, _ = loaded
    counted = query(
        warehouse,
        "SELECT source_id, record_type, record_subtype, sections FROM raw.ledger_count "
        "WHERE sections > 0",
    )
    # An AMS recipient is an entry of a section; a header is not a section.
    tables = [t for t in SECTIONS if not t.endswith(("_header", "_recipient"))]
    sections = " UNION ALL ".join(
        f"SELECT source_id, record_no FROM raw.{t}" for t in (*tables, "smf_opaque")
    )
    held = query(
        warehouse,
        f"SELECT source_id, record_type, record_subtype, count(*) FROM ({sections}) "
        "JOIN raw.smf_record USING (source_id, record_no) GROUP BY ALL",
    )
    assert sorted(held) == sorted(counted)


def test_every_row_has_a_record_and_record_numbers_have_no_gaps(
    loaded: tuple[Warehouse, list[Load]],
) -> None:
    warehouse, loads = loaded
    gaps = query(
        warehouse,
        "SELECT source_id FROM raw.smf_record GROUP BY source_id "
        "HAVING min(record_no) <> 1 OR max(record_no) <> count(DISTINCT record_no)",
    )
    assert gaps == []
    for load in loads:
        tables = lakes.read_tables(warehouse, load.source_id, without=set())
        numbers = set(tables["smf_record"]["record_no"])
        for table, frame in tables.items():
            assert numbers.issuperset(frame["record_no"]), table
            key = ["record_no"] + ["section_no"] * (table != "smf_record")
            assert not frame.select(key).is_duplicated().any(), table
            assert frame["record_no"].is_sorted(), table
        assert load.rows == sum(frame.height for frame in tables.values())


def test_a_large_file_is_identified_while_it_is_loaded(
    content: bytes, warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.load._LARGE", 0)
    first = load_file(warehouse, write(tmp_path, content))
    assert (first.status, first.source_id) == ("loaded", hashlib.sha256(content).hexdigest())
    before = everything(warehouse)
    for name, pack in SAME.items():  # with another size on disk it is read before it is recognised
        again = load_file(warehouse, write(tmp_path, pack(content), f"again, {name}"))
        assert (again.status, again.source_id) == ("duplicate", first.source_id)
    assert everything(warehouse) == before
    other = load_file(warehouse, write(tmp_path, content[:-1] + b"\xff", "of the same size"))
    assert other.status != "duplicate"
    assert other.source_id != first.source_id
    assert not any(warehouse.staging.iterdir())


def test_progress_reports_every_byte_once(
    content: bytes, warehouse: Warehouse, tmp_path: Path
) -> None:
    for _ in range(2):  # the second time it is a duplicate
        told: list[int] = []
        load_file(warehouse, write(tmp_path, content), progress=told.append)
        assert sum(told) == len(content)


# --- damage


class Damaged(NamedTuple):
    content: bytes
    lost: set[int]  # indexes of the records that can no longer be read
    entries: list[tuple[int, int, str]]  # quarantine: record number, offset, words in the reason


def offsets_of(records: list[bytes]) -> list[int]:
    """Return where each record begins in framings.framed(records)."""
    places = [0]
    for record in records:
        places.append(places[-1] + len(framings.framed([record])))
    return places


def without_last_byte(records: list[bytes]) -> Damaged:
    whole = framings.framed(records)
    last = len(records) - 1
    return Damaged(whole[:-1], {last}, [(last + 1, offsets_of(records)[last], "file ends 1 byte")])


def with_a_zeroed_descriptor(records: list[bytes]) -> Damaged:
    whole, at = bytearray(framings.framed(records)), offsets_of(records)[3]
    whole[at : at + 4] = bytes(4)
    return Damaged(bytes(whole), {3}, [(4, at, "no record descriptor")])


def with_a_zeroed_stretch(records: list[bytes]) -> Damaged:
    """Zero from the middle of a record to the middle of the second after it."""
    whole, at = bytearray(framings.framed(records)), offsets_of(records)
    begin, end = (at[3] + at[4]) // 2, (at[5] + at[6]) // 2
    whole[begin:end] = bytes(end - begin)
    return Damaged(bytes(whole), {3, 4, 5}, [(4, at[3], ""), (5, at[4], "")])


def with_foreign_bytes_between(records: list[bytes]) -> Damaged:
    at = offsets_of(records)[4]
    whole = framings.framed(records)
    return Damaged(whole[:at] + b"\xff" * 1000 + whole[at:], set(), [(5, at, "no record descr")])


def with_a_pointer_that_leads_outside(records: list[bytes]) -> Damaged:
    i = next(i for i, r in enumerate(records) if r[1] == 115)
    bad = bytearray(records[i])
    struct.pack_into(">I", bad, 24, 0x7FFFFFFF)
    changed = [*records[:i], bytes(bad), *records[i + 1 :]]
    return Damaged(
        framings.framed(changed),
        {i},
        [(i + 1, offsets_of(records)[i], "pointer 0 leads outside the record")],
    )


def with_a_wrong_eyecatcher(records: list[bytes]) -> Damaged:
    i = next(i for i, r in enumerate(records) if r[1] == 115 and b"\xd8\xd4\xe2\xe3" in r)
    bad = records[i].replace(b"\xd8\xd4\xe2\xe3", b"\xd8\xd4\xe2\xe9")
    changed = [*records[:i], bad, *records[i + 1 :]]
    return Damaged(
        framings.framed(changed), {i}, [(i + 1, offsets_of(records)[i], "QMST expected")]
    )


def without_a_last_segment(records: list[bytes]) -> Damaged:
    segments = list(framings.spanned([records[3]], len(records[3]) // 2 + 8))
    before, after = framings.framed(records[:3]), framings.framed(records[4:])
    return Damaged(
        before + b"".join(segments[:-1]) + after,
        {3},
        [(4, len(before), "before the last segment")],
    )


DAMAGES = [
    without_last_byte,
    with_a_zeroed_descriptor,
    with_a_zeroed_stretch,
    with_foreign_bytes_between,
    with_a_pointer_that_leads_outside,
    with_a_wrong_eyecatcher,
    without_a_last_segment,
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda f: f.__name__)
def test_damage_is_set_aside_and_the_other_records_are_loaded(
    damage: Callable[[list[bytes]], Damaged], content: bytes, warehouse: Warehouse, tmp_path: Path
) -> None:
    records = [r for r in framings.read_records(content) if r[1] in (115, 116)][:40]
    damaged = damage(records)
    file = write(tmp_path, damaged.content)
    load = load_file(warehouse, file)
    assert load.status == "partly"
    good = [r for i, r in enumerate(records) if i not in damaged.lost]
    whole = load_file(warehouse, write(tmp_path, framings.framed(good), "good records alone"))
    assert whole.status == "loaded"

    quarantine = query(
        warehouse,
        "SELECT record_no, file_offset, path, source_id, reason, content FROM raw.quarantine "
        "ORDER BY record_no",
    )
    assert len(quarantine) == len(damaged.entries)
    for entry, (number, offset, words) in zip(quarantine, damaged.entries, strict=True):
        assert entry[:4] == (number, offset, str(file), load.source_id)
        assert words in entry[4]
        assert entry[5] == damaged.content[offset : offset + len(entry[5])] or "segment" in entry[4]
    rejected = load.records - len(good)
    assert query(
        warehouse,
        "SELECT status, records, records_loaded, records_quarantined FROM raw.ledger "
        "WHERE source_id = ?",
        [load.source_id],
    ) == [("partly", len(good) + len(quarantine), len(good), len(quarantine))]
    assert 0 <= rejected <= len(damaged.lost)

    tables, expected = (
        lakes.read_tables(warehouse, x.source_id, without={"source_id", "record_no", "file_offset"})
        for x in (load, whole)
    )
    tables.pop("smf_record"), expected.pop("smf_record")  # it counts rejected records too
    assert not lakes.differences(tables, expected)


@cases
def test_a_file_without_records_is_quarantined(
    content: bytes, words: str, warehouse: Warehouse, tmp_path: Path
) -> None:
    file = write(tmp_path, content)
    load = load_file(warehouse, file)
    assert load.status == "quarantined"
    assert query(
        warehouse,
        "SELECT path, status, records, records_loaded, records_quarantined FROM raw.ledger",
    ) == [(str(file), "quarantined", 1, 0, 1)]
    ((path, number, offset, reason),) = query(
        warehouse, "SELECT path, record_no, file_offset, reason FROM raw.quarantine"
    )
    assert (path, number, offset) == (str(file), 1, 0)
    assert words in reason
    assert query(warehouse, "SELECT count(*) FROM raw.smf_record") == [(0,)]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_truncated_compressed_file_is_loaded_up_to_the_cut(
    pack: Callable[[bytes], bytes], content: bytes, warehouse: Warehouse, tmp_path: Path
) -> None:
    packed = pack(content)
    load = load_file(warehouse, write(tmp_path, packed[: len(packed) * 2 // 3]))
    assert load.status == "partly"
    assert 0 < load.records < len(framings.read_records(content))
    assert any("compressed stream is damaged" in reason for reason in load.reasons)


def test_an_unreadable_file_is_an_error_and_leaves_nothing(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(OSError, match=path.name):
            load_file(warehouse, path)
    assert query(warehouse, "SELECT count(*) FROM raw.ledger") == [(0,)]
    assert not list(warehouse.staging.iterdir())
