"""Hours, days, months and money are what the records say, and stay so when the records go.

Two sysplexes have a system of one name, at opposite ends of the world. Records cross the end of a
month, where prices change, and the change of clocks; there is an outage, and the last day is late.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.pipeline import steps
from app.pipeline.places import ROOT
from app.pipeline.retention import POLICY, retain
from ingest.formats.binary.framing import Framing
from ingest.formats.binary.write import frame_records
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.log import Log
from models_sim.simulator.zos.cpu import add_cpu
from models_sim.simulator.zos.profile import PLEX1, SYSTEMS
from models_sim.simulator.zos.simulate import simulate
from tests.kit.warehouses import PROFILE

pytestmark = pytest.mark.timeout(1800)

DAYS = [date(2026, 3, 31), date(2026, 4, 1), date(2026, 4, 2)]
ZONES = {"PLEXW": -9.5, "PLEXE": 13.0}  # hours east of UTC; an hour more from the second day on
OUTAGE = slice(30, 37)  # records of the first day
LOADS = np.tile([0.2, 0.9, 0.5, 0.7], 24).tolist()  # by quarters of an hour
PRICES = """
currency = "EUR"
price = [{ from = 2026-01-01, msu_hour = 2.5 }, { from = 2026-04-01, msu_hour = 3.0 }]
"""
RECOMPUTED = (ROOT / "tests/marts/recompute/hours/query.sql").read_text()
LEFT_OUT = {"source_id", "record_no", "source_ids", "rolled_intervals"}
MARTS = {
    "fct_system_hour": "msu_hours", "fct_lpar_capacity_day": "consumed_msu",
    "fct_machine_capacity_month": "peak_partitions", "fct_usage_hour": "cost_money",
}  # fmt: skip


def written(folder: Path, plex: str, number: int) -> Path:
    """Write type 70 of a system for 24 hours of local time."""
    hours = ZONES[plex] + (number > 0)
    system = replace(SYSTEMS[0], load=tuple(LOADS[number:] + LOADS[:number]),
                     spaces=SYSTEMS[0].spaces[:8])  # fmt: skip
    site = replace(PLEX1, name=plex, systems=(system,), local_hours=hours)
    start = datetime.combine(DAYS[number], datetime.min.time()) - timedelta(hours=ZONES[plex])
    log = Log(site.offset)
    add_cpu(log, site, simulate(number, site, start, skipped=None),
            np.random.default_rng(number))  # fmt: skip
    records = log.compose()[system.name]
    if not number:
        del records[OUTAGE]
    file = folder / plex / f"{number}.smf"
    file.parent.mkdir(parents=True, exist_ok=True)
    (file.parent / "ORIGIN").write_text("simulated\n")
    file.write_bytes(b"".join(frame_records(records, Framing.RDW)))
    return file


def loaded(warehouse: Warehouse, files: list[Path]) -> None:
    assert {load.status for load in steps.ingest_paths(warehouse, files)} <= {
        "loaded",
        "removed",
        "duplicate",
    }
    steps.build(warehouse)
    warehouse.publish()


def shown(warehouse: Warehouse, without: str = "") -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of the marts of capacity, without where they come from, and some figures."""
    rows = {}
    with warehouse.connect() as db:
        for mart, figure in MARTS.items():
            found = db.sql(f"FROM marts.{mart}")
            found = found.select(
                ", ".join(
                    column
                    for column in found.columns
                    if column not in LEFT_OUT and not (without and without in column)
                )
            )
            rows[mart] = sorted(
                (tuple(float(f"{v:.9g}") if isinstance(v, float) else v for v in row)
                 for row in found.fetchall()), key=repr,
            )  # fmt: skip
            assert any(value for (value,) in found.select(figure).fetchall()), mart
    return rows


@pytest.fixture(scope="module", params=["embedded", "lake"])
def life(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Warehouse, list[list[Path]]]]:
    """A folder for warehouses, that of all records, and the files by day."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "prices.toml").write_text(PRICES)
    files = [[written(folder / "files", plex, n) for plex in ZONES] for n in range(len(DAYS))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PERFHOUSE_PRICES", str(folder / "prices.toml"))
        warehouse = begun(folder / "all", in_lake=request.param == "lake")
        loaded(warehouse, [file for of_day in files for file in of_day])
        with warehouse.connect() as db:
            figures = db.sql(RECOMPUTED).fetchall()
        assert [(some, wrong) for _, some, wrong in figures] == [(True, 0)] * 7, figures
        yield folder, warehouse, files


def begun(folder: Path, *, in_lake: bool) -> Warehouse:
    folder.mkdir()
    if in_lake:
        (folder / "w.toml").write_text(PROFILE)
    return Warehouse(folder / "w.duckdb")


@pytest.mark.parametrize("until", [DAYS[0], DAYS[2], date(2026, 4, 3)])
def test_retention_before_late_records_changes_no_figure(
    life: tuple[Path, Warehouse, list[list[Path]]], until: date
) -> None:
    folder, everything, (first, second, late) = life
    warehouse = begun(folder / str(until), in_lake=folder.name.startswith("lake"))
    loaded(warehouse, [*first, *second])
    days = (datetime.now(UTC).date() - until).days - 1
    (warehouse.lake / POLICY).write_text(f"[keep_days]\nrecords = {days}\n")
    removed = len(retain(warehouse).loads)
    loaded(warehouse, [*late, *first])
    # perfhouse's own averages need the records of four hours before
    without = "four_hour" if until > DAYS[2] else ""
    assert shown(warehouse, without) == shown(everything, without)
    assert removed == (0 if until == DAYS[0] else len(ZONES) * 2 if until > DAYS[2] else len(ZONES))
