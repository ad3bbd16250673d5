"""The warehouse's files: made once, described, always readable, replaced in one step."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from ingest.base.errors import WarehouseError
from ingest.formats.binary.section import sql_columns
from ingest.formats.layouts import LAYOUTS
from ingest.formats.sources import expand
from ingest.lake import views
from ingest.lake.catalogue import raw_schemas
from ingest.lake.warehouse import FORMAT, Warehouse
from ingest.load import load_file
from tests.kit import lakes


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A new warehouse, in a folder whose name has to be quoted, with a build of nothing."""
    warehouse = Warehouse(tmp_path_factory.mktemp("it's new") / "the warehouse.duckdb")
    with warehouse.open_work():
        pass
    warehouse.publish()
    return warehouse


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a?.duckdb", r"cannot contain \?, which DuckDB misreads"),
        ("a?/b.duckdb", r"cannot contain \?"),
        (r"a\b.duckdb", r"cannot contain \\"),
    ],
)
def test_a_name_that_duckdb_misreads_is_refused_before_anything_is_written(
    name: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(WarehouseError, match=reason):
        Warehouse(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["it's", 'a"b', "a[1]/b", "Marts", "system"])
def test_any_other_name_works(name: str, tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / f"{name}.duckdb")
    lakes.build_and_read(warehouse)


def test_loads_are_merged_and_forgotten_in_a_folder_that_looks_like_a_pattern(
    tmp_path: Path, dumps: list[Path]
) -> None:
    warehouse = Warehouse(tmp_path / "a[1]*/raw.duckdb")
    warehouse.create()
    loads = [load_file(warehouse, dump).source_id for dump in dumps[:2]]
    assert warehouse.store.compact(enough=2) == 2
    assert warehouse.forget(loads[0])
    with warehouse.connect() as db:
        assert db.execute("SELECT source_id FROM raw.ledger").fetchall() == [(loads[1],)]
        warehouse_rows = db.execute("SELECT count(*) > 0 FROM raw.smf_record").fetchall()
    assert warehouse_rows == [(True,)]


class TestNew:
    def test_every_table_can_be_queried_and_is_empty(self, empty: Warehouse) -> None:
        with empty.connect() as db:
            counts = {
                table: db.execute(f"SELECT count(*) FROM raw.{table}").fetchall()[0][0]
                for table in raw_schemas()
            }
        assert set(counts.values()) == {0}
        assert {"ledger", "quarantine", "smf_record", "smf115_qmst", "smf116_wtas"} <= set(counts)

    def test_columns_have_the_layout_s_names_and_types(self, empty: Warehouse) -> None:
        with empty.connect() as db:
            described = db.execute(
                "SELECT table_name, list(column_name), list(data_type) FROM (FROM duckdb_columns() "
                "WHERE schema_name = 'raw' ORDER BY column_index) GROUP BY 1"
            ).fetchall()
        columns = {table: dict(zip(names, kinds, strict=True)) for table, names, kinds in described}
        for layout in LAYOUTS:
            own = columns[layout.table]
            assert list(own)[:3] == ["source_id", "record_no", "section_no"], layout.table
            for name, _, kind in sql_columns(layout):
                assert own[name] == kind, (layout.table, name)

    def test_every_table_and_column_has_a_comment(self, empty: Warehouse) -> None:
        with empty.connect() as db:
            undescribed = db.execute(
                "SELECT view_name FROM duckdb_views() WHERE schema_name = 'raw' AND "
                "coalesce(comment, '') = '' UNION ALL "
                "SELECT table_name || '.' || column_name FROM duckdb_columns() "
                "WHERE schema_name = 'raw' AND coalesce(comment, '') = ''"
            ).fetchall()
        assert undescribed == []

    def test_the_note_of_a_field_is_the_comment_of_its_column(self, empty: Warehouse) -> None:
        with empty.connect() as db:
            comment = db.execute(
                "SELECT comment FROM duckdb_columns() "
                "WHERE table_name = 'smf115_qmst' AND column_name = 'qmstput1'"
            ).fetchall()
        assert comment == [("MQPUT1 calls [calls]",)]

    def test_codes_have_labels(self, empty: Warehouse) -> None:
        with empty.connect() as db:
            found = db.execute(
                "SELECT label FROM meta.code WHERE table_name = 'smf116_qcst' "
                "AND column_name = 'qcstchty' AND code = 7"
            ).fetchall()
            strange = db.execute(
                "SELECT c.table_name, c.column_name FROM meta.code AS c ANTI JOIN "
                "duckdb_columns() AS d ON d.schema_name = 'raw' "
                "AND d.table_name = c.table_name AND d.column_name = c.column_name"
            ).fetchall()
        assert found == [("Server connection",)]
        assert strange == []


def test_a_new_warehouse_can_be_queried_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dumps: list[Path]
) -> None:
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path / "home"))
    assert views.template(make=False) is None
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    load_file(warehouse, dumps[0])
    with warehouse.connect() as db:
        assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(1,)]
        (rows,) = db.execute("SELECT count(*) FROM raw.smf_record").fetchall()[0]
    assert rows > 0


