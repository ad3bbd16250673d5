"""New loads are put to the last build where they have nothing to do with what it holds."""

import json
import shutil
from datetime import timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest

from app.pipeline import additions, steps
from app.pipeline.compiled import read
from ingest.warehouse import Warehouse
from models_sim.simulator.campaigns import simulate, write
from models_sim.simulator.campaigns.campaign import truth_of

LATER = timedelta(days=60)
TABLES = (
    "SELECT schema_name, table_name FROM duckdb_tables() "
    "WHERE schema_name IN ('intermediate', 'marts') AND database_name = "
)


@pytest.fixture
def copy(full: Path, tmp_path: Path) -> Warehouse:
    """The warehouse of all that is bundled, with its last build."""
    warehouse = Warehouse(tmp_path / full.name)
    shutil.copytree(full.with_suffix(".lake"), warehouse.lake, symlinks=True)
    shutil.copyfile(full, warehouse.file)
    return warehouse


@pytest.mark.timeout(600)
def test_a_campaign_of_later_is_put_to_the_last_build(
    copy: Warehouse, full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = simulate("smoke", later=LATER)
    write(campaign, tmp_path / "smoke")
    steps.ingest_paths(copy, [tmp_path / "smoke"])
    begun_anew: list[Warehouse] = []
    discard = Warehouse.discard_work

    def spied(warehouse: Warehouse) -> None:
        begun_anew.append(warehouse)
        discard(warehouse)

    monkeypatch.setattr(Warehouse, "discard_work", spied)
    build_id = steps.build(copy)
    assert begun_anew == []
    assert steps.build(copy) == build_id  # it has all loads: nothing is left to do

    made = truth_of(campaign).filter(pl.col("metric") != "files")
    with duckdb.connect(str(copy.work), read_only=True) as db:
        db.execute(f"ATTACH '{full}' AS before (READ_ONLY)")
        shown = db.execute(
            "SELECT run_id, metric, address_space, system_id, value AS shown "
            "FROM marts.fct_measurement WHERE is_complete"
        ).pl()
        both = made.join(
            shown, on=["run_id", "metric", "address_space", "system_id"], how="left",
            nulls_equal=True,
        )  # fmt: skip
        whole = both.filter(pl.col("address_space").is_null())
        assert whole.height
        assert whole["shown"].null_count() == 0
        assert ((whole["shown"] - whole["value"]).abs() <= 1e-3 * whole["value"].abs()).all()

        lost = []
        nodes = read(copy.dbt / "target" / "manifest.json", copy.work.stem)
        assert nodes
        anew = {node.name for node in nodes if additions.ACROSS in node.tags}
        for schema, table in db.execute(TABLES + "'before'").fetchall():
            if table not in anew:
                gone = (
                    f"SELECT 1 FROM (FROM before.{schema}.{table} "
                    f"EXCEPT ALL FROM {schema}.{table}) LIMIT 1"
                )
                lost += [table] if db.execute(gone).fetchall() else []
        runs = "SELECT count(*), count(DISTINCT (origin, run_id)) FROM {}marts.fct_run"
        (before,) = db.execute(runs.format("before.")).fetchall()
        assert db.execute(runs.format("")).fetchall() == [tuple(n + 4 for n in before)]
        # what looks over all runs knows the new ones, of configurations that were there
        same = "SELECT count(*), sum(runs) FROM {}marts.dim_configuration"
        ((configurations, runs_before),) = db.execute(same.format("before.")).fetchall()
        assert db.execute(same.format("")).fetchall() == [(configurations, runs_before + 4)]
    assert lost == []


NEW = "new"  # a load that the last build has not
#: What of a new load keeps it from being put to a build: rows by table, of the new load and of old.
BOUND = {
    "an hour after an old run": [
        ("added", "marts.fct_run", {"run_id": "r9", "stop_utc": "2026-03-02 12:59"}),
    ],
    "a run that is known": [
        ("added", "intermediate.int_runs__declared", {"origin": "measured", "run_id": "r1"}),
    ],
    "a value of a run that came with none": [
        ("added", "intermediate.int_runs__reading", {"run_id": None}),
    ],
    "an output of no new run": [("added", "marts.fct_run_output", {"run_ids": []})],
    "an output of the new run came before": [
        ("added", "marts.fct_run", {"run_id": "r9"}),
        ("last", "marts.fct_run_output", {"path": "out/r9/ioping.txt", "run_ids": []}),
    ],
    "a value of the new run came before": [
        ("added", "marts.fct_run", {"run_id": "r9"}),
        ("last", "staging.stg_bench__measurement", {"run_id": "r9"}),
    ],
    "a printed report without records": [("added", "marts.fct_rmf_report_figure", {})],
}
SHAPES = {
    "intermediate.int_runs__declared": "source_id, origin, run_id, start_utc, stop_utc",
    "intermediate.int_runs__reading": "source_id, run_id, time_utc",
    "marts.fct_run": "source_id, run_id, start_utc, stop_utc",
    "marts.fct_run_output": "source_id, path, run_ids",
    "marts.fct_rmf_report_figure": "source_id, interval_start_utc",
    "staging.stg_bench__measurement": "source_id, run_id",
}
TYPES = {"run_ids": "VARCHAR[]"}


def make(db: duckdb.DuckDBPyConnection) -> None:
    """Empty tables of the names and columns that are asked."""
    for table, columns in SHAPES.items():
        db.execute(f"CREATE SCHEMA IF NOT EXISTS {table.partition('.')[0]}")
        typed = (
            f"{c} {TYPES.get(c, 'TIMESTAMP' if c.endswith('_utc') else 'VARCHAR')}"
            for c in columns.split(", ")
        )
        db.execute(f"CREATE TABLE {table} ({', '.join(typed)})")


def put(db: duckdb.DuckDBPyConnection, table: str, source: str, row: dict[str, object]) -> None:
    row = {"source_id": source} | row
    marks = ", ".join("?" * len(row))
    db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A warehouse with nothing in it: its views take a while."""
    # a name that SQL has to quote
    warehouse = Warehouse(tmp_path_factory.mktemp("last") / "my-runs.duckdb")
    with warehouse.open_work():
        return warehouse


@pytest.fixture
def last(place: Warehouse) -> Warehouse:
    """A warehouse of two loads; the last build has the first, of a run from 10 to 11 o'clock."""
    with place.open_work() as db:
        for schema in {table.partition(".")[0] for table in SHAPES}:
            db.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
        db.execute("DROP TABLE IF EXISTS meta.build; DROP TABLE IF EXISTS meta.build_load")
        db.execute(
            "CREATE OR REPLACE TABLE main.ledger AS SELECT * FROM (VALUES "
            "('old', 'measured', 1000), ('new', 'measured', 10)) AS l (source_id, origin, bytes)"
        )
        db.execute("CREATE OR REPLACE VIEW raw.ledger AS FROM main.ledger")
        make(db)
        put(
            db,
            "marts.fct_run",
            "old",
            {"run_id": "r1", "start_utc": "2026-03-02 10:00", "stop_utc": "2026-03-02 11:00"},
        )
        put(db, "intermediate.int_runs__declared", "old", {"origin": "measured", "run_id": "r1"})
        additions.note_loads(db, ["old"])
        db.execute("CREATE TABLE meta.build AS SELECT 'b1' AS build_id, 'm' AS models")
    return place


def append(warehouse: Warehouse, rows: list[tuple[str, str, dict[str, object]]]) -> bool:
    """Put a database with rows of the new load to the last build, if it lets them."""
    beside = warehouse.lake / "beside.duckdb"
    beside.unlink(missing_ok=True)
    with duckdb.connect(str(beside)) as db:
        make(db)
        for _, table, row in (r for r in rows if r[0] == "added"):
            put(
                db,
                table,
                NEW,
                {"start_utc": "2026-03-02 12:30"} | row if table == "marts.fct_run" else row,
            )
    with warehouse.open_work() as db:
        for _, table, row in (r for r in rows if r[0] == "last"):
            put(db, table, "old", row)
        return additions.append(db, beside)


def held(warehouse: Warehouse) -> tuple[int, int]:
    """Runs and builds in the working database."""
    with warehouse.open_work() as db:
        return (
            db.sql("FROM marts.fct_run").shape[0],
            db.sql(
                "FROM duckdb_tables() WHERE schema_name = 'meta' AND table_name = 'build'"
            ).shape[0],
        )


def test_rows_of_a_load_that_lies_apart_are_put_to_the_others(last: Warehouse) -> None:
    run = {"run_id": "r9", "start_utc": "2026-03-02 13:01", "stop_utc": "2026-03-02 13:30"}
    assert append(last, [("added", "marts.fct_run", run)])
    # it is no build until what looks over all is built too
    assert held(last) == (2, 0)


@pytest.mark.parametrize("why", BOUND)
def test_a_load_that_may_bear_on_others_is_not(why: str, last: Warehouse) -> None:
    assert not append(last, BOUND[why])
    assert held(last) == (1, 1)


@pytest.mark.parametrize(
    ("change", "new"),
    [
        ("", ["new"]),
        ("UPDATE meta.build SET models = 'others'", []),
        ("DROP TABLE meta.build", []),  # the last one did not finish
        ("DELETE FROM main.ledger WHERE source_id = 'old'", []),  # forgotten
        ("UPDATE main.ledger SET origin = 'published' WHERE source_id = 'new'", []),
    ],
)
def test_only_what_came_since_a_build_of_the_same_models_is_put_to_it(
    change: str, new: list[str], last: Warehouse
) -> None:
    with duckdb.connect(str(last.work)) as db:
        db.execute(change)
        assert additions.new_loads(db, "m") == new


def test_a_build_amid_which_a_load_comes_is_put_to_by_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some models may have seen it, others not: it must not be put to what they made."""
    warehouse = Warehouse(tmp_path / "w.duckdb")
    files = [tmp_path / f"run-{day}.json" for day in (1, 2)]
    for day, file in enumerate(files, 1):
        run = {"start": f"2026-03-0{day}T10:00:00", "stop": f"2026-03-0{day}T11:00:00"}
        held = {"perfhouse_manifest": 1, "campaign": "amid", "time_zone": "UTC", "run": [run]}
        file.write_text(json.dumps(held))
    steps.ingest_paths(warehouse, files[:1])

    def dbt(database: Path, log: Path) -> None:
        with duckdb.connect(str(database)) as db:
            db.execute("CREATE SCHEMA marts; CREATE TABLE marts.fct_run (source_id VARCHAR, "
                       "start_utc TIMESTAMP)")  # fmt: skip
        steps.ingest_paths(warehouse, files[1:])

    monkeypatch.setattr(steps, "run_dbt", dbt)
    steps.build(warehouse)
    with warehouse.open_work() as db:
        (build,) = db.sql("SELECT loads, models FROM meta.build").fetchall()
    assert build == (1, "")  # which no build is made of: the next begins anew
