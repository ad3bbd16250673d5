"""A warehouse in DuckLake shows what an embedded one shows, step by step.

Both are built in the least memory that a build may have, with a team's own models.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest

from app.pipeline import build, dbt, empty, steps
from app.pipeline.places import ROOT
from app.pipeline.retention import POLICY, retain
from app.results.queries import catalogue, lineage
from app.results.reader import Reader, UnreadableWarehouseError
from ingest.lake.memory import SETTING
from ingest.lake.warehouse import Warehouse
from tests.kit.broken import misnumber
from tests.kit.days import write_day
from tests.kit.lives import OLD, hours
from tests.kit.tables import TIMES_OF_LOADS, different_tables
from tests.kit.warehouses import PROFILE, copied

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Warehouse, Warehouse]:
    """An embedded warehouse and one in DuckLake of the same files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PERFHOUSE_DBT", str(ROOT / "docs/team"))
        patch.setenv(SETTING, "1.5GB")
        return made(tmp_path_factory.mktemp("both"))


def made(folder: Path) -> tuple[Warehouse, Warehouse]:
    """Build an embedded warehouse and one in DuckLake; then again what changed, and publish."""
    for name in ("embedded", "lake"):
        (folder / name).mkdir()
    (folder / "lake/w.toml").write_text(PROFILE)
    days = (write_day(folder / "files", day) for day in (0, 10, 20, 30))
    first, *others = [[day / "manifest.json", day / "smf/MVS1.smf"] for day in days]
    warehouses = Warehouse(folder / "embedded/w.duckdb"), Warehouse(folder / "lake/w.duckdb")
    for warehouse in warehouses:
        steps.ingest_paths(warehouse, [file for day in others for file in day])
        steps.build(warehouse)
        with warehouse.connect() as db:
            ((gone,),) = db.execute(
                "SELECT source_id FROM raw.ledger WHERE ends_with(path, '30/smf/MVS1.smf')"
            ).fetchall()
        steps.forget_load(warehouse, gone)
        steps.ingest_paths(warehouse, first)
        steps.build(warehouse)
        warehouse.publish()
    return warehouses


def test_tables_are_the_same(both: tuple[Warehouse, Warehouse]) -> None:
    assert different_tables(*both, without=TIMES_OF_LOADS) == []
    assert Reader(both[1].file).live_frame("SELECT count(*) FROM team.fct_busy_hour").item() > 0


def test_audits_pass_and_merged_loads_have_the_same_rows(both: tuple[Warehouse, Warehouse]) -> None:
    for warehouse in both:
        assert steps.check(warehouse).publishable
    assert steps.merge_loads(both[1]) > 0
    with both[1].connect() as merged, both[0].connect() as embedded:
        for table in ("smf_record", "smf70_1_asid_data", "bench_run"):
            asked = f"SELECT count(*), sum(hash(t)::HUGEINT) FROM raw.{table} AS t"
            assert merged.execute(asked).fetchall() == embedded.execute(asked).fetchall()


def test_columns_and_comments_are_the_same(both: tuple[Warehouse, Warehouse]) -> None:
    described = """
        SELECT schema_name, table_name, column_name, data_type, comment
        FROM duckdb_columns()
        WHERE database_name = current_database() AND NOT starts_with(table_name, 'pipeline_')
        ORDER BY ALL
    """
    embedded, lake = (Reader(warehouse.file).live_frame(described) for warehouse in both)
    assert embedded.height > 4000
    assert embedded.equals(lake)


@pytest.mark.parametrize("part", ["raw", "marts"])
def test_every_table_has_statistics(both: tuple[Warehouse, Warehouse], part: str) -> None:
    """DuckLake looks for those of a table without any again and again."""
    catalog = f"__ducklake_metadata_lake_{part}"
    made = f"FROM {catalog}.ducklake_table WHERE end_snapshot IS NULL"
    with both[1].open_work() as db:
        assert db.execute(f"SELECT count(*) > 10 {made}").fetchall() == [(True,)]
        without = f"table_id NOT IN (SELECT table_id FROM {catalog}.ducklake_table_stats)"
        assert db.execute(f"SELECT table_name {made} AND {without}").fetchall() == []


@pytest.mark.parametrize("part", ["raw", "marts"])
def test_no_rows_wait_in_the_catalog(both: tuple[Warehouse, Warehouse], part: str) -> None:
    """Each table for them there makes every look-up slower."""
    with both[1].open_work() as db:
        waiting = f"FROM __ducklake_metadata_lake_{part}.ducklake_inlined_data_tables"
        assert db.execute(waiting).fetchall() == []


def test_names_and_comments_are_the_same_without_looking_into_the_lake(
    both: tuple[Warehouse, Warehouse],
) -> None:
    readers = [Reader(warehouse.file) for warehouse in both]
    for ask in (
        catalogue.tables,
        lambda reader: catalogue.columns(reader, "marts", "fct_lpar_interval"),
        lambda reader: pl.Series(lineage.marts_of_records(reader)).to_frame(),
    ):
        embedded, lake = map(ask, readers)
        assert embedded.height > 1
        assert embedded.equals(lake)
    attached = readers[1].catalogue_frame("SELECT database_name FROM duckdb_databases()")
    assert "lake_marts" not in attached.to_series()


