"""Counts and lists as they stand in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["counted", "listed"]


def counted(count: int, what: str, many: str = "") -> str:
    """Say how many there are of something; `many`: more than one of it, if that is not its -s.

    >>> counted(1, "run"), counted(1185, "run"), counted(2, "load is", "loads are")
    ('1 run', '1,185 runs', '2 loads are')
    """
    return f"{count:,} {what if count == 1 else many or f'{what}s'}"


def listed(names: Iterable[str]) -> str:
    """Join names as in a sentence; those with commas of their own by semicolons.

    >>> listed("abc"), listed("a"), listed(()), listed(["a, b", "c", "d"])
    ('a, b and c', 'a', '', 'a, b; c and d')
    """
    *first, last = [*names] or [""]
    comma = "; " if any(", " in name for name in first) else ", "
    return f"{comma.join(first)} and {last}" if first else last
