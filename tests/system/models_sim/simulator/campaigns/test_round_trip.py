"""Records of a campaign agree with each other; tests/marts compare its runs with the truth."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from models_sim.simulator.campaigns import simulate, truth, write
from tests.kit.cases import queries
from tests.kit.truth_of_runs import prepared

SCENARIO = "smoke"
SQL = queries(__file__)


def written(folder: Path) -> None:
    write(simulate(SCENARIO), folder)


@pytest.fixture(scope="module")
def db(loaded):
    return prepared(loaded)


def test_classes_and_uncaptured_time_add_up_to_the_processors(db) -> None:
    rows = db.execute(SQL["time of classes"]).fetchall()
    given = truth(SCENARIO).filter(
        pl.col("metric") == "cpu_seconds", pl.col("address_space").is_null()
    )
    used = {(r["run_id"], r["system_id"]): r["value"] for r in given.iter_rows(named=True)}
    assert len(rows) == 12
    for run_id, system, seconds in rows:
        assert seconds / used[run_id, system] == pytest.approx(0.94, rel=1e-4)


@pytest.mark.parametrize(
    ("connection", "bytes_of", "end"),
    [("AGNTA1", "putbytes", "source"), ("AGNTA3", "getbytes", "target")],
)
def test_agents_put_and_get_the_moved_bytes(connection, bytes_of, end, db) -> None:
    rows = db.execute(SQL["bytes of an agent"].format(bytes_of=bytes_of), [connection]).fetchall()
    runs = simulate(SCENARIO).runs.filter(pl.col(end) == "z/OS")
    assert dict(rows) == dict(runs.select("run_id", "bytes").iter_rows())


def test_all_files_are_simulated_and_none_is_quarantined(db) -> None:
    assert db.execute("SELECT DISTINCT origin FROM raw.ledger").fetchall() == [("simulated",)]
    assert db.execute("SELECT count(*) FROM raw.quarantine").fetchall() == [(0,)]
    names = db.execute("SELECT path FROM raw.ledger").fetchall()
    assert not [name for (name,) in names if Path(name).name == "ORIGIN"]


def test_no_two_records_of_a_queue_manager_are_equal(db) -> None:
    for kind in (115, 116):
        rows = db.execute(SQL["records of a queue manager"].format(kind=kind)).fetchall()
        assert len(set(rows[0])) == 1
        assert rows[0][0] > 0


def test_no_volume_is_more_than_fully_busy(db) -> None:
    (busiest,) = db.execute(SQL["busiest volume"]).fetchone()
    assert 0.01 < busiest < 1


def test_dedicated_processors_are_busy_unless_they_wait(db) -> None:
    rows = db.execute(SQL["dedicated processors"]).fetchall()
    own = db.execute(SQL["dispatched time"]).fetchall()
    assert len(rows) == len(own) == 12
    for (*key, busy), (*same, effective, is_dedicated) in zip(rows, own, strict=True):
        assert key == same
        assert is_dedicated
        assert busy == pytest.approx(effective, rel=1e-6)
