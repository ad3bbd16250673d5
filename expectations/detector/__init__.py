"""Level shifts in series of measurements, and the comparison of two sets of runs.

A kernel of numbers: it knows no database, no file and no expectation. docs/detector.md has the
method, docs/detector-figures.md what it reaches.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from expectations.detector.changes import Change, Changes
    from expectations.detector.find import find_changes, find_changes_many
    from expectations.detector.matched import compare_matched
    from expectations.detector.pairs import Comparison, compare

__all__ = ["Change", "Changes", "Comparison", "compare", "compare_matched", "find_changes",
           "find_changes_many"]  # fmt: skip

_MODULES = {
    "Change": "changes",
    "Changes": "changes",
    "Comparison": "pairs",
    "compare": "pairs",
    "compare_matched": "matched",
    "find_changes": "find",
    "find_changes_many": "find",
}


def __getattr__(name: str) -> object:
    """Import what is asked for: a comparison must not wait seconds for the tools of series."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
