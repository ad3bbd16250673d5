"""Series that are judged night after night: false alarms in a year, and how soon a step is found.

The detector judges as `perfhouse check` does: at the level of one look for each series, and with
the false discovery rate of 5 % in its family. The others have no family.

    alone      find_changes_many, each series a family of its own
    family     find_changes_many, all series one family
    Otava      apache-otava's compute_change_points, window 50, p 0.001: its defaults

Otava pins other versions of libraries than perfhouse, so it is not a requirement. Its column is
there if it can be imported: `uv pip install --no-deps --target DIR apache-otava`, and DIR on
PYTHONPATH.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from expectations.detector import find_changes_many
from expectations.detector.significance import NIGHTLY, normal_score, search_p_value
from expectations.regressions.levels import is_clear

__all__ = ["KINDS", "OTAVA", "by_otava", "false_alarms", "found_after", "lines_of"]

KINDS = ("Gaussian", "Student t3", "bimodal", "log-normal", "rare mode", "AR(0.3)", "AR(0.6)",
         "slow wave", "random walk")  # fmt: skip
LOOKS = (*range(12, 60, 4), *range(60, 130, 10), *range(130, 366, 25))  # nights
OTAVA = find_spec("otava") is not None
BEFORE, AFTER = 60, (3, 5, 10, 20)
NOISES = (1.0, 2.0, 3.0, 5.0)  # per cent, for a step of 5 %
FAMILY, CHANGED = 300, 30
NEAR = 5
LEAST, BOUND = 3, 4_000  # points on a side, and series, of the bound

Floats = NDArray[np.float64]
Found = list[list[int]]
Noise = Callable[[str, int, int, np.random.Generator], Floats]
Method = Callable[[Floats], Found]


def by_otava(rows: Floats) -> Found:
    """Run apache-otava."""
    from otava.analysis import compute_change_points

    return [
        [int(c.index) for c in compute_change_points(list(row), window_len=50, max_pvalue=0.001,
                                                     min_magnitude=0.0)[0]]
        for row in rows
    ]  # fmt: skip


def _nightly(rows: Floats, families: list[int]) -> Found:
    found = find_changes_many(rows, alpha=NIGHTLY, families=families)
    return [
        [c.index for c in one.changes if c.kind == "level"]
        + ([one.trend.index] if one.trend and is_clear(one.trend) else [])
        for one in found
    ]


METHODS: dict[str, Method] = {
    "alone": lambda rows: _nightly(rows, list(range(len(rows)))),
    "family": lambda rows: _nightly(rows, [0] * len(rows)),
} | ({"Otava": by_otava} if OTAVA else {})
_EVERY = {"Otava": 3}  # one series in so many


def false_alarms(
    console: Console, noise: Noise, series: int, random: np.random.Generator
) -> dict[str, dict[str, float]]:
    """Return the share of series without a change that are flagged, by kind of noise and method."""
    table: dict[str, dict[str, float]] = {}
    for kind in track(KINDS, "nights", console=console, transient=True):
        rows = 100 + 3 * noise(kind, series, LOOKS[-1], random)
        table[kind] = {}
        for name, method in METHODS.items():
            chosen = rows[:: _EVERY.get(name, 1)]
            once = np.array([bool(places) for places in method(chosen[:, :BEFORE])])
            year = np.zeros(len(chosen), dtype=bool)
            for look in LOOKS:
                # A flagged series stays in its family, as on the nights after a finding.
                year |= [bool(places) for places in method(chosen[:, :look])]
            table[kind] |= {f"once, {name}": once.mean(), f"a year, {name}": year.mean()}
    return table


def found_after(
    noise: Noise, families: int, random: np.random.Generator
) -> dict[str, dict[str, float]]:
    """Return the share of steps of 5 % that are found, by noise and points after the step.

    One in ten series of a family has the step; dated: within one point, of those found in ten.
    bound: see most_found.
    """
    table: dict[str, dict[str, float]] = {}
    for percent in NOISES:
        for after in AFTER:
            row = table.setdefault(f"{percent:.0f} % noise, {after} points after", {})
            hits: dict[str, list[bool]] = {name: [] for name in METHODS}
            dated: dict[str, list[bool]] = {name: [] for name in METHODS}
            for _ in range(families):
                rows = 100 + percent * noise("Gaussian", FAMILY, BEFORE + after, random)
                rows[:CHANGED, BEFORE:] += 5
                for name, method in METHODS.items():
                    judged = rows if name == "family" else rows[:CHANGED]
                    for places in method(judged)[:CHANGED]:
                        off = min((abs(at - BEFORE) for at in places), default=NEAR + 1)
                        hits[name].append(off <= NEAR)
                        if off <= NEAR:
                            dated[name].append(off <= 1)
            for known, what in ((True, "bound"), (False, "bound, noise unknown")):
                row[f"{what}, found"] = most_found(percent, after, BOUND, random, known=known)
            for name in METHODS:
                row[f"{name}, found"] = float(np.mean(hits[name]))
                row[f"{name}, dated"] = float(np.mean(dated[name])) if dated[name] else np.nan
    return table


def most_found(
    percent: float, after: int, series: int, random: np.random.Generator, *, known: bool
) -> float:
    """Return the power of the likelihood ratio at the error of one look at one series.

    It takes the place where a step of 5 % explains most. known: whether it knows the noise, or has
    to estimate it from the series, as any detector.
    """
    points = BEFORE + after
    rows = random.normal(size=(series, points))
    rows[:, BEFORE:] += 5 / percent
    rows -= rows.mean(axis=1, keepdims=True)
    left = np.arange(LEAST, points - LEAST + 1)
    sums = np.cumsum(rows, axis=1)[:, left - 1]
    scores = np.abs(sums) * np.sqrt(points / (left * (points - left)))
    if not known:
        freedom = points - 2
        rest = np.square(rows).sum(axis=1, keepdims=True) - np.square(scores)
        scores = normal_score(scores / np.sqrt(rest / freedom), freedom)
    tried = np.linspace(3.0, 7.0, 4001)
    alarm = tried[int((search_p_value(tried, points, LEAST) <= NIGHTLY).argmax())]
    near = np.abs(left[scores.argmax(axis=1)] - BEFORE) <= NEAR
    return float(np.mean(near & (scores.max(axis=1) >= alarm)))


def lines_of(
    alarms: dict[str, dict[str, float]], found: dict[str, dict[str, float]], series: int
) -> list[str]:
    """Return the two tables in Markdown."""
    return [
        f"{series:,} series without a change, of up to {LOOKS[-1]} nights, judged at {len(LOOKS)}",
        f"of them (once: only after {BEFORE}): the share in which a shift or slope was found at",
        "any look. Otava has one in three of them. A slow wave has an amplitude",
        "of one standard deviation of the noise on it, and a period of 20 to 60 nights; a random",
        "walk takes steps of 0.3 standard deviations.",
        "",
        *_table("noise", alarms),
        "",
        f"Steps of 5 % after {BEFORE} nights of Gaussian noise, in {CHANGED} of {FAMILY} series:",
        f"found within {NEAR} nights of their place, and of those the share dated within one.",
        "Bound: found in one series by the likelihood ratio that knows the noise, or estimates it",
        f"from the series, at the error of one look ({NIGHTLY}); it knows that nothing has memory.",
        "",
        *_table("", found),
    ]


def _table(first: str, rows: dict[str, dict[str, float]]) -> list[str]:
    columns = list(next(iter(rows.values())))
    return [
        f"| {' | '.join([first, *columns])} |",
        "|---|" + "---:|" * len(columns),
        *(
            f"| {name} | "
            + " | ".join("" if np.isnan(of[c]) else f"{of[c]:.1%}" for c in columns)
            + " |"
            for name, of in rows.items()
        ),
    ]
