"""The framing and the compression of a dump make no difference to what is loaded."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from ingest.lake.warehouse import Warehouse
from tests.kit import framings, lakes

OF_THE_FILE = {"source_id", "file_offset"}  # what may differ

FRAMINGS: dict[str, Callable[[list[bytes]], bytes]] = {
    "rdw, whole": framings.framed,
    "rdw, spanned": lambda records: framings.framed(records, longest=1000),
    "bdw": lambda records: framings.blocked(records, 32760),
    "bdw, spanned": lambda records: framings.blocked(records, 4096),
    "bdw, extended": lambda records: framings.blocked(records, 262144, extended=True),
    "none": framings.bare,
}
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
    "gzip, two members": lambda dump: gzip.compress(dump[:5000]) + gzip.compress(dump[5000:]),
    "zstd, two frames": lambda dump: (
        zstandard.compress(dump[:5000]) + zstandard.compress(dump[5000:])
    ),
}
DUMPS = ("TEST115", "TEST116", "TESTCHL")


@pytest.fixture(scope="module")
def plain(samples: Path, created: Warehouse) -> dict[str, tuple[bytes, lakes.Tables]]:
    """Return the bytes and the tables of each dump."""
    files = {dump: samples / "mq-smf" / f"{dump}.dat" for dump in DUMPS}
    loaded = {dump: (file.read_bytes(), load(created, file)) for dump, file in files.items()}
    lakes.empty(created)
    return loaded


def load(warehouse: Warehouse, file: Path) -> lakes.Tables:
    source_id = lakes.load_whole(warehouse, file).source_id
    return lakes.read_tables(warehouse, source_id, without=OF_THE_FILE)


def test_every_framing_gives_the_same_tables(
    plain: dict[str, tuple[bytes, lakes.Tables]], tmp_path: Path, warehouse: Warehouse
) -> None:
    file, differing = tmp_path / "dump", {}
    for dump, (content, expected) in plain.items():
        records = framings.read_records(content)
        assert expected["smf_record"].height == len(records)
        for framing, frame in FRAMINGS.items():
            variant = frame(records)
            if variant != content:
                file.write_bytes(variant)
                found = lakes.differences(load(warehouse, file), expected)
                differing |= {(dump, framing, table): columns for table, columns in found.items()}
    assert not differing


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_every_compression_gives_the_same_tables(
    compression: str,
    plain: dict[str, tuple[bytes, lakes.Tables]],
    tmp_path: Path,
    warehouse: Warehouse,
) -> None:
    for content, expected in plain.values():
        file = tmp_path / "dump"
        file.write_bytes(COMPRESSIONS[compression](content))
        assert not lakes.differences(load(warehouse, file), expected)
