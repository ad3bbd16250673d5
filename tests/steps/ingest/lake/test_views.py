"""Views of chosen loads and records: exactly their rows, merged or not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ingest.lake.catalogue import raw_schemas
from ingest.lake.store import WHOLE
from ingest.lake.views import define, template
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file


class Loaded:
    """A warehouse with five loads, `ids` in the order of loading; none, some or all merged."""

    def __init__(self, folder: Path, dumps: list[Path], merged: str) -> None:
        self.warehouse = Warehouse(folder / "w.duckdb")
        self.warehouse.create()
        self.ids = []
        small = min((d for d in dumps if d.suffix == ".smf"), key=lambda d: d.stat().st_size)
        for i in range(5):
            file = folder / f"{i}.smf"
            file.write_bytes(small.read_bytes() * (1 + (i == 0)) + bytes(i))
            self.ids.append(load_file(self.warehouse, file).source_id)
            if (merged, i) in {("some", 2), ("all", 4)}:
                assert self.warehouse.store.compact(enough=2)
        files = self.warehouse.raw.glob("[!_]*/smf*.parquet")
        self.tables = [*sorted({file.name.split(".")[0] for file in files})[:4], "smf_record"]
        with self.warehouse.connect() as db:
            self.all_rows = {
                table: db.execute(
                    f"SELECT hash(t), source_id, record_no FROM raw.{table} AS t ORDER BY 1"
                ).fetchall()
                for table in (*self.tables, "rmf_cpu")
            }
            self.about_loads = {
                table: db.execute(f"SELECT hash(t) FROM raw.{table} AS t ORDER BY 1").fetchall()
                for table in ("ledger", "ledger_day", "quarantine")
            }

    def rows(self, table: str, only: dict[str, list[tuple[int, int]]]) -> list[tuple[int]]:
        """Return the rows of a table that belong to chosen records."""
        return [
            (row,)
            for row, source_id, record_no in self.all_rows[table]
            if any(first <= record_no <= last for first, last in only.get(source_id, []))
        ]


@pytest.fixture(scope="module")
def loaded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, dumps: list[Path]
) -> Loaded:
    """Some of the loads are merged, unless a test says otherwise."""
    merged = getattr(request, "param", "some")
    return Loaded(tmp_path_factory.mktemp("loads"), dumps, merged)


@pytest.fixture
def new(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty database."""
    with duckdb.connect(str(tmp_path / "new.duckdb")) as db:
        yield db


@pytest.fixture
def chosen(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with all views, as a working database begins."""
    file = template(make=True)
    assert file is not None
    shutil.copyfile(file, tmp_path / "chosen.duckdb")
    with duckdb.connect(str(tmp_path / "chosen.duckdb")) as db:
        yield db


#: Indexes of the loads and their ranges.
CHOICES: dict[str, dict[int, list[tuple[int, int]]]] = {
    "no load": {},
    "all loads": {i: [WHOLE] for i in range(5)},
    "records by number": {1: [(3, 9), (20, 22)], 2: [(1, 100_000)], 4: [(1, 1)]},
    "parts and a whole": {0: [(5, 30)], 1: [WHOLE], 2: [(7, 7)], 4: [WHOLE]},
    "none and no such records": {1: [], 2: [WHOLE], 3: [(1_000_000, 2_000_000)]},
}


@pytest.mark.parametrize(
    ("loaded", "choice"),
    [*(("some", choice) for choice in CHOICES), ("none", "parts and a whole"),
     ("all", "parts and a whole")],
    indirect=["loaded"],
)  # fmt: skip
def test_the_views_show_just_the_chosen_records(
    choice: str, loaded: Loaded, chosen: duckdb.DuckDBPyConnection
) -> None:
    only = {loaded.ids[i]: ranges for i, ranges in CHOICES[choice].items()}
    loaded.warehouse.refresh(chosen, only)
    seen = 0
    for table in (*loaded.tables, "rmf_cpu"):
        rows = chosen.execute(f"SELECT hash(t) FROM raw.{table} AS t ORDER BY ALL").fetchall()
        assert rows == loaded.rows(table, only), table
        seen += len(rows)
    assert (seen > 0) == (choice != "no load")
    for table in ("ledger", "ledger_day", "quarantine"):
        rows = chosen.execute(f"SELECT hash(t) FROM raw.{table} AS t ORDER BY ALL").fetchall()
        assert rows == loaded.about_loads[table], table


def test_every_table_of_a_new_database_can_be_queried_when_loads_are_chosen(
    loaded: Loaded, new: duckdb.DuckDBPyConnection
) -> None:
    only = {loaded.ids[0]: [WHOLE], loaded.ids[1]: [(1, 2)]}
    loaded.warehouse.refresh(new, only)
    for table in raw_schemas():
        new.execute(f"DESCRIBE raw.{table}")
    for table in loaded.tables:
        rows = new.execute(f"SELECT hash(t) FROM raw.{table} AS t ORDER BY ALL").fetchall()
        assert rows == loaded.rows(table, only), table


def test_the_views_of_a_working_database_can_show_all_rows_again(loaded: Loaded) -> None:
    warehouse = loaded.warehouse
    count = "SELECT count(DISTINCT source_id) FROM raw.smf_record"
    with warehouse.open_work() as db:
        described = db.execute("SELECT count(comment) FROM duckdb_columns()").fetchall()
        for only, loads in (({loaded.ids[0]: [WHOLE]}, 1), (None, 5), ({}, 0), (None, 5)):
            warehouse.refresh(db, only)
            assert db.execute(count).fetchall() == [(loads,)]
        assert db.execute("SELECT count(comment) FROM duckdb_columns()").fetchall() == described
        warehouse.refresh(db, {})
    with warehouse.open_work() as db:
        assert db.execute(count).fetchall() == [(5,)]


def test_views_that_are_up_to_date_are_left_alone(
    loaded: Loaded, chosen: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> list[str]:
        raise AssertionError("defined again")

    only = {loaded.ids[0]: [WHOLE], loaded.ids[1]: [(2, 3)]}
    for shown in (None, only):
        define(chosen, loaded.warehouse.lake, loaded.warehouse.store, shown)
        with monkeypatch.context() as patch:
            patch.setattr("ingest.lake.views._row_macros", refuse)
            define(chosen, loaded.warehouse.lake, loaded.warehouse.store, shown)
            with pytest.raises(AssertionError, match="defined again"):
                define(chosen, loaded.warehouse.lake, loaded.warehouse.store, {})
