"""How well level shifts are detected, compared with known methods on the same series.

Series of 200 points around 100, with several kinds of noise with a standard deviation of 2; no
step, or one step of 5 or 2 (5 % or 2 %) at a random place at least 20 points from the ends; or one
to six spikes of 50 to 200 standard deviations. A step is found if a method places one within 5
points.

    one series      find_changes on each series alone, like `perfhouse changepoints`
    all together    find_changes_many on all series of a kind at once
    PELT            ruptures' KernelCPD, linear kernel: optimal partitioning with pruning
    Otava           apache-otava, if it is installed (tests/bench/nights.py says how)

PELT uses Schwarz's penalty, 2 s**2 ln(200) per change, with s from the median difference
of neighbours. tests/bench/nights.py judges night after night. The figures are also written to
docs/developers/detector-figures.md, unless --quick.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import ruptures
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from expectations.detector import find_changes, find_changes_many
from tests.bench import nights

PAGE = Path(__file__).parents[2] / "docs" / "developers" / "detector-figures.md"
POINTS, LEVEL, NOISE, NEAR = 200, 100.0, 2.0, 5
KINDS = ("Gaussian", "Student t3", "bimodal", "AR(0.3)")
RARE = "rare mode"  # an extra: one point in twenty is eight deviations away
STEPS = (5.0, 2.0)
SERIES, NIGHTLY, FAMILIES = 200, 200, 3
# For the speed: series, points, and the CPU seconds that they may take.
SIZES = ((10_000, 200, 6.0), (1_000, 2_000, 20.0), (100_000, 30, 30.0))

Floats = NDArray[np.float64]
Found = list[list[int]]


def noise(kind: str, series: int, points: int, random: np.random.Generator) -> Floats:
    """Return noise with standard deviation one (series x points); a random walk has none."""
    shape = (series, points)
    if kind == "Gaussian":
        return random.normal(size=shape)
    if kind == "Student t3":
        return random.standard_t(3, size=shape) / np.sqrt(3)
    if kind == "bimodal":  # three points in ten are four deviations of a mode higher
        mixed = 4.0 * (random.random(shape) < 0.3) + random.normal(size=shape)
        return mixed / np.sqrt(1 + 16 * 0.3 * 0.7)
    if kind == RARE:
        mixed = 8.0 * (random.random(shape) < 0.05) + random.normal(size=shape)
        return mixed / np.sqrt(1 + 64 * 0.05 * 0.95)
    if kind == "log-normal":
        skewed = np.exp(0.8 * random.normal(size=shape))
        return (skewed - np.exp(0.32)) / np.sqrt((np.exp(0.64) - 1) * np.exp(0.64))
    if kind == "slow wave":
        period, phase = random.uniform(20, 60, (series, 1)), random.uniform(0, 1, (series, 1))
        wave = np.sin(2 * np.pi * (np.arange(points) / period + phase))
        return (wave + random.normal(size=shape)) / np.sqrt(1.5)
    if kind == "random walk":
        return np.cumsum(0.3 * random.normal(size=shape), axis=1)
    memory = {"AR(0.3)": 0.3, "AR(0.6)": 0.6}[kind]
    news = random.normal(size=(series, points + 50)) * np.sqrt(1 - memory**2)
    for t in range(1, points + 50):
        news[:, t] += memory * news[:, t - 1]
    return news[:, 50:]


def stepped(
    kind: str, step: float, series: int, random: np.random.Generator
) -> tuple[Floats, NDArray[np.int64]]:
    """Return series with one step each, and the places of the steps."""
    rows = LEVEL + NOISE * noise(kind, series, POINTS, random)
    places = random.integers(20, POINTS - 19, series)
    return rows + step * (np.arange(POINTS) >= places[:, None]), places


def spiked(kind: str, series: int, random: np.random.Generator) -> Floats:
    """Return series with one to six spikes of one point each, none adjacent."""
    rows = LEVEL + NOISE * noise(kind, series, POINTS, random)
    for row in rows:
        places = 2 * random.choice(POINTS // 2, random.integers(1, 7), replace=False)
        size = random.uniform(50, 200, places.size) * random.choice([-1.0, 1.0], places.size)
        row[places] += NOISE * size
    return rows


def _penalty(row: Floats) -> float:
    spread = np.median(np.abs(np.diff(row))) / 0.6745 / np.sqrt(2)
    return float(2 * spread**2 * np.log(row.size))


def by_pelt(rows: Floats) -> Found:
    """Run PELT of ruptures."""
    search = ruptures.KernelCPD(kernel="linear", min_size=3)
    return [
        [int(e) for e in search.fit(row.reshape(-1, 1)).predict(pen=_penalty(row))[:-1]]
        for row in rows
    ]


METHODS: dict[str, Callable[[Floats], Found]] = {
    "one series": lambda rows: [find_changes(row).indexes for row in rows],
    "all together": lambda rows: [of.indexes for of in find_changes_many(rows)],
    "PELT": by_pelt,
} | ({"Otava": nights.by_otava} if nights.OTAVA else {})


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures, and whether the first two methods reach targets."""
    series = 60 if quick else SERIES
    random = np.random.default_rng(20240229)
    cells: dict[str, dict[str, float]] = {name: {} for name in METHODS}
    for kind in track((*KINDS, RARE), "detector", console=console, transient=True):
        plain = LEVEL + NOISE * noise(kind, series, POINTS, random)
        spikes = spiked(kind, series, random)
        steps = {step: stepped(kind, step, series, random) for step in STEPS}
        for name, method in METHODS.items():
            cells[name][f"{kind}: no change, flagged"] = _flagged(method(plain))
            cells[name][f"{kind}: spikes, flagged"] = _flagged(method(spikes))
            for step, (rows, places) in steps.items():
                found = method(rows)
                cells[name][f"{kind}: step of {step:.0f} %, found"] = _near(found, places)
                cells[name][f"{kind}: step of {step:.0f} %, false"] = _more(found, places)
    part = 20 if quick else 1
    speed = [
        _speed(of // part, points, random) | {"goal_seconds": goal / part}
        for of, points, goal in SIZES
    ]
    nightly = 20 if quick else NIGHTLY
    alarms = nights.false_alarms(console, noise, nightly, random)
    after = nights.found_after(noise, 1 if quick else FAMILIES, random)
    page = _page(cells, speed, series, nights.lines_of(alarms, after, nightly))
    console.print(page, markup=False, highlight=False)
    if not quick:
        PAGE.write_text(page)
    figures = {
        "series": series,
        "cells": cells,
        "speed": speed,
        "alarms": alarms,
        "after": after,
    }
    return figures, _reached(cells)


def _flagged(found: Found) -> float:
    return sum(bool(places) for places in found) / len(found)


def _near(found: Found, places: NDArray[np.int64]) -> float:
    hits = [any(abs(f - p) <= NEAR for f in of) for of, p in zip(found, places, strict=True)]
    return sum(hits) / len(hits)


def _more(found: Found, places: NDArray[np.int64]) -> float:
    """Return the number of false changes per series."""
    wrong = [
        len(of) - any(abs(f - p) <= NEAR for f in of) for of, p in zip(found, places, strict=True)
    ]
    return sum(wrong) / len(wrong)


def _reached(cells: dict[str, dict[str, float]]) -> bool:
    alone = cells["one series"]
    return (
        all(alone[f"{kind}: no change, flagged"] <= 0.01 for kind in KINDS)
        and all(alone[f"{kind}: step of 5 %, found"] >= 0.95 for kind in KINDS)
        and all(alone[f"{kind}: step of 2 %, found"] >= 0.60 for kind in KINDS[:3])
        and all(cells["all together"][f"{kind}: spikes, flagged"] == 0 for kind in KINDS)
    )


def _speed(series: int, points: int, random: np.random.Generator) -> dict[str, float]:
    """Return seconds for many series, one in ten with a step, in one process."""
    parts = [LEVEL + NOISE * noise(kind, series // 4, points, random) for kind in KINDS]
    rows = np.concatenate(parts)
    rows[::10, points // 2 :] += 5
    load, begun, used = os.getloadavg()[0], time.perf_counter(), time.process_time()
    find_changes_many(rows)
    return {
        "series": float(len(rows)),
        "points": float(points),
        "load_average": load,
        "seconds": time.perf_counter() - begun,
        "processor_seconds": time.process_time() - used,
    }


def _page(
    cells: dict[str, dict[str, float]],
    speed: list[dict[str, float]],
    series: int,
    nightly: list[str],
) -> str:
    lines = [
        "# Figures of the detector",
        "",
        "Written by `make bench-detector`; [detector.md](../detector.md) describes the method,",
        "tests/bench/detector.py the series and the settings of the other methods.",
        "",
        f"Each row: {series:,} series of {POINTS} points with 2 % noise.",
        f"found: located within {NEAR} points; false: number of other changes per series.",
        "",
        "| | " + " | ".join(METHODS) + " |",
        "|---|" + "---:|" * len(METHODS),
    ]
    for row in cells["one series"]:
        shown = [
            f"{of[row]:.3f}" if row.endswith("false") else f"{of[row]:.1%}" for of in cells.values()
        ]
        lines.append(f"| {row} | " + " | ".join(shown) + " |")
    lines += [
        "",
        "Series judged together in one process; the goal is in CPU seconds:",
        "",
        "| series | points | CPU s | goal | of it | s | load average before |",
        "|---:|---:|---:|---:|---:|---:|---:|",
        *(
            f"| {of['series']:,.0f} | {of['points']:,.0f} | {of['processor_seconds']:.1f} "
            f"| {of['goal_seconds']:.0f} | {of['processor_seconds'] / of['goal_seconds']:.0%} "
            f"| {of['seconds']:.1f} | {of['load_average']:.1f} |"
            for of in speed
        ),
        "",
        "## Night after night",
        "",
        *nightly,
    ]
    return "\n".join(lines) + "\n"
