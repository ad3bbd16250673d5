"""Level shifts in series of measurements, and the comparison of two sets of runs.

A kernel of numbers: it knows no database, no file and no expectation. docs/detector.md has the
method, docs/detector-figures.md what it reaches.
"""

from expectations.detector.changes import Change, Changes
from expectations.detector.find import find_changes, find_changes_many
from expectations.detector.matched import compare_matched
from expectations.detector.pairs import Comparison, compare

__all__ = ["Change", "Changes", "Comparison", "compare", "compare_matched", "find_changes",
           "find_changes_many"]  # fmt: skip
