"""The nights of `nightly` with changes that the seed draws: their places, sizes and kinds.

Steps, some of them taken back; a leak; a second step a few nights after the first; a bad night
before a step; a metric of two values; units that change, to one that can be converted and one that
cannot; faults in the data; an improvement; and a change below the noise. TRUTH.json in the
campaign's folder lists them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.scenarios.changes import Injection, truth_text
from models_sim.simulator.campaigns.scenarios.definition import Scenario
from models_sim.simulator.campaigns.scenarios.nightly import (
    CONFIGURATIONS,
    NIGHTS,
    START,
    night_of,
    revision,
    runs_with,
)

__all__ = ["SCENARIO", "draw_changes", "truth"]

#: Configurations whose cost changes in an address space, and its place.
_COSTS = {
    "between": ("MVS3", "AGNTA3"),
    "inbound": ("MVS3", "AGNTA3"),
    "tls": ("MVS1", "MQA1CHIN"),
    "ams": ("MVS1", "AGNTA1"),
}
#: Configurations whose rate changes, the metric that is their rate, and why.
_RATES = {
    "outbound": ("rate", "network", ""),
    "shared": ("rate", "cf", ""),
    "linux": ("rate", "host", ""),
    "persistent": ("transactions_per_second", "log", "MVS1"),
}
_EARLY, _LATE = 25, 85  # nights between which lasting changes begin
#: What a person measures in each run: metric, value and unit at first, after the change, noise.
_GIVEN = {
    "heap_mb": ((512.0, "MB"), (1024.0, "MB"), 0.0),
    "reply_time": ((4.0, "ms"), (4000.0, "us"), 0.01),
    "queue_depth": ((40.0, "messages"), (40.0, "KB"), 0.01),
}


def draw_changes(rng: np.random.Generator) -> tuple[Injection, ...]:
    """Return the changes of a seed, drawn by its generator."""
    return (*_costs(rng), *_rates(rng), *_others(rng))


def _night(rng: np.random.Generator, first: int = _EARLY, last: int = _LATE) -> int:
    return int(rng.integers(first, last + 1))


def _size(rng: np.random.Generator, least: float, most: float) -> float:
    return round(float(rng.uniform(least, most)), 3)


def _costs(rng: np.random.Generator) -> Iterator[Injection]:
    """Yield a story for each configuration with a cost: which one has which is drawn."""
    names = list(rng.permutation(list(_COSTS)))
    leak, twice, cured, better = names

    def change(
        name: str, of: str, kind: str, first: int, last: int | None, size: float
    ) -> Injection:
        return Injection(
            name, of, kind, first, last, "cost_per_GB", size, "address space", *_COSTS[of]
        )

    yield change("leak", leak, "leak", _night(rng), None, _size(rng, 0.003, 0.008))
    first = _night(rng)
    yield change("first of two", twice, "step", first, None, _size(rng, 0.05, 0.09))
    again = first + int(rng.integers(4, 9))
    yield change("second of two", twice, "step", again, None, _size(rng, 0.05, 0.09))
    first = _night(rng)
    last = first + int(rng.integers(7, 25))
    yield change("cured", cured, "step", first, last, _size(rng, 0.04, 0.08))
    yield change("better", better, "step", _night(rng), None, -_size(rng, 0.03, 0.06))


def _rates(rng: np.random.Generator) -> Iterator[Injection]:
    """Yield a story for each configuration with a rate."""
    names = list(rng.permutation(list(_RATES)))
    spike, cured, plain, small = names

    def change(
        name: str, of: str, kind: str, first: int, last: int | None, size: float
    ) -> Injection:
        metric, cause, system = _RATES[of]
        return Injection(name, of, kind, first, last, metric, size, cause, system)

    first = _night(rng)
    bad = first - int(rng.integers(1, 5))
    yield change("bad night before", spike, "spike", bad, bad, -_size(rng, 0.12, 0.2))
    yield change("step after a bad night", spike, "step", first, None, -_size(rng, 0.05, 0.09))
    first = _night(rng)
    last = first + int(rng.integers(7, 40))
    yield change("cured rate", cured, "step", first, last, -_size(rng, 0.05, 0.09))
    yield change("slower", plain, "step", _night(rng), None, -_size(rng, 0.04, 0.08))
    yield change("small", small, "step", _night(rng), None, -_size(rng, 0.003, 0.006))


def _others(rng: np.random.Generator) -> Iterator[Injection]:
    """Yield what happens to zIIPs, to measurements of people, and to the data."""
    yield Injection("zIIP spill", "ziip", "step", _night(rng), None, "general_purpose_seconds",
                    0.18, "ziip")  # fmt: skip
    values, convertible, other = rng.permutation(list(CONFIGURATIONS))[:3]
    yield Injection(
        "heap doubled", str(values), "values", _night(rng), None, "heap_mb", 1.0, "1024"
    )
    yield Injection(
        "ms to us", str(convertible), "unit", _night(rng), None, "reply_time", 0.0, "us"
    )
    yield Injection(
        "messages to KB", str(other), "unit", _night(rng), None, "queue_depth", 1.0, "KB"
    )
    gap, partly, failed = (int(night) for night in rng.choice(np.arange(97, 118), 3, replace=False))
    whole, part = rng.permutation(["between", "tls", "inbound"])[:2]
    yield Injection("SMF gap", str(whole), "data", gap, gap, "cpu_seconds", 1.0, "no SMF records")
    yield Injection("missing LPAR", str(part), "data", partly, partly, "cpu_seconds", 0.5,
                    "no SMF records", "MVS3")  # fmt: skip
    yield Injection(
        "half the files", "shared", "data", failed, failed, "files", 0.5, "files failed"
    )


def truth(seed: int) -> tuple[Injection, ...]:
    """Return the changes of a seed."""
    return draw_changes(np.random.default_rng([seed, *SCENARIO.name.encode()]))


def _runs(rng: np.random.Generator) -> pl.DataFrame:
    injected = draw_changes(rng)
    runs = runs_with(injected, rng)
    noise = rng.standard_normal((len(_GIVEN), runs.height))
    names = list(CONFIGURATIONS) * NIGHTS
    given = [
        _measurements(injected, names[i], i // len(CONFIGURATIONS), noise[:, i])
        for i in range(runs.height)
    ]
    measured = pl.List(pl.Struct({
        "metric": pl.String, "value": pl.Float64, "unit": pl.String, "more_is_better": pl.Boolean,
    }))  # fmt: skip
    return runs.with_columns(measured=pl.Series(given, dtype=measured))


def _measurements(
    injected: tuple[Injection, ...], name: str, night: int, noise: np.ndarray
) -> list[dict[str, Any]]:
    """Return what a person measured in a run."""
    changed = {i.metric for i in injected if i.configuration == name and i.holds(night)}
    rows = []
    for index, (metric, (before, after, varied)) in enumerate(_GIVEN.items()):
        value, unit = after if metric in changed else before
        value = round(value * float(np.exp(varied * noise[index])), 4)
        rows.append({"metric": metric, "value": value, "unit": unit, "more_is_better": False})
    return rows


def _truth_text(seed: int) -> str:
    nights = [(night_of(night).isoformat(), revision(night)) for night in range(NIGHTS)]
    return truth_text(truth(seed), nights)


SCENARIO = Scenario(
    "nightly-mixed",
    f"{NIGHTS} nights of {len(CONFIGURATIONS)} configurations, with changes that the seed draws",
    START,
    _runs,
    truth=_truth_text,
)
