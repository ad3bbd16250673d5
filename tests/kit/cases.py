"""Cases of parametrized tests, as text beside the test.

test_NAME.py has its cases in NAME.txt. A table begins with the name of its test and that of its
columns; a case is a line of values of Python, which may name what stands in the test's module, and
what follows two spaces and `#` is its name:

    test_the_last_rule_that_fits_counts: metric | campaign | percent
        "rate" | "z16" | 1.0
        "rate" | "nightly" | 2.0  # the first of two rules

Queries are in NAME.sql, each below a comment with its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest


def cases(function: Callable[..., None]) -> Callable[..., None]:
    """Return a test with a case for each line of its table."""
    of, rows = tables(Path(function.__code__.co_filename))[function.__name__]
    known = [
        pytest.param(*(eval(cell, function.__globals__) for cell in row.split(" | ")), id=name)
        for row, name in rows
    ]
    return pytest.mark.parametrize(of, known)(function)


@cache
def tables(module: Path) -> dict[str, tuple[list[str], list[tuple[str, str | None]]]]:
    """Return test -> the names of its columns, and its rows with their names."""
    found: dict[str, Any] = {}
    for line in filter(None, _beside(module, ".txt").splitlines()):
        if match := re.fullmatch(r"(\w+): (.*)", line):
            rows: list[tuple[str, str | None]] = []
            found[match[1]] = match[2].split(" | "), rows
        else:
            row, _, name = line.strip().partition("  # ")
            rows.append((row, name or None))
    return found


def queries(file: str) -> dict[str, str]:
    """Return name -> query, of a test module."""
    text = _beside(Path(file), ".sql")
    return dict(re.findall(r"^-- (.*)\n((?:(?!-- ).*\n?)+)", text, re.MULTILINE))


def _beside(module: Path, suffix: str) -> str:
    return module.with_name(module.stem.removeprefix("test_") + suffix).read_text()