def test_numbers_of_rows_are_the_same(both: tuple[Warehouse, Warehouse]) -> None:
    embedded, lake = (Reader(warehouse.file) for warehouse in both)
    rows = lineage.models(lake).filter(layer="marts").drop_nulls("rows")
    assert rows["rows"].sum() > 0
    for name, number in rows.select("name", "rows").iter_rows():
        assert embedded.frame(f"SELECT count(*) FROM {name}").item() == number


def test_readers_see_the_published_snapshot_until_the_next(
    both: tuple[Warehouse, Warehouse],
) -> None:
    _, lake = both
    asked = "SELECT count(*), max(interval_end_utc) FROM marts.fct_lpar_interval"
    before = Reader(lake.file).live_frame(asked)
    assert before.row(0)[0] > 0
    lake.discard_work()
    with lake.connect() as db:
        assert db.sql(asked).pl().equals(before)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE lake_raw.raw.x AS SELECT 1",
        "DELETE FROM lake_raw.raw.ledger",
        "DROP SCHEMA lake_marts.marts CASCADE",
        "COPY (SELECT 1) TO 'x.csv'",
        "FROM read_text('/etc/hostname')",
    ],
)
def test_readers_cannot_write_or_read_elsewhere(
    both: tuple[Warehouse, Warehouse], sql: str
) -> None:
    _, lake = both
    refused = (duckdb.Error, UnreadableWarehouseError)
    with pytest.raises(refused, match=r"read-only|disabled by configuration"):
        Reader(lake.file).live_frame(sql)


def test_hours_stay_when_the_records_of_a_lake_are_removed(lake: Path, tmp_path: Path) -> None:
    warehouse = copied(lake, tmp_path / "w")
    before = hours(warehouse)
    (warehouse.lake / POLICY).write_text("[keep_days]\nrecords = 1\n")
    assert len(retain(warehouse, OLD).loads) == 3
    steps.build(warehouse)
    warehouse.publish()
    assert hours(warehouse) == before
    with warehouse.connect() as db:
        rolled = "SELECT count(*) > 0 FROM marts.fct_usage_hour WHERE rolled_intervals > 0"
        assert db.execute(rolled).fetchall() == [(True,)]


MADE = "FROM __ducklake_metadata_lake_marts.ducklake_table"


def test_models_are_one_transaction(lake: Path) -> None:
    """The tables of an empty warehouse, if they are kept, are another one before it."""
    with Warehouse(lake).open_work() as db:
        begun = db.execute(
            f"SELECT begin_snapshot, count(*) {MADE} WHERE end_snapshot IS NULL GROUP BY ALL"
        ).fetchall()
    assert len(begun) == 1 + bool(empty.kept_build())
    assert max(begun)[1] > 100


def test_a_build_that_fails_leaves_nothing_in_the_lake(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(PROFILE)
    lake = Warehouse(tmp_path / "w.duckdb")
    steps.prepare(lake)
    with lake.open_work() as db:
        lake.refresh(db)
    target = {"target": lake.store.dbt_target, "threads": lake.store.dbt_threads}
    chosen = ("+int_runs__given", "int_runs__reading")  # but not all that this reads
    with pytest.raises(dbt.DbtError, match="int_runs__reading"):
        dbt.run_dbt(lake.work, lake.dbt, **target, select=chosen, exclude=("resource_type:test",))
    assert "OK created sql incremental model intermediate.int_runs__given" in (
        lake.dbt / "dbt.log"
    ).read_text("utf-8")
    with lake.open_work() as db:
        assert db.execute(MADE).fetchall() == []


@pytest.mark.usefixtures("broken_facts")
def test_a_load_that_breaks_a_fact_is_set_aside_and_marts_stay_as_published_if_all_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "w.toml").write_text(PROFILE)
    lake = Warehouse(tmp_path / "w.duckdb")
    dumps = [write_day(tmp_path / "files", day) / "smf/MVS1.smf" for day in (0, 10, 20)]
    *old, new = [load.source_id for load in steps.ingest_paths(lake, dumps)]
    steps.forget_load(lake, new)

    def queues(lake: Warehouse) -> list[tuple[str, int]]:
        with lake.open_work() as db:
            return db.execute(
                "SELECT source_id, count(*) FROM marts.fct_queue_accounting GROUP BY ALL ORDER BY 1"
            ).fetchall()

    def aside(lake: Warehouse) -> list[tuple[str]]:
        with lake.open_work() as db:
            return db.execute("SELECT source_id FROM meta.set_aside").fetchall()

    steps.build(lake)
    lake.publish()
    published = queues(lake)
    assert [source_id for source_id, _ in published] == sorted(old)
    steps.ingest_paths(lake, dumps[2:])
    misnumber(lake, new, "smf116_wq", "section_no")
    steps.build(lake)
    assert (aside(lake), queues(lake)) == ([(new,)], published)
    steps.forget_load(lake, new)
    steps.build(lake)
    assert (aside(lake), queues(lake)) == ([], published)
    for source_id in old:
        misnumber(lake, source_id, "smf116_wq", "section_no")
    monkeypatch.setattr(build, "_models", lambda: "other models")
    steps.build(lake)
    assert (aside(lake), queues(lake)) == ([], published)
    with lake.open_work() as db:
        ((kept,),) = db.execute("SELECT kept FROM meta.broken_fact").fetchall()
    assert "marts.fct_queue_accounting" in kept
    assert "marts.fct_queue_manager_interval" not in kept
