"""The framing and the compression of a dump make no difference to what is loaded."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

from ingest.load import load_file
from ingest.warehouse import Warehouse
from tests.ingest import framings

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


Tables = dict[str, pl.DataFrame]
NewWarehouse = Callable[[], Warehouse]


@pytest.fixture(scope="module")
def new_warehouse(tmp_path_factory: pytest.TempPathFactory) -> NewWarehouse:
    def make() -> Warehouse:
        warehouse = Warehouse(tmp_path_factory.mktemp("framings") / "warehouse.duckdb")
        warehouse.create()
        return warehouse

    return make


@pytest.fixture(scope="module")
def plain(samples: Path, new_warehouse: NewWarehouse) -> dict[str, tuple[bytes, Tables]]:
    """Each dump as it is: its bytes and its tables."""
    warehouse, loaded = new_warehouse(), {}
    for dump in DUMPS:
        file = samples / "mq-smf" / f"{dump}.dat"
        loaded[dump] = (file.read_bytes(), load_tables(warehouse, file))
    return loaded


def load_tables(warehouse: Warehouse, file: Path) -> Tables:
    """Load a file and return what came into raw.smf*, by table."""
    load = load_file(warehouse, file)
    assert load.status == "loaded", load.reasons
    folder = warehouse.raw / load.source_id
    names = sorted({p.name.split(".")[0] for p in folder.glob("smf*.parquet")})
    return {
        name: pl.concat(map(pl.read_parquet, sorted(folder.glob(f"{name}.*.parquet")))).drop(
            OF_THE_FILE, strict=False
        )
        for name in names
    }


def differences(ours: Tables, others: Tables) -> dict[str, list[str]]:
    """Table -> columns that differ."""
    found = {name: ["*"] for name in ours.keys() ^ others.keys()}
    for name in ours.keys() & others.keys():
        a, b = ours[name], others[name]
        differing = [c for c in a.columns if c not in b or not a[c].equals(b[c])]
        if differing or a.shape != b.shape:
            found[name] = differing
    return found


def test_every_framing_gives_the_same_tables(
    plain: dict[str, tuple[bytes, Tables]], tmp_path: Path, new_warehouse: NewWarehouse
) -> None:
    warehouse, file, differing = new_warehouse(), tmp_path / "dump", {}
    for dump, (content, expected) in plain.items():
        records = framings.read_records(content)
        assert expected["smf_record"].height == len(records)
        for framing, frame in FRAMINGS.items():
            variant = frame(records)
            if variant != content:
                file.write_bytes(variant)
                found = differences(load_tables(warehouse, file), expected)
                differing |= {(dump, framing, table): columns for table, columns in found.items()}
    assert not differing


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_every_compression_gives_the_same_tables(
    compression: str,
    plain: dict[str, tuple[bytes, Tables]],
    tmp_path: Path,
    new_warehouse: NewWarehouse,
) -> None:
    warehouse, file = new_warehouse(), tmp_path / "dump"
    for content, expected in plain.values():
        file.write_bytes(COMPRESSIONS[compression](content))
        assert not differences(load_tables(warehouse, file), expected)
