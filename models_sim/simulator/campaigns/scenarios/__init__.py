"""The scenarios: each is a module of data with a function that returns a frame of runs.

A scenario's `runs(rng)` returns the columns that plan.py needs.
"""

from models_sim.simulator.campaigns.scenarios import (
    busy_day,
    mft_features,
    mft_linux,
    mft_zos,
    nightly,
    nightly_mixed,
    smoke,
    z16,
    z16_figures,
    zcx,
    zcx_wan,
)
from models_sim.simulator.campaigns.scenarios.definition import Production, Scenario

__all__ = ["SCENARIOS", "Production", "Scenario"]

#: The scenarios by name.
SCENARIOS: dict[str, Scenario] = {
    module.SCENARIO.name: module.SCENARIO
    for module in (
        smoke,
        mft_zos,
        mft_features,
        nightly,
        nightly_mixed,
        mft_linux,
        zcx,
        zcx_wan,
        z16,
        z16_figures,
        busy_day,
    )
}
