"""What somebody may have meant who mistyped a name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["did_you_mean"]

_ALIKE = 0.6  # of the letters, at least


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return a phrase with the known names that are most like a given one; "" if none is.

    >>> did_you_mean("regresions", ["regressions", "report"])
    "; did you mean 'regressions'?"
    """
    names = {name.lower(): name for name in known}
    near = get_close_matches(given.lower(), names, n=2, cutoff=_ALIKE)
    return f"; did you mean {' or '.join(repr(names[name]) for name in near)}?" if near else ""
