"""The version of the decoder, and files that are decoded once more."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.pipeline import steps
from app.pipeline.places import ROOT
from ingest import decoder
from ingest.formats.sources import open_source
from ingest.lake import catalogue
from ingest.lake.catalogue import LEDGER_SCHEMAS
from ingest.lake.warehouse import Warehouse
from tests.kit import lakes

IOPING = ROOT / "tests/kit/samples/bench/ioping.txt"


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    warehouse = Warehouse(tmp_path_factory.mktemp("warehouse") / "w.duckdb")
    steps.prepare(warehouse)
    return warehouse


@pytest.fixture
def files(dumps: list[Path], tmp_path: Path) -> list[Path]:
    """Copies of two dumps and a text, one with a name that is not UTF-8."""
    names = ("a.smf", os.fsdecode(b"b\xff.smf"), "c.txt")
    return [
        Path(shutil.copy(file, tmp_path / name))
        for file, name in zip((*dumps[:2], IOPING), names, strict=True)
    ]


@pytest.fixture
def warehouse(created: Warehouse, files: list[Path]) -> Warehouse:
    """A warehouse with the files loaded."""
    lakes.empty(created)
    steps.ingest_paths(created, files, "simulated")
    return created


@pytest.fixture
def no_layout_of_115(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A release that does not decode type 115."""
    known = {k: v for k, v in catalogue.smf_catalogue().items() if k[0] != 115}
    with monkeypatch.context() as earlier:
        for module in ("ingest.load", "ingest.parts", "ingest.decoder"):
            earlier.setattr(f"{module}.smf_catalogue", lambda _=180: known)
        decoder._layout_version.cache_clear()
        yield earlier
    decoder._layout_version.cache_clear()


def content(warehouse: Warehouse) -> dict[str, tuple[Any, ...]]:
    """Return the number of rows and a digest of every raw table, without the moment of loading."""
    with warehouse.connect() as db:
        return {
            table: db.execute(
                "SELECT count(*), bit_xor(hash(t)) FROM "
                f"(SELECT * EXCLUDE ({'loaded_at' if table == 'ledger' else 'source_id'}) "
                f"FROM raw.{table}) AS t"
            ).fetchone()
            for table in lakes.tables_with_rows(warehouse)
        }


def outdated(warehouse: Warehouse) -> list[str]:
    return [Path(load.path).name for load in steps.outdated(warehouse)]


def test_a_version_depends_on_the_layouts_of_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {types: decoder.smf_version([types], 180) for types in ((115, 1), (116, 0), (3, None))}
    assert len(set(before.values())) == 3
    layout = catalogue.smf_catalogue()[115, 1]
    for changed, same in (
        (replace(layout, pointers=layout.pointers[:-1]), False),
        (replace(layout, title="other words"), True),
    ):
        known = catalogue.smf_catalogue() | {(115, 1): changed}
        monkeypatch.setattr(decoder, "smf_catalogue", lambda _, known=known: known)
        decoder._layout_version.cache_clear()
        after = {types: decoder.smf_version([types], 180) for types in before}
        assert {types for types in before if after[types] != before[types]} == (
            set() if same else {(115, 1)}
        )
    decoder._layout_version.cache_clear()


def test_nothing_is_outdated_after_a_load(warehouse: Warehouse) -> None:
    assert outdated(warehouse) == []
    before = content(warehouse)
    loads = steps.reload(warehouse, steps.outdated(warehouse, everything=True))
    assert [load.status for load in loads] == ["loaded"] * 3
    assert content(warehouse) == before


@pytest.mark.parametrize("merged", [False, True])
def test_records_that_an_earlier_release_did_not_decode_are_decoded_once(
    merged: bool,
    created: Warehouse,
    files: list[Path],
    no_layout_of_115: pytest.MonkeyPatch,
) -> None:
    lakes.empty(created)
    loads = steps.ingest_paths(created, files, "simulated")
    if merged:
        created.store.compact(enough=1)
    assert outdated(created) == []
    no_layout_of_115.undo()
    decoder._layout_version.cache_clear()
    with created.connect() as db:
        of_115 = "SELECT count(*) FROM raw.smf115_qmst"
        assert db.execute(of_115).fetchall() == [(0,)]
        assert outdated(created) == ["a.smf", "b\\xff.smf"]
        again = steps.reload(created, steps.outdated(created))
        assert {load.source_id for load in again} == {load.source_id for load in loads[:2]}
        assert outdated(created) == []
        assert steps.reload(created, steps.outdated(created)) == []
        ((rows, sources),) = db.execute(
            "SELECT count(*), count(DISTINCT source_id) FROM raw.smf115_qmst"
        ).fetchall()
        assert rows > 0
        ledger = db.execute("SELECT source_id, origin FROM raw.ledger ORDER BY 1").fetchall()
    assert ledger == sorted((load.source_id, "simulated") for load in loads)
    assert sources <= 2
    before = content(created)
    lakes.empty(created)
    steps.ingest_paths(created, files, "simulated")
    assert content(created) == before


def test_a_file_that_is_gone_or_another_keeps_its_rows(
    warehouse: Warehouse, files: list[Path]
) -> None:
    before = content(warehouse)
    files[0].unlink()
    shutil.copy(IOPING, files[1])
    loads = steps.reload(warehouse, steps.outdated(warehouse, everything=True))
    assert [(load.status, *load.reasons[:1]) for load in loads] == [
        ("failed", "No such file or directory"),
        ("failed", "the file is not the one that was loaded"),
        ("loaded",),
    ]
    assert content(warehouse) == before


def test_loads_of_an_earlier_release_are_outdated(warehouse: Warehouse) -> None:
    """Its ledgers lack the columns that tell the decoder, and its loads are read with defaults."""
    import polars as pl

    for file in warehouse.raw.glob("*/ledger.0.parquet"):
        if file.parent.name != "_schema":
            frame = pl.read_parquet(file).drop("decoder", "code_page", "ams_type")
            frame.write_parquet(file)
            break
    assert len(outdated(warehouse)) == 1
    assert len(warehouse.loads()) == 3
    (load,) = steps.reload(warehouse, steps.outdated(warehouse))
    assert load.status == "loaded"
    assert outdated(warehouse) == []
    assert set(warehouse.store.ledger().collect_schema()) == set(LEDGER_SCHEMAS["ledger"])


def test_a_file_cut_by_a_limit_is_replaced_by_the_whole(
    created: Warehouse, dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lakes.empty(created)
    with open_source(dumps[0]) as opened:
        whole = opened.read()
    file = tmp_path / "a.smf.gz"
    file.write_bytes(gzip.compress(whole * (3 * (1 << 20) // len(whole) + 1)))
    monkeypatch.setenv("PERFHOUSE_LIMIT_UNPACKED_MB", "1")
    (cut,) = steps.ingest_paths(created, [file])
    monkeypatch.delenv("PERFHOUSE_LIMIT_UNPACKED_MB")
    (again,) = steps.reload(created, steps.outdated(created, everything=True))
    assert (cut.status, again.status) == ("partly", "loaded")
    with created.connect() as db:
        ledger = db.execute("SELECT source_id, records FROM raw.ledger").fetchall()
    assert ledger == [(again.source_id, again.records)]
    assert again.records > cut.records
