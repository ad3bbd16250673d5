"""Simulated campaigns of benchmark runs: what they did, and the files they leave.

    simulate("smoke", seed=1) -> Campaign     what happened: a plan of runs, frames of the systems
    write(campaign, folder)                   the files: manifest, SMF dumps, logs and reports
    truth("smoke", seed=1) -> DataFrame       what must come out of the files, run by run

The bytes depend only on the scenario and the seed. `truth` is never written to the folder.
"""

from models_sim.simulator.campaigns.campaign import Campaign, simulate, truth
from models_sim.simulator.campaigns.files import CampaignError, write
from models_sim.simulator.campaigns.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Campaign", "CampaignError", "simulate", "truth", "write"]
