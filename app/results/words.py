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
    """Join names as in a sentence.

    >>> listed("abc"), listed("a"), listed(())
    ('a, b and c', 'a', '')
    """
    return " and ".join(", ".join(names).rsplit(", ", 1))
