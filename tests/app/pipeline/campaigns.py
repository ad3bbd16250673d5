"""The campaigns of documents 000 to 004 and the hard cases, in one warehouse for all their tests.

    python -m tests.app.pipeline.campaigns FOLDER

They are of different days, so none has part in the figures of another.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

from app.cli.main import main
from app.pipeline.places import ROOT
from ingest.formats.sources import ORIGIN_FILE
from models_sim.simulator.campaigns import Campaign, simulate, write
from models_sim.simulator.campaigns.hard_cases import CASES, write_cases
from models_sim.simulator.campaigns.scenarios.mft_linux import CHUNKS

__all__ = ["BACKWARDS", "HARD_CASES", "SCENARIOS", "make"]

SCENARIOS = (
    "mft-features",
    "mft-linux",
    *("zcx", "zcx-tiers", "zcx-cluster", "zcx-wan"),
    *("z16", "z16-peak", "z16-tls", "z16-move"),
)
HARD_CASES = "hard-cases"  # the folder with a folder of each
BACKWARDS = "runs: backwards.toml"  # the name has what follows a path in a finding
_STOPS_BEFORE_IT_STARTS = """perfhouse_manifest = 1
campaign = "backwards"

[[run]]
start = 2026-01-01T11:10:00Z
stop = 2026-01-01T11:00:00Z
"""


def make(folder: Path) -> None:
    """Simulate all campaigns and let `perfhouse run` publish them as perfhouse.duckdb."""
    for name in SCENARIOS:
        campaign = simulate(name)
        write(some_of_linux(campaign) if name == "mft-linux" else campaign, folder / name)
    write_cases(folder / HARD_CASES, names=CASES)
    (folder / BACKWARDS).write_text(_STOPS_BEFORE_IT_STARTS)
    (folder / ORIGIN_FILE).write_text("simulated\n")
    inputs = [
        folder / BACKWARDS,
        *(folder / name for name in SCENARIOS),
        *(folder / HARD_CASES / name / "files" for name in CASES),
        ROOT / "data/published",
    ]
    status = main(["run", *map(str, inputs), "--warehouse", str(folder / "perfhouse.duckdb")])
    assert status == 1, status  # there are errors in the hard cases, and one in zcx-wan


def some_of_linux(campaign: Campaign) -> Campaign:
    """All runs of 10 and 100 MB, and of 1 MB those with the smallest chunks and without MD5."""
    some = pl.col("file_size_mb").is_in([10, 100]) | (
        (pl.col("chunk_size") == min(CHUNKS)) & (pl.col("md5") == "N")
    )
    return campaign._replace(runs=campaign.runs.filter(some, pl.col("repetition") == 1))


if __name__ == "__main__":
    make(Path(sys.argv[1]))
