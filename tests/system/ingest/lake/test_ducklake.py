"""Loads in DuckLake, with a catalog in SQLite: whole or not at all, and never twice."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import time
from pathlib import Path

import duckdb
import pytest

import ingest.load
from app.pipeline.steps import ingest_paths
from ingest import loading
from ingest.base.errors import WarehouseError
from ingest.lake import ducklake
from ingest.lake.locked import LockedError
from ingest.lake.profile import read_profile
from ingest.lake.queries import Query
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.kit import framings
from tests.kit.processes import other_process

PROFILE = 'catalog = "sqlite:catalog.sqlite"\ndata = "data"\n'
_processes = multiprocessing.get_context("spawn")


@pytest.fixture(scope="module")
def created(tmp_path_factory):
    """A folder with a new warehouse in DuckLake, to copy: its tables take seconds to create."""
    folder = tmp_path_factory.mktemp("created")
    (folder / "w.toml").write_text(PROFILE)
    Warehouse(folder / "w.duckdb").create()
    return folder


@pytest.fixture
def lake(created, tmp_path):
    """A new warehouse in DuckLake."""
    shutil.copytree(created, tmp_path, symlinks=True, dirs_exist_ok=True)
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.point_views_at_own_lake()
    return warehouse


@pytest.fixture
def dump(tmp_path, dumps):
    """A few records of several types."""
    smallest = min((d for d in dumps if d.suffix == ".smf"), key=lambda d: d.stat().st_size)
    records = framings.read_records(smallest.read_bytes())
    file = tmp_path / "some.smf"
    file.write_bytes(framings.framed(records[:4]))
    return file


TABLES = ("smf_record", "smf115_qjst", "smf116_qwhs", "quarantine", "ledger_count", "ledger_day")


def rows(warehouse):
    """Return the number of rows and a digest of some raw tables."""
    with warehouse.connect() as db:
        asked = " UNION ALL ".join(
            f"SELECT '{table}', count(*), sum(hash(t)::HUGEINT) FROM raw.{table} AS t"
            for table in TABLES
        )
        return {row for row in db.execute(asked).fetchall() if row[1]}


def load(file, dump, done):
    done.put(load_file(Warehouse(file), dump, "simulated").status)


def test_rows_are_those_of_folders(lake, dump, tmp_path):
    embedded = Warehouse(tmp_path / "embedded" / "w.duckdb")
    embedded.create()
    for warehouse in (embedded, lake):
        assert load_file(warehouse, dump, "simulated").status == "loaded"
        assert load_file(warehouse, dump, "simulated").status == "duplicate"
    assert rows(embedded)
    assert rows(lake) == rows(embedded)
    (source_id,) = lake.loads()
    assert lake.forget(source_id)
    assert not lake.forget(source_id)
    assert rows(lake) == set()
    assert lake.loads() == {}


def test_files_loaded_together_have_the_rows_of_folders(lake, dump, dumps, tmp_path, monkeypatch):
    """Two small ones, a large one that is also damaged, and one that nothing reads."""
    monkeypatch.setattr(ingest.load, "SMALL", 50_000)
    monkeypatch.setattr(loading, "SMALL", 50_000)
    records = framings.read_records(dump.read_bytes())
    damaged = framings.framed(records * (60_000 // dump.stat().st_size + 1))
    (tmp_path / "large.smf").write_bytes(damaged[:900] + damaged[905:])
    (tmp_path / "large too.smf").write_bytes(framings.framed(records[::-1] * 200))
    (tmp_path / "two.smf").write_bytes(framings.framed(records[:2]))
    (tmp_path / "notes.txt").write_text("nothing that is known\n")
    files = [dump, *(tmp_path / name for name in ("large.smf", "large too.smf", "two.smf"))]
    folders = Warehouse(tmp_path / "folders.duckdb")
    for warehouse in (lake, folders):
        ingest_paths(warehouse, [*files, tmp_path / "notes.txt"], jobs=1)
    assert rows(lake) == rows(folders)
    with lake.connect() as db:
        written = db.execute(
            "SELECT count(DISTINCT file.begin_snapshot), count(*) "
            "FROM __ducklake_metadata_lake_raw.ducklake_data_file AS file JOIN "
            "__ducklake_metadata_lake_raw.ducklake_table USING (table_id) "
            "WHERE table_name = 'smf_record'"
        ).fetchall()
        assert written == [(2, 2)]  # transactions and files: small ones, and large ones
        assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(5,)]
    loads = ingest_paths(lake, files)
    assert {load.status for load in loads} == {"duplicate"}


def test_a_lake_can_be_moved_and_named_by_any_path(lake, dump, tmp_path):
    load_file(lake, dump)
    before = rows(lake)
    (tmp_path / "other").mkdir()
    for there in ("w.toml", "w.duckdb", "w.lake", "data", *(one.name for one in lake.store.own)):
        if (tmp_path / there).exists():
            (tmp_path / there).rename(tmp_path / "other" / there)
    ducklake._connection.cache_clear()
    moved = Warehouse(tmp_path / "other" / ".." / "other" / "w.duckdb")
    assert rows(moved) == before
    assert load_file(moved, dump).status == "duplicate"
    assert moved.forget(*moved.loads())
    assert load_file(moved, dump).status == "loaded"
    assert rows(moved) == before


def test_a_build_begins_with_the_tables_of_an_empty_one(lake, tmp_path):
    """But for those that it will make. The working database shows them only at its end."""
    kept = tmp_path / "kept.duckdb"
    with lake.open_work():
        pass
    shutil.copyfile(lake.work, kept)
    with duckdb.connect(str(kept)) as db:
        db.execute("CREATE SCHEMA marts")
        db.execute("CREATE TABLE staging.unit AS SELECT 'ms' AS name, 1e-3 AS factor")
        db.execute("""
            CREATE TABLE marts.run (
                run_id VARCHAR NOT NULL, began TIMESTAMP NOT NULL, day DATE NOT NULL, runs BIGINT,
                systems VARCHAR[] NOT NULL, is_whole BOOLEAN NOT NULL, seconds DOUBLE NOT NULL
            )
        """)
        db.execute("CREATE TABLE marts.made (run_id VARCHAR)")
        described = """
            SELECT column_name, data_type, is_nullable FROM duckdb_columns()
            WHERE database_name = $1 AND schema_name = 'marts' AND table_name = 'run'
        """
        columns = db.execute(described, ["kept"]).fetchall()
    lake.begin_work(kept)
    with lake.open_work() as db:
        lake.store.begin_build(db, kept, ["marts.made"])
        assert db.execute("FROM lake_marts.staging.unit").fetchall() == [("ms", 0.001)]
        assert db.execute("FROM lake_marts.marts.run").fetchall() == []
        assert db.execute(described, ["lake_marts"]).fetchall() == columns
        counted = "SELECT count(*) FROM __ducklake_metadata_lake_marts.ducklake_table_stats"
        assert db.execute(counted).fetchall() == [(2,)]  # without any, queries take long to plan
        tables = (
            "SELECT table_name FROM duckdb_tables() WHERE table_name IN ('unit', 'run', 'made')"
        )
        in_work = f"{tables} AND database_name = current_database()"
        assert db.execute(in_work).fetchall() == []
        in_lake = f"{tables} AND database_name = 'lake_marts' ORDER BY ALL"
        assert db.execute(in_lake).fetchall() == [("run",), ("unit",)]


def test_two_processes_load_a_file_once(lake, dump):
    done = _processes.Queue()
    loads = [_processes.Process(target=load, args=(lake.file, dump, done)) for _ in range(3)]
    for process in loads:
        process.start()
    assert sorted(done.get(timeout=120) for _ in loads) == ["duplicate", "duplicate", "loaded"]
    for process in loads:
        process.join()
    assert len(lake.loads()) == 1


def test_loads_commit_in_turn_but_wait_for_no_process_that_hangs(lake, dump, monkeypatch):
    waits, locked = [], ducklake.locked

    def noted(file, **how):
        waits.append(file.name)
        return locked(file, **how)

    monkeypatch.setattr(ducklake, "locked", noted)
    assert load_file(lake, dump, "simulated").status == "loaded"
    assert waits == ["commit.lock"]
    monkeypatch.setattr(ducklake, "_TURN", 0.1)
    with other_process(lake.lake / "commit.lock"):
        assert lake.forget(*lake.loads())
    assert waits == ["commit.lock"] * 2
    assert lake.loads() == {}


@pytest.mark.parametrize("after", [0.0, 0.2, 0.5])
def test_a_killed_load_leaves_nothing_and_is_loaded_later(lake, dump, after):
    done = _processes.Queue()
    process = _processes.Process(target=load, args=(lake.file, dump, done))
    process.start()
    while not any(lake.staging.iterdir()) and process.is_alive():
        time.sleep(0.01)
    time.sleep(after)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert load_file(lake, dump, "simulated").status in {"loaded", "duplicate"}
    assert len(lake.loads()) == 1
    found = rows(lake)
    assert lake.forget(*lake.loads())
    assert load_file(lake, dump, "simulated").status == "loaded"
    assert rows(lake) == found


def test_a_commit_that_was_not_confirmed_is_no_duplicate(lake, dump, monkeypatch):
    """The connection is lost after the commit: the load is found, and known as its own."""
    lost = []

    class Losing:
        def __init__(self, cursor):
            self.cursor = cursor

        def execute(self, sql, *parameters):
            result = self.cursor.execute(sql, *parameters)
            if sql == "COMMIT" and not lost and self.is_load:
                lost.append(sql)
                raise duckdb.IOException("the connection is lost")
            self.is_load = self.is_load or "INSERT INTO lake_raw.raw.ledger " in sql
            return result

        is_load = False

        def __getattr__(self, name):
            return getattr(self.cursor, name)

    connected = ducklake._connection

    class Connection:
        def __init__(self, db):
            self.db = db

        def cursor(self):
            return Losing(self.db.cursor())

    def losing(*key):
        return Connection(connected(*key))

    losing.cache_clear = connected.cache_clear
    monkeypatch.setattr(ducklake, "_connection", losing)
    assert load_file(lake, dump, "simulated").status == "loaded"
    assert lost
    assert len(lake.loads()) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "catalog has to be"),
        ('catalog = "mysql:x"\ndata = "d"', "catalog has to be"),
        ('catalog = "sqlite:"\ndata = "d"', "catalog has to be"),
        ('catalog = "sqlite:c"', "data has to be"),
        ('catalog = "sqlite:c"\ndata = "d"\nport = 1', "unknown: port"),
        ('catalog = "sqlite:c"\ndata = "s3://b"\n[s3]\nsecret = "x"', "unknown: s3.secret"),
        ('catalog = "sqlite:c"\ndata = "s3://b"\n[s3]\ntls = "no"', "s3.tls is 'no', not a bool"),
        ("catalog", "Expected '='"),
    ],
)
def test_a_wrong_profile_is_named(tmp_path: Path, text, fault):
    profile = tmp_path / "w.toml"
    profile.write_text(text)
    with pytest.raises(WarehouseError, match=f"w.toml: .*{fault}"):
        read_profile(profile)


def test_a_profile_names_its_warehouse(tmp_path: Path):
    (tmp_path / "w.toml").write_text(PROFILE)
    assert Warehouse(tmp_path / "w.toml").file == tmp_path / "w.duckdb"
    assert read_profile(tmp_path / "w.toml").catalog == f"sqlite:{tmp_path / 'catalog.sqlite'}"
    assert read_profile(tmp_path / "w.toml").data == f"{tmp_path / 'data'}/"


def test_a_manifest_beside_a_warehouse_is_no_profile(tmp_path: Path):
    (tmp_path / "w.toml").write_text('perfhouse_manifest = 1\ncampaign = "c"\n')
    assert Warehouse(tmp_path / "w.duckdb").store.profile is None


def test_files_of_a_warehouse_are_not_loaded(lake):
    assert ingest_paths(lake, [lake.file.parent]) == []


@pytest.mark.parametrize(
    "query",
    [
        "FROM postgres_query('__ducklake_metadata_lake_raw', 'select 1')",
        "FROM postgres_scan('host=127.0.0.1', 'public', 't')",
        "FROM sqlite_scan('other.sqlite', 't')",
        "FROM ducklake_cleanup_old_files('lake_raw', cleanup_all => true)",
        "SELECT * FROM \"ducklake_delete_orphaned_files\"('lake_raw', cleanup_all => true)",
    ],
)
def test_a_query_does_not_reach_the_catalog_or_other_databases(lake, query):
    # A function is refused, or unknown if its extension is not loaded.
    with (
        Query(lake.file) as asked,
        pytest.raises(
            (LockedError, duckdb.CatalogException), match=r"reaches more|not in the catalog"
        ),
    ):
        asked.rows(query, 1, 1)


def test_a_query_reads_the_tables_of_a_lake(lake):
    with Query(lake.file) as asked:
        table, _ = asked.rows("SELECT count(*) FROM raw.ledger", 1, 1000)
    assert table.to_pydict() == {"count_star()": [0]}
