"""Level shifts in series of measurements, and the noise between builds.

Pure numerics: nothing here knows a database, a file or an expectation. docs/detector.md describes
the method, docs/developers/detector-figures.md its performance.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from expectations.detector.changes import Change, Changes, Trend
    from expectations.detector.find import find_changes, find_changes_many
    from expectations.detector.history import Noise, noise_of, noise_of_builds

__all__ = ["Change", "Changes", "Noise", "Trend", "find_changes", "find_changes_many", "noise_of",
           "noise_of_builds"]  # fmt: skip

_MODULES = {
    "Change": "changes",
    "Changes": "changes",
    "Noise": "history",
    "noise_of": "history",
    "noise_of_builds": "history",
    "Trend": "changes",
    "find_changes": "find",
    "find_changes_many": "find",
}


def __getattr__(name: str) -> object:
    """Import on demand: the noise of builds needs no ruptures, which takes a second to import."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
