"""Warehouses: made by many processes at once, under any name, and with few of their loads."""

from __future__ import annotations

import multiprocessing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from ingest.lake.warehouse import Warehouse
from tests.kit import lakes


def test_processes_may_make_one_warehouse_at_once(tmp_path: Path) -> None:
    """Each writes the same files, and none may meet another's drafts."""
    server = multiprocessing.get_context("forkserver")
    for turn in range(3):
        together = server.Barrier(6)
        made = Warehouse(tmp_path / f"{turn}.duckdb")
        processes = [server.Process(target=_create, args=(made, together)) for _ in range(6)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        assert [process.exitcode for process in processes] == [0] * 6
        with made.connect() as db:
            assert db.execute("SELECT count(*) FROM raw.ledger").fetchone() == (0,)


def _create(warehouse: Warehouse, together: Barrier) -> None:
    together.wait()
    Warehouse(warehouse.file).create()


@pytest.mark.parametrize(
    "name",
    [
        *("a b", "a.b", "-x", "{a}", "a%20b;", "raws", "x.raw", "\u00e4"),
        *("a[1]", "[!b]", "a*", "[[]", "a]"),
        *("raw", "meta.2026", "raw_files", "staging", "intermediate", "main", "temp"),
        *("information_schema", "pg_catalog"),
    ],
)
def test_a_warehouse_of_any_name_is_built_and_read(name: str, tmp_path: Path) -> None:
    """Some more names are in the tests of steps."""
    lakes.build_and_read(Warehouse(tmp_path / f"{name}.duckdb"))
