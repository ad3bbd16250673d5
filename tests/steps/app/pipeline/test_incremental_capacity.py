"""A build of some days gives the same four-hour averages, which reach back over midnight."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from app.pipeline import steps
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.zos.cpu import add_cpu
from models_sim.simulator.zos.log import Log
from models_sim.simulator.zos.profile import PLEX1, SYSTEMS
from models_sim.simulator.zos.simulate import simulate
from tests.kit.dumps import dump
from tests.kit.tables import different_tables
from tests.steps.app.pipeline.test_incremental import building, built_of_everything

DAYS = 13  # a late day touches five of them, which must be less than half
LATE = 6
START = datetime(2026, 3, 1, 5)  # midnight local time
LOADS = np.tile([0.2, 0.9, 0.5, 0.7], 24).tolist()  # by quarters of an hour
MODELS = [
    "+fct_lpar_capacity_day,resource_type:model",
    # These say which days of other loads belong together.
    "+int_runs__transfer_message", "+int_runs__transfer_item", "+int_runs__manifest",
    "+int_runs__given", "+int_runs__output",
]  # fmt: skip
TABLES = ("marts.fct_lpar_capacity_interval", "marts.fct_lpar_capacity_day")


def write_day(folder: Path, day: int) -> Path:
    """Write type 70 of one system for 24 hours, which end where the next day begins."""
    system = replace(SYSTEMS[0], load=(*LOADS[day:], *LOADS[:day]), spaces=SYSTEMS[0].spaces[:8])
    site = replace(PLEX1, systems=(system,))
    log = Log(site.offset)
    done = simulate(day, site.systems, START + timedelta(days=day), skipped=None)
    add_cpu(log, site, done, np.random.default_rng(day))
    place = folder / f"{day:02}.smf"
    place.write_bytes(dump(log.compose()[system.name]))
    return place


def test_averages_of_the_days_that_are_built_again_equal_those_of_a_build_of_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "simulated"
    folder.mkdir()
    dumps = [write_day(folder, day) for day in range(DAYS)]
    warehouse = Warehouse(tmp_path / "w" / "x.duckdb")
    building(monkeypatch, *MODELS)
    steps.ingest_paths(warehouse, [dump for dump in dumps if dump != dumps[LATE]])
    steps.build(warehouse)
    with monkeypatch.context() as from_here:
        from_here.delattr(Warehouse, "discard_work")  # nothing is built from nothing
        steps.ingest_paths(warehouse, [dumps[LATE]])
        steps.build(warehouse)
    everything = built_of_everything(warehouse, tmp_path / "copy")
    with warehouse.open_work() as db:
        ((rows, known),) = db.execute(
            "SELECT count(*), count(four_hour_average_msu) FROM marts.fct_lpar_capacity_interval"
        ).fetchall()
    assert (rows, known) == (DAYS * 96, DAYS * 96 - 15)
    assert different_tables(warehouse, everything) == []