def test_comments_do_not_need_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").write_text("not a folder")
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path / "home"))
    warehouse = Warehouse(tmp_path / "w.duckdb")
    with warehouse.open_work() as db:
        comments = db.execute(
            "SELECT count(comment) FROM duckdb_columns() WHERE schema_name = 'raw'"
        ).fetchall()
    assert comments[0][0] > 4000


def test_a_moved_lake_is_found_again(tmp_path: Path, dumps: list[Path]) -> None:
    warehouse = Warehouse(tmp_path / "old" / "w.duckdb")
    with warehouse.open_work():
        pass
    load_file(warehouse, dumps[0])
    (tmp_path / "old").rename(tmp_path / "new")
    with Warehouse(tmp_path / "new" / "w.duckdb").open_work() as db:
        assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(1,)]


@pytest.mark.parametrize("copied", [False, True])
def test_a_moved_or_copied_warehouse_reads_its_own_lake(
    copied: bool, tmp_path: Path, dumps: list[Path]
) -> None:
    there, here = Warehouse(tmp_path / "old/w.duckdb"), Warehouse(tmp_path / "new/w.duckdb")
    there.create()
    load_file(there, dumps[0])
    if copied:
        shutil.copytree(tmp_path / "old", tmp_path / "new", symlinks=True)
    else:
        (tmp_path / "old").rename(tmp_path / "new")
    load_file(here, dumps[1])
    if copied:
        shutil.rmtree(there.lake)
    for _ in range(2):
        with here.connect() as db:
            assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(2,)]
    assert not list(here.file.parent.glob(".*"))


def test_a_file_that_is_moved_without_its_lake_reads_on(tmp_path: Path, dumps: list[Path]) -> None:
    there = Warehouse(tmp_path / "w.duckdb")
    there.create()
    load_file(there, dumps[0])
    alone = Warehouse(tmp_path / "alone/w.duckdb")
    alone.file.parent.mkdir()
    shutil.copy(there.file, alone.file)
    with alone.connect() as db:
        assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(1,)]


def test_every_file_has_a_lake_of_its_own(tmp_path: Path, dumps: list[Path]) -> None:
    names = ("a", "a.duckdb", "a.db", "a.db.duckdb", "a.lake.duckdb")
    warehouses = [Warehouse(tmp_path / name) for name in names]
    for number, warehouse in enumerate(warehouses):
        warehouse.create()
        load_file(warehouse, dumps[number % 2])
    for warehouse in warehouses:
        assert len(warehouse.loads()) == 1
    lakes = {path.name for path in tmp_path.iterdir() if path.is_dir()}
    assert lakes == {"a_lake", "a.lake", "a.db_lake", "a.db.lake", "a.lake.lake"}
    assert expand([tmp_path], without={w.file for w in warehouses}).files == []


@pytest.mark.parametrize("name", ["a", "a.db"])
def test_the_lake_of_an_earlier_release_is_taken_over(
    name: str, tmp_path: Path, dumps: list[Path]
) -> None:
    """Its name left out every suffix of FILE."""
    warehouse = Warehouse(tmp_path / name)
    warehouse.create()
    load_file(warehouse, dumps[0])
    warehouse.lake.rename(tmp_path / "a.lake")
    with warehouse.connect() as db:
        assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(1,)]
    assert {p.name for p in tmp_path.iterdir()} == {name, f"{name}_lake"}


