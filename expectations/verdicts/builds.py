"""The noise between builds: that of each pair's own earlier builds, or borrowed from others."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from expectations.detector.history import Noise, noise_of_builds
from expectations.verdicts.measure import SHARE, Measure
from expectations.verdicts.verdict import FAMILY, SERIES

__all__ = ["borrowed", "noise_between"]

_ENOUGH_OTHERS = 3  # configurations with a history


def noise_between(
    stretches: Iterable[Iterable[Sequence[float]]] | None, measure: Measure
) -> Noise | None:
    """Return the noise of stretches of builds, each the figures of its runs; None of too few."""
    told = []
    for builds in stretches or ():
        logs = [np.log(of) for build in builds if (of := _scaled(build, measure)).size]
        squares = sum(float(((of - of.mean()) ** 2).sum()) for of in logs)
        told.append(([float(of.mean()) for of in logs], [of.size for of in logs], squares))
    return noise_of_builds(told)


def _scaled(figures: Sequence[float], measure: Measure) -> NDArray[np.float64]:
    values = np.asarray(figures, dtype=float)
    if measure.kind == SHARE:
        values = np.where(values > 50, 100 - values, values)
    return values[values > 0]


def borrowed(
    own: Sequence[Noise | None], kinds: Sequence[Hashable]
) -> list[tuple[Noise | None, str]]:
    """Return the noise of each pair, and whose it is: its own, or that of its kind.

    A configuration with too few builds may vary as much as the one that varies most.
    """
    of_kind: dict[Hashable, list[Noise]] = {}
    for noise, kind in zip(own, kinds, strict=True):
        if noise:
            of_kind.setdefault(kind, []).append(noise)
    most = {
        kind: max(of, key=lambda noise: noise.between)
        for kind, of in of_kind.items()
        if len(of) >= _ENOUGH_OTHERS
    }
    return [
        (noise, SERIES) if noise else (most.get(kind), FAMILY if kind in most else "")
        for noise, kind in zip(own, kinds, strict=True)
    ]
