"""Find the shifts of one series, or of all series of a build."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from expectations.detector.changes import Change, Changes
from expectations.detector.flat import Levels, find_levels
from expectations.detector.prepare import Prepared, prepare
from expectations.detector.significance import adjust_for_many

__all__ = ["ALPHA", "FLOOR", "find_changes", "find_changes_many"]

ALPHA = 0.005  # chance of a shift in a series that has none
FLOOR = 0.5  # least shift, in standard deviations of the noise around it

Floats = NDArray[np.float64]


def find_changes(values: ArrayLike, *, alpha: float = ALPHA, floor: float = FLOOR) -> Changes:
    """The shifts of one series: numbers in time order, NaN where one is missing.

    alpha: chance of a shift in a series that has none; floor: least shift in standard deviations
    of the noise around it. Infinite values raise ValueError.
    """
    return _search([np.asarray(values, dtype=float)], alpha, floor)[0]


def find_changes_many(
    series: Iterable[ArrayLike], *, alpha: float = ALPHA, floor: float = FLOOR
) -> list[Changes]:
    """The shifts of each series of a build, with the share of false ones among all held.

    series: a matrix (series x points) or series of any lengths. Beyond what find_changes asks of
    a series alone, its clearest shift must stand Benjamini-Yekutieli's procedure at level
    `alpha` over all series; a series that fails has no shift.
    """
    found = _search([np.asarray(values, dtype=float) for values in series], alpha, floor)
    least = [min((c.p_value for c in of.changes), default=1.0) for of in found]
    stands = adjust_for_many(least) <= alpha
    return [of if ok else _cleared(of) for of, ok in zip(found, stands, strict=True)]


def _search(series: list[Floats], alpha: float, floor: float) -> list[Changes]:
    prepared = prepare(series)
    found = find_levels([of.row for of in prepared], alpha, floor)
    return [_changes(of, levels) for of, levels in zip(prepared, found, strict=True)]


def _changes(of: Prepared, levels: Levels) -> Changes:
    starts = [0, *levels.starts.tolist(), of.row.size]
    parts = [of.row[a:b] for a, b in pairwise(starts)]
    means = [float(part.mean()) if part.size else 0.0 for part in parts]
    rest = np.concatenate([part - mean for part, mean in zip(parts, means, strict=True)])
    noise = float(np.sqrt(np.sum(rest**2) / max(rest.size - len(parts), 1)))
    inflation = (1 + levels.memory) / (1 - levels.memory)
    changes = []
    for i, (left, right) in enumerate(pairwise(parts)):
        shift = means[i + 1] - means[i]
        error = noise * np.sqrt(inflation * (1 / left.size + 1 / right.size))
        reach = float(special.stdtrit(max(rest.size - len(parts), 1), 0.975) * error)
        changes.append(
            Change(
                index=int(of.places[starts[i + 1]]),
                kind="level",
                before=of.centre + of.unit * means[i],
                after=of.centre + of.unit * means[i + 1],
                low=of.unit * (shift - reach),
                high=of.unit * (shift + reach),
                effect=abs(shift) / noise if noise else float("inf"),
                p_value=float(levels.p_values[i]),
                runs_before=left.size,
                runs_after=right.size,
            )
        )
    return Changes(
        changes=tuple(changes),
        count=of.row.size,
        missing=of.count - of.row.size,
        noise=of.unit * noise,
        memory=levels.memory,
        shape="levels",
        period=0,
    )


def _cleared(of: Changes) -> Changes:
    return replace(of, changes=())