def test_a_warehouse_of_a_later_release_is_refused(empty: Warehouse, tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    assert (warehouse.lake / "format").read_text() == f"{FORMAT}\n"
    (warehouse.lake / "format").write_text(f"{FORMAT + 1}\n")
    for use in (warehouse.create, lambda: warehouse.connect().__enter__()):
        with pytest.raises(WarehouseError, match="a later release of perfhouse made it"):
            use()


def test_a_lock_that_a_stranger_holds_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    monkeypatch.setattr("ingest.base.waiting._SILENT", 0)
    monkeypatch.setattr("ingest.lake.generations._PATIENCE", 0.2)
    lock = warehouse.store.generations.lock
    refused = pytest.raises(
        WarehouseError, match=rf"raw.lock: waited 0\.2 seconds for process {os.getpid()}; end it"
    )
    with lock(exclusive=True), refused, lock():
        pass
    assert f"raw.lock: waiting for process {os.getpid()}" in caplog.text
    with lock(), lock():
        pass


def test_an_attached_warehouse_can_be_queried(tmp_path: Path, dumps: list[Path]) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    load_file(warehouse, dumps[0])
    with duckdb.connect() as db:
        db.execute(f"ATTACH '{warehouse.file}' AS other_name (READ_ONLY)")
        assert db.execute("SELECT count(*) FROM other_name.raw.ledger").fetchall() == [(1,)]


def test_creating_it_again_changes_nothing(empty: Warehouse) -> None:
    files = [p for p in empty.file.parent.rglob("*") if p.is_file()]
    before = {p: (p.stat().st_ino, p.stat().st_mtime_ns) for p in files}
    empty.create()
    after = {p: (p.stat().st_ino, p.stat().st_mtime_ns) for p in files}
    assert {p: t for p, t in after.items() if p.suffix != ".lock"} == {
        p: t for p, t in before.items() if p.suffix != ".lock"
    }
    assert set(files) == {p for p in empty.file.parent.rglob("*") if p.is_file()}


def test_a_missing_warehouse_is_a_clear_error(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "none.duckdb")
    with pytest.raises(WarehouseError, match="no warehouse here"), warehouse.connect():
        pass
    assert not list(tmp_path.iterdir())


def test_readers_cannot_write(empty: Warehouse) -> None:
    with empty.connect() as db, pytest.raises(duckdb.InvalidInputException):
        db.execute("CREATE TABLE t (x INTEGER)")


def test_an_open_reader_sees_new_loads(tmp_path: Path, dumps: list[Path]) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    with warehouse.connect() as db:
        for done, dump in enumerate(dumps):
            assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(done,)]
            load_file(warehouse, dump)
        counted = db.execute("SELECT count(DISTINCT source_id) FROM raw.smf_record").fetchall()
    assert counted == [(len(dumps),)]


def test_a_build_is_visible_only_after_publishing(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    with warehouse.open_work() as db:
        db.execute("CREATE SCHEMA marts; CREATE TABLE marts.m AS SELECT 1 AS x")
    with warehouse.connect() as reader:
        with pytest.raises(duckdb.CatalogException):
            reader.execute("FROM marts.m")
        warehouse.publish()
        with pytest.raises(duckdb.CatalogException):
            reader.execute("FROM marts.m")
    with warehouse.connect() as reader:
        assert reader.execute("FROM marts.m").fetchall() == [(1,)]
        assert reader.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(0,)]


def test_publishing_leaves_no_temporary_files(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    with warehouse.open_work():
        pass
    warehouse.publish()
    assert {p.name for p in tmp_path.iterdir()} == {"w.duckdb", "w.lake"}


def test_a_second_build_is_refused_while_one_is_running(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    other = (
        "import sys; from pathlib import Path\n"
        "from ingest.base.errors import WarehouseError\n"
        "from ingest.lake.warehouse import Warehouse\n"
        "try:\n    with Warehouse(Path(sys.argv[1])).open_work(): print('opened')\n"
        "except WarehouseError as error: print(error)"
    )
    with warehouse.open_work():
        done = subprocess.run(
            [sys.executable, "-c", other, str(warehouse.file)],
            capture_output=True,
            text=True,
            check=True,
        )
    assert "another process has it open" in done.stdout


def test_a_table_of_an_older_release_gets_its_new_columns(tmp_path: Path) -> None:
    """The empty files are written again if another version of perfhouse wrote them."""
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    pinned = warehouse.raw / "_schema" / "smf115_qmst.0.parquet"
    duckdb.sql(
        f"COPY (SELECT source_id, record_no FROM '{pinned}') TO '{tmp_path / 'old.parquet'}'"
    )
    (tmp_path / "old.parquet").replace(pinned)
    (pinned.parent / "version").write_text("older")
    warehouse.create()
    with warehouse.connect() as db:
        assert db.execute("SELECT sum(qmstput) FROM raw.smf115_qmst").fetchall() == [(None,)]
