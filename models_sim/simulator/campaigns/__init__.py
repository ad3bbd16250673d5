"""Campaigns of benchmark runs that never were: what they were given, and the files they leave.

    simulate("smoke", seed=1) -> Campaign     what happened: a plan of runs, frames of the systems
    write(campaign, folder)                   the files: manifest, SMF dumps, logs and reports
    truth("smoke", seed=1) -> DataFrame       what the files have to give back, run by run

The bytes depend on the scenario and the seed alone. `truth` is never written to the folder.
"""

from models_sim.simulator.campaigns.campaign import Campaign, simulate, truth
from models_sim.simulator.campaigns.files import CampaignError, write
from models_sim.simulator.campaigns.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Campaign", "CampaignError", "simulate", "truth", "write"]
