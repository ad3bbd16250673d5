"""Four runs of three configurations: a campaign small enough for tests."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.scenarios.definition import USUAL, Scenario, with_labels

__all__ = ["SCENARIO"]


def _runs(_: np.random.Generator) -> pl.DataFrame:
    usual = {"source": "z/OS", "target": "z/OS", "network": "10Gb", "file_size_mb": 100}
    rows = [
        usual | {"repetition": 1},
        usual | {"repetition": 2},
        usual | {"source": "xLinux", "file_size_mb": 10, "network": "1Gb", "repetition": 1},
        usual | {"tls": "TLS 1.2", "network": "1Gb", "file_size_mb": 1024, "repetition": 1},
    ]
    return with_labels(pl.DataFrame([USUAL | row for row in rows]))


SCENARIO = Scenario(
    "smoke", "four runs of three configurations of mft-zos", datetime(2026, 1, 12, 14), _runs
)
