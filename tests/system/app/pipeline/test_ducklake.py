"""A warehouse in DuckLake shows what an embedded one shows, step by step.

It is built in the least memory that a build may have: in `make test` with a team's own models, in
`make test-ducklake` from the kept build of an empty warehouse.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest

from app.pipeline import steps
from app.results.queries import catalogue, lineage
from app.results.reader import Reader, UnreadableWarehouseError
from ingest.lake.memory import SETTING
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.campaigns import simulate, write
from tests.kit.tables import TIMES_OF_LOADS, different_tables
from tests.steps.app.pipeline.test_incremental import building
from tests.steps.app.pipeline.test_team import EXAMPLE

#: A build of what changed asks these which days belong together.
BUILDS_OF_CHANGES = (
    *("+int_runs__transfer_message", "+int_runs__transfer_item", "+int_runs__manifest"),
    "+int_runs__given",
)
#: Built in `make test`, with what they are made of; `make test-ducklake` builds all models.
MODELS = ("+fct_busy_hour", "+fct_queue_manager_interval", *BUILDS_OF_CHANGES)
PROFILE = """\
catalog = "sqlite:catalog.sqlite"
data = "data"
"""


def write_day(folder: Path, day: int) -> list[Path]:
    """Write a small day, and return some of its files."""
    write(simulate("smoke", limit=1, later=timedelta(days=day)), folder / f"{day:02}")
    return [folder / f"{day:02}" / name for name in ("manifest.json", "smf/MVS1.smf")]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Warehouse, Warehouse]]:
    """An embedded warehouse and one in DuckLake of the same files, each with some models."""
    with pytest.MonkeyPatch.context() as patch:
        building(patch, *MODELS)
        patch.setenv("PERFHOUSE_DBT", str(EXAMPLE))
        yield made(tmp_path_factory.mktemp("both"), patch)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Warehouse, Warehouse]]:
    """An embedded warehouse and one in DuckLake of the same files."""
    with pytest.MonkeyPatch.context() as patch:
        yield made(tmp_path_factory.mktemp("whole"), patch)


def made(folder: Path, patch: pytest.MonkeyPatch) -> tuple[Warehouse, Warehouse]:
    """Build an embedded warehouse and one in DuckLake; then again what changed, and publish."""
    for name in ("embedded", "lake"):
        (folder / name).mkdir()
    (folder / "lake/w.toml").write_text(PROFILE)
    warehouses = Warehouse(folder / "embedded/w.duckdb"), Warehouse(folder / "lake/w.duckdb")
    first, *others = [write_day(folder / "files", day) for day in (0, 10, 20, 30)]
    for warehouse, memory in zip(warehouses, ("", "1.5GB"), strict=True):
        patch.setenv(SETTING, memory)
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


@pytest.mark.timeout(1800)
def test_all_tables_are_the_same(whole: tuple[Warehouse, Warehouse]) -> None:
    assert different_tables(*whole, without=TIMES_OF_LOADS) == []
    for warehouse in whole:
        assert steps.check(warehouse).publishable
    assert steps.merge_loads(whole[1]) > 0
    with whole[1].connect() as merged, whole[0].connect() as embedded:
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
        lambda reader: pl.Series(lineage.known_tables(reader, schema="raw")).to_frame(),
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
