"""Whether the marts reproduce what the simulator generated, over the matrix of document 000.

The campaign is simulated, loaded and built with the commands of a user. Rates, costs and zIIP
shares of each run and LPAR must be within 0.1 % of the simulated values. Those of address spaces
are only printed: SMF 30 counts hundredths of a second, and a short run uses few of them.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import duckdb
import polars as pl
from rich.console import Console
from rich.table import Table

from ingest.lake.warehouse import Warehouse
from models_sim.simulator.campaigns.campaign import truth
from tests.bench.load import Run, command

TOLERANCE = 1e-3  # relative
_WHOLE = pl.col("of") != "address space"
_KEY = ["run_id", "metric", "address_space", "system_id"]
#: What the marts have, in the columns of the simulated truth, and whether the run is compared.
SHOWN = """
    SELECT run_id, campaign, metric, NULL AS address_space, NULL AS system_id, value AS shown,
        is_compared
    FROM marts.fct_measurement
    UNION ALL
    SELECT run_id, campaign, metric, NULL, system_id, value, is_compared
    FROM marts.fct_system_measurement
    UNION ALL
    SELECT run_id, campaign, metric, address_space, system_id, shown, is_compared
    FROM (
        SELECT run_id, campaign, address_space, system_id, is_compared, cpu_seconds,
            general_purpose_seconds, eligible_seconds AS ziip_eligible_seconds,
            cost_per_GB
        FROM marts.fct_run_address_space
    ) UNPIVOT (shown FOR metric IN (
        cpu_seconds, general_purpose_seconds, ziip_eligible_seconds, "cost_per_GB"
    ))
"""


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures, and whether all values are reproduced."""
    scenario = "smoke" if quick else "mft-zos"
    file, campaign = folder / "matrix.duckdb", folder / "campaign"
    runs: dict[str, Run] = {"simulate": command("simulate", scenario, "--out", campaign)}
    size = sum(path.stat().st_size for path in campaign.rglob("*") if path.is_file())
    runs["ingest"] = command("ingest", campaign, "--warehouse", file)
    runs["build"] = command("build", "--warehouse", file)
    for measured in runs.values():
        measured.bytes = size
    with duckdb.connect(str(Warehouse(file).work), read_only=True) as db:
        shown = db.sql(SHOWN).pl().drop("campaign", "is_compared")
    both = truth(scenario).join(shown, on=_KEY, how="left", nulls_equal=True)
    found = judged(both.filter(pl.col("metric") != "files"))
    console.print(_table(scenario, both["run_id"].n_unique(), found))
    return {
        "runs": {measure: asdict(of) for measure, of in runs.items()},
        "values": int(found["values"].sum()),
        "worst_relative_error": found.filter(_WHOLE)["worst"].max(),
    }, passes(found)


def judged(both: pl.DataFrame) -> pl.DataFrame:
    """Return one row per metric and kind of subject: values, missing values, worst errors.

    both: metric, address_space, system_id, value (simulated) and shown (in the mart), one row per
    value.
    """
    error = (pl.col("shown") - pl.col("value")).abs()
    of = (
        pl.when(pl.col("address_space").is_not_null())
        .then(pl.lit("address space"))
        .when(pl.col("system_id").is_not_null())
        .then(pl.lit("LPAR"))
        .otherwise(pl.lit("run"))
    )
    relative = error / pl.col("value").abs()
    return (
        both.group_by(of=of, metric="metric")
        .agg(
            unit=pl.col("unit").first(),
            values=pl.len(),
            missing=pl.col("shown").null_count(),
            worst=pl.when(error == 0).then(0.0).otherwise(relative).max(),
            worst_difference=error.max(),
        )
        .sort(pl.col("of").replace({"run": "0", "LPAR": "1"}), "metric")
    )


def passes(found: pl.DataFrame) -> bool:
    """Whether all values of runs and LPARs are present and within the tolerance."""
    right = (pl.col("missing") == 0) & (pl.col("worst") <= TOLERANCE)
    whole = found.filter(_WHOLE)
    return not whole.is_empty() and bool(whole.select(right.all()).item())


def _table(scenario: str, runs: int, found: pl.DataFrame) -> Table:
    table = Table(title=f"Worst errors of the marts, {scenario} ({runs:,} runs)")
    table.add_column("of", no_wrap=True)
    table.add_column("metric", overflow="fold")
    for name in ("values", "missing", "error, %", "difference"):
        table.add_column(name, justify="right")
    table.add_column("unit")
    for row in found.rows(named=True):
        table.add_row(
            row["of"],
            row["metric"],
            f"{row['values']:,}",
            f"{row['missing']:,}",
            _short(None if row["of"] == "address space" else row["worst"], 100),
            _short(row["worst_difference"]),
            row["unit"],
        )
    return table


def _short(value: float | None, times: float = 1) -> str:
    return "-" if value is None else f"{times * value:.2g}"
