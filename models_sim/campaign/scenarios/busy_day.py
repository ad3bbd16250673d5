"""A production day of two systems and two queue managers: work that is no benchmark's run.

It is the sysplex PLEX1 of models_sim.zos and the queue managers of models_sim.mq.synthetic: their
two hours, from quiet to busy and back, twelve times.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import numpy as np
import polars as pl

from models_sim.campaign.scenarios.scenario import Scenario
from models_sim.zos.bulk import day_of

__all__ = ["SCENARIO"]


def _runs(_: np.random.Generator) -> pl.DataFrame:
    return pl.DataFrame()


def _dumps(seed: int) -> Mapping[str, list[bytes]]:
    return day_of(seed)


SCENARIO = Scenario(
    "busy-day",
    "a day of the sysplex PLEX1 with MQ's statistics and accounting; no runs",
    datetime(2024, 2, 29, 13),
    _runs,
    dumps=_dumps,
)
