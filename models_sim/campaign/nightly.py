"""What was put into the scenario `nightly`, for whatever looks for it."""

from models_sim.campaign.scenarios.nightly import (
    CONFIGURATIONS,
    INJECTED,
    NIGHTS,
    Injection,
    night_of,
    revision,
)

__all__ = ["CONFIGURATIONS", "INJECTED", "NIGHTS", "Injection", "night_of", "revision"]
