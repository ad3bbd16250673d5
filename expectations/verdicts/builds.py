"""Samples of builds against each other, with the noise between builds.

It is that of each pair's own earlier builds, or borrowed from others. What is judged here together
is one family: marts.fct_comparison and `compare` both judge by this.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from expectations.detector.history import Noise, noise_of_builds
from expectations.verdicts.measure import SHARE, Measure
from expectations.verdicts.samples import TOLERANCE, Between, compare_many
from expectations.verdicts.verdict import BUILD_NOISE, FAMILY, SERIES, Verdict

__all__ = ["Samples", "borrow_noise", "compare_builds", "noise_between"]

Stretches = Iterable[Sequence[Sequence[float]]]

_ENOUGH_OTHERS = 3  # configurations with a history


class Samples(NamedTuple):
    """Two samples of builds: one number per run, and of how many builds they are.

    kind: noise is borrowed from others of it; history: stretches of other builds, each the figures
    of its runs; are_same_builds: whether builds vary on neither side.
    """

    baseline: Sequence[float]
    candidate: Sequence[float]
    measure: Measure
    kind: Hashable
    builds: tuple[int, int]
    are_same_builds: bool
    history: Stretches | None


def compare_builds(
    pairs: Sequence[Samples], *, build_noise: float = BUILD_NOISE, tolerance: float = TOLERANCE
) -> list[Verdict]:
    """Compare pairs of samples, as `compare_many` does, with the noise between their builds.

    build_noise: relative standard deviation to assume of builds where too few are known.
    """
    noises = borrow_noise(
        [noise_between(pair.history, pair.measure) for pair in pairs],
        [pair.kind for pair in pairs],
    )
    return compare_many(
        [pair.baseline for pair in pairs],
        [pair.candidate for pair in pairs],
        [pair.measure for pair in pairs],
        tolerance=tolerance,
        between=[
            Between(noise, source, pair.builds, 0.0 if pair.are_same_builds else build_noise)
            for pair, (noise, source) in zip(pairs, noises, strict=True)
        ],
    )


def noise_between(stretches: Stretches | None, measure: Measure) -> Noise | None:
    """Return the noise of stretches of builds, each the figures of its runs; None of too few."""
    return noise_of_builds([_of_logs(builds, measure) for builds in stretches or () if builds])


def _of_logs(
    builds: Sequence[Sequence[float]], measure: Measure
) -> tuple[list[float], list[int], float]:
    """Return means and numbers of the logarithms of each build's figures, and squared distances."""
    values = np.concatenate([np.asarray(build, dtype=float) for build in builds])
    if measure.kind == SHARE:
        values = np.where(values > 50, 100 - values, values)
    build_nos = np.repeat(np.arange(len(builds)), [len(build) for build in builds])[values > 0]
    logs, build_nos = np.log(values[values > 0]), np.unique(build_nos, return_inverse=True)[1]
    runs = np.bincount(build_nos)
    means = np.bincount(build_nos, logs) / runs
    return means.tolist(), runs.tolist(), float(((logs - means[build_nos]) ** 2).sum())


def borrow_noise(
    noises: Sequence[Noise | None], kinds: Sequence[Hashable]
) -> list[tuple[Noise | None, str]]:
    """Return the noise of each pair, and whose it is: its own, or that of its kind.

    A configuration with too few builds may vary as much as the one that varies most.
    """
    of_kind: dict[Hashable, list[Noise]] = {}
    for noise, kind in zip(noises, kinds, strict=True):
        if noise:
            of_kind.setdefault(kind, []).append(noise)
    most = {
        kind: max(several, key=lambda noise: noise.between)
        for kind, several in of_kind.items()
        if len(several) >= _ENOUGH_OTHERS
    }
    return [
        (noise, SERIES) if noise else (most.get(kind), FAMILY if kind in most else "")
        for noise, kind in zip(noises, kinds, strict=True)
    ]
