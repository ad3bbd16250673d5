"""Preparation of series: no missing points, unit noise, no spikes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Prepared", "prepare", "remove_spikes"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WINDOW = 9  # points of the running median; half of them are a level, not a spike
_REACH = 3.0  # values are clipped at this many noise deviations from the running median
_LEAST_NOISE = 1e-3  # of the total spread: less is rounding, not noise
_NINETIETH = 1.6449  # the 90 % point of |standard normal|
_ROUNDING = 1e-13  # a series with less relative variation is constant


@dataclass(frozen=True, slots=True)
class Prepared:
    """One series on the scale of its noise: value = centre + unit * row.

    row: without missing points and spikes (points); raw: the same with its spikes; places: index
    of each point in the original series (points); count: length of the original series.
    """

    row: Floats
    raw: Floats
    places: Ints
    count: int
    centre: float
    unit: float


def prepare(series: list[Floats]) -> list[Prepared]:
    """Remove missing values and spikes, and scale each series to its noise.

    A constant series becomes zeros. Series of one length are processed as one matrix. Raises
    ValueError for infinite values.
    """
    places = [np.flatnonzero(~np.isnan(values)) for values in series]
    groups: dict[int, list[int]] = {}
    for number, (values, at) in enumerate(zip(series, places, strict=True)):
        if values.ndim != 1:
            raise ValueError("a series must have one dimension")
        if np.isinf(values).any():
            raise ValueError("a series holds an infinite value")
        groups.setdefault(at.size, []).append(number)
    prepared: dict[int, Prepared] = {}
    for size, members in groups.items():
        rows = np.array([series[i][places[i]] for i in members]).reshape(len(members), size)
        for i, scaled in zip(members, _scaled(rows), strict=True):
            row, centre, unit = scaled
            # Huge values: halves, as their difference could overflow.
            raw = (series[i][places[i]] / 2 - centre / 2) / unit * 2
            prepared[i] = Prepared(row, raw, places[i], series[i].size, centre, unit)
    return [prepared[i] for i in range(len(series))]


def _scaled(rows: Floats) -> list[tuple[Floats, float, float]]:
    """Return (scaled row, centre, unit) of each row of a matrix (series x points)."""
    if not rows.shape[1]:
        return [(row, 0.0, 1.0) for row in rows]
    size = np.max(np.abs(rows), axis=1)
    size = np.where(size > 0, size, 1.0)
    rows = rows / size[:, None]  # squares of huge values must not overflow
    centre = np.median(rows, axis=1)
    centred = rows - centre[:, None]
    spread = centred.std(axis=1)
    varies = spread > _ROUNDING
    spread = np.where(varies, spread, 1.0)
    plain, noise = remove_spikes(np.where(varies[:, None], centred / spread[:, None], 0.0))
    scaled = plain / noise[:, None]
    unit = size * spread * noise
    return list(zip(scaled, (size * centre).tolist(), unit.tolist(), strict=True))


def remove_spikes(rows: Floats) -> tuple[Floats, Floats]:
    """Clip spikes; return the clipped rows and the noise of each row.

    rows: (series x points), each with unit standard deviation. Values beyond three deviations of
    the noise around the running median of nine points are clipped; a single point twice as far is
    set to the median. The noise is estimated from the 90 % quantile of the residuals, which sees
    both modes of bimodal noise, unlike the median absolute deviation.
    """
    half = min(_WINDOW, rows.shape[1]) // 2
    padded = np.pad(rows, ((0, 0), (half, half)), mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1, axis=1)
    middle = np.partition(windows, half, axis=2)[:, :, half]
    rest = rows - middle
    noise = np.quantile(np.abs(rest), 0.9, axis=1, keepdims=True) / _NINETIETH
    # If nine in ten points are on the median, the tenth is no estimate of the noise.
    bound = np.where(noise > 0, _REACH * noise, np.inf)
    out = np.abs(rest) > bound
    neighbours = np.zeros_like(out)
    neighbours[:, 1:] |= out[:, :-1]
    neighbours[:, :-1] |= out[:, 1:]
    spike = ~neighbours & (np.abs(rest) > 2 * bound)
    cut = np.where(spike, 0.0, np.clip(rest, -bound, bound))
    return middle + cut, np.maximum(noise[:, 0], _LEAST_NOISE)
