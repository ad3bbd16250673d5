"""The scenarios: each a module of data with a function that gives a frame of runs.

A scenario's `runs(rng)` gives the columns that models_sim.campaign.plan wants of it.
"""

from models_sim.campaign.scenarios import mft_zos, nightly, smoke
from models_sim.campaign.scenarios.scenario import Scenario

__all__ = ["SCENARIOS", "Scenario"]

#: The scenarios by name.
SCENARIOS: dict[str, Scenario] = {
    s.name: s for s in (smoke.SCENARIO, mft_zos.SCENARIO, nightly.SCENARIO)
}
