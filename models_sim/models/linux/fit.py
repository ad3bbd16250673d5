"""Calibration of the Linux families: least squares, shrunken effects, a mixture for stalls.

Every fit begins at the declared starting values, so it always gives the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.optimize import least_squares

from models_sim.base import effects
from models_sim.base.family import Z90, Floats
from models_sim.base.parameters import Parameter, Parameters
from models_sim.models.linux import mechanism as linux
from models_sim.models.linux.mixtures import normal_density

_LOG_RATIO = "ln ratio"


class Knob(NamedTuple):
    """A fitted parameter: where its search begins, and the sd of its prior.

    A positive parameter is searched for by its logarithm, with a prior around `start`; a signed one
    has its prior around 0. The priors only settle what the figures leave open.
    """

    name: str
    unit: str
    start: float
    prior_sd: float | None = None  # None: positive; its logarithm has an sd of 1
    note: str = ""


CLIENT_TIME = (
    Knob("link", "s/MB", 0.028, note="through the machine of the queue manager"),
    Knob("link_text", "s/MB", 0.001, note="extra for text"),
    Knob("link_large", "ratio", 0.06, 1.0, "share of the link saved by chunks of 512 KB"),
    Knob("open", "s/file", 0.013, note="opening and closing"),
    Knob("open_md5", _LOG_RATIO, 0.1, 0.5, "extra for MD5 when opening"),
    Knob("open_text", _LOG_RATIO, 0.1, 0.5, "extra for text when opening"),
    Knob("open_chunk", _LOG_RATIO, 0.0, 0.2, "saved from 64 to 512 KB chunks"),
    Knob("power", "-", 1.5, note="overlap of link and files: 1 none, large all"),
)
BINDINGS_TIME = (
    Knob("move", "s/MB", 0.01, note="read, send and write, window by window"),
    Knob("move_large", "s/MB", 0.003, note="saved by chunks of 512 KB"),
    Knob("md5", "s/MB", 0.0045, note="checksum thread"),
    Knob("convert", "s/MB", 0.002, note="conversion thread of text"),
    Knob("open", "s/file", 0.03, note="opening and closing a file of 1 MB"),
    Knob("open_text", "s/file", 0.003, note="extra for text, unless MD5 hides it"),
    Knob("open_power", "-", 0.35, note="closing grows with the size to this power"),
)
MULTI_TIME = (
    Knob("speed_up", "ratio", 2.7, note="ten transfers on four CPUs"),
    Knob("disk", "s", 8.4, note="floor of the measurement's 2048 MB"),
    Knob("stalled", "s", 88.0, note="a stalled run; inferred from the levels of the times"),
)
MULTI_POWER = 4.0  # overlap of agents and disk; any value from 3 to 6 fits as well
CPU = (
    Knob("mb", "CPU s/MB", 0.002),
    Knob("file", "CPU s/file", 0.003),
    Knob("mb_md5", "CPU s/MB", 0.001, 0.01),
    Knob("mb_text", "CPU s/MB", 0.0, 0.002),
    Knob("mb_large", "ratio", 0.0, 0.2, "saved by chunks of 512 KB"),
    Knob("file_md5", "CPU s/file", 0.0, 0.002),
    Knob("file_text", "CPU s/file", 0.0, 0.002),
)
#: Prior standard deviation of the effects, by connection and transfer; chosen by the
#: cross-validated error. Multiple transfers in bindings mode have states instead of effects.
EFFECT_SD = {("client", "single"): 0.02, ("client", "multi"): 0.01, ("bindings", "single"): 0.03}
STALL_SHRINKAGE = 8.0  # weight of the common distribution in a class, in rows
STATE_SD = 0.08  # log sd within a state at the start of the search
SPREAD = 1.15  # factor on the sd, because bands must hold figures that were not fitted
WIDENING = 1.3  # factor on the sd within a state, because the states are uncertain too


def fit(connection: str, cells: pl.DataFrame, weights: Floats, start: Parameters) -> Parameters:
    """Fit the times and the CPU of a connection to its rows with a weight above zero.

    The tables of best times are not fitted. `start` is not used.
    """
    cells = cells.filter(pl.Series(weights > 0))
    parameters: list[Parameter] = []
    values: dict[str, float] = {}

    def keep(new: Iterable[Parameter]) -> None:
        for parameter in new:
            parameters.append(parameter)
            values[parameter.name] = parameter.value

    stalls = connection == "bindings"
    share = np.empty((0, 0))
    for transfer in ("single", "multi"):
        mine = cells.filter(pl.col("transfer") == transfer)
        where = f"document 002, {connection} {transfer}"
        rows, log_time = _times(mine)
        if transfer == "multi" and stalls:
            new, share = _fit_stalls(rows, log_time, values, where)
            keep(new)
        else:
            keep(_fit_time(connection, transfer, rows, log_time, where))
        keep(_fit_cpu(transfer, mine, rows, share, values, where))
    return Parameters(parameters)


def _times(cells: pl.DataFrame) -> tuple[pl.DataFrame, Floats]:
    """Return one row per measurement, and the logarithm of its seconds from its time and rate."""
    timed = cells.filter(pl.col("metric").is_in(["transfer_time", "rate"])).with_columns(
        pl.when(pl.col("metric") == "rate")
        .then(linux.VOLUME_MB * linux.MEGABITS_PER_MB / pl.col("value"))
        .otherwise(pl.col("value"))
        .log()
        .alias("_log")
    )
    keys = ["transfer", "md5", "mode", "file_size_mb", "chunk_size"]
    rows = timed.group_by(keys, maintain_order=True).agg(pl.col("_log").mean())
    return rows, rows["_log"].to_numpy()


def _search(
    knobs: tuple[Knob, ...], residual: Callable[[dict[str, float]], Floats]
) -> dict[str, float]:
    """Return the values of the knobs with the least soft-L1 loss; residuals are in sd."""
    positive = np.array([knob.prior_sd is None for knob in knobs])
    scale = np.array([knob.prior_sd or 1.0 for knob in knobs])
    start = np.array([knob.start for knob in knobs])

    def values(x: Floats) -> dict[str, float]:
        at = np.where(positive, np.exp(np.where(positive, x, 0.0)), x * scale)
        return {knob.name: float(v) for knob, v in zip(knobs, at, strict=True)}

    def loss(x: Floats) -> Floats:
        return np.concatenate([residual(values(x)), x - centre])

    first = np.where(positive, np.log(np.where(positive, start, 1.0)), start / scale)
    centre = np.where(positive, first, 0.0)
    return values(least_squares(loss, first, loss="soft_l1", xtol=1e-6, max_nfev=100).x)


def _declare(
    knobs: Iterable[Knob], values: Mapping[str, float], prefix: str, where: str
) -> list[Parameter]:
    return [
        Parameter(
            f"{prefix} {k.name}", values[k.name], k.unit, fitted=where, note=k.note, start=k.start
        )
        for k in knobs
    ]


def _with_prefix(values: Mapping[str, float], prefix: str) -> dict[str, float]:
    return {f"{prefix} {name}": value for name, value in values.items()}


def _spread(residual: Floats, knobs: int) -> float:
    """Return the log sd whose normal 10-90 % band holds 80 % of the residuals.

    It allows for the degrees of freedom that the knobs use.
    """
    freedom = np.sqrt(len(residual) / max(len(residual) - knobs, 1))
    return float(np.quantile(np.abs(residual), 0.8) / Z90 * freedom * SPREAD)


def _sds_by_size(
    size: Floats, residual: Floats, knobs: int, transfer: str, where: str
) -> list[Parameter]:
    share = knobs / len(linux.SIZES)
    return [
        Parameter(
            f"{transfer} time sd @ {s} MB",
            _spread(residual[size == s], round(share)) if np.any(size == s) else 0.1,
            _LOG_RATIO,
            fitted=where,
        )
        for s in linux.SIZES
    ]


def _fit_time(
    connection: str,
    transfer: str,
    rows: pl.DataFrame,
    log_time: Floats,
    where: str,
) -> list[Parameter]:
    """Fit the mechanism, then the spread by file size, then the effects on what is left."""
    f = linux.factors(rows)
    knobs = CLIENT_TIME if connection == "client" else BINDINGS_TIME
    expected = (
        np.where(f.size < 3.0, 0.06, 0.02) if connection == "client" else np.full(len(f.size), 0.04)
    )

    def mechanism(values: Mapping[str, float]) -> Floats:
        return np.log(linux.run_time(connection, transfer, f, _with_prefix(values, transfer)))

    values = _search(knobs, lambda v: (mechanism(v) - log_time) / expected)
    residual = log_time - mechanism(values)
    parameters = _declare(knobs, values, transfer, where)
    spreads = _sds_by_size(f.size, residual, len(knobs), transfer, where)
    terms = linux.TERMS[connection]
    sds = {term.name: EFFECT_SD[connection, transfer] for term in terms}
    noise = np.interp(np.log(f.size), np.log(linux.SIZES), [p.value for p in spreads])
    names = [str(i) for i in range(rows.height)]
    shifts = effects.fit(rows, residual, noise, terms, sds, 0.0, names)
    return [*parameters, *spreads, *effects.as_parameters(f"{transfer} time", shifts, where)]


def _fit_stalls(
    rows: pl.DataFrame, log_time: Floats, known: Mapping[str, float], where: str
) -> tuple[list[Parameter], Floats]:
    """Fit the number of stalled runs of each row by expectation-maximisation.

    Return the parameters and, for each row, the probabilities of 0..4 stalled runs.
    """
    f = linux.factors(rows)
    classes = linux.stall_classes(f)
    levels = linux.RUNS + 1
    values = {knob.name: knob.start for knob in MULTI_TIME}
    chance = np.full((len(classes), levels), 1.0 / levels)
    sd = STATE_SD

    def medians(v: Mapping[str, float]) -> Floats:
        p = {**known, **_with_prefix(v, "multi"), "multi power": MULTI_POWER}
        return np.log(linux.stall_levels(linux.multi_run_time(f, p), v["stalled"]))

    share = chance
    for _ in range(25):
        off = log_time[:, None] - medians(values)
        share = chance * normal_density(off / sd) + 1e-12
        share = share / share.sum(axis=1, keepdims=True)
        chance = _shrink(share, classes, f.md5)
        values = _search(MULTI_TIME, _weighted_errors(medians, log_time, np.sqrt(share)))
        off = log_time[:, None] - medians(values)
        sd = max(float(np.sqrt(np.sum(share * off**2) / len(off))), 0.04)
    fitted = _declare(MULTI_TIME, values, "multi", where)
    fitted.append(
        Parameter(
            "multi power",
            MULTI_POWER,
            "-",
            source="set: 3 to 6 fit equally well",
            note="overlap of agents and disk",
        )
    )
    for name in ("binary", "text", *(f"md5 {s}" for s in linux.SIZES)):
        at = chance[classes == name]
        row = at[0] if len(at) else np.full(levels, 1.0 / levels)
        fitted += [
            Parameter(f"multi stalled {k} of 4: {name}", float(c), "probability", fitted=where)
            for k, c in enumerate(row)
        ]
    fitted += [
        Parameter(
            f"multi time sd @ {s} MB",
            sd * WIDENING,
            _LOG_RATIO,
            fitted=where,
            note="within a state",
        )
        for s in linux.SIZES
    ]
    return fitted, share


def _weighted_errors(
    medians: Callable[[Mapping[str, float]], Floats], log_time: Floats, root: Floats
) -> Callable[[dict[str, float]], Floats]:
    """Return a function for the errors of all rows in all states, times the root of their share."""
    return lambda v: ((medians(v) - log_time[:, None]) * root / STATE_SD).ravel()


def _shrink(share: Floats, classes: np.ndarray, md5: Floats) -> Floats:
    """Return the probabilities of each row's class, shrunk towards all rows with or without MD5."""
    chance = np.empty_like(share)
    for state in np.unique(md5):
        common = share[md5 == state].sum(axis=0) + 0.25
        common = common / common.sum()
        for name in np.unique(classes[md5 == state]):
            mine = classes == name
            counts = share[mine].sum(axis=0) + STALL_SHRINKAGE * common
            chance[mine] = counts / counts.sum()
    return chance


def _fit_cpu(
    transfer: str,
    cells: pl.DataFrame,
    timed: pl.DataFrame,
    share: Floats,
    known: Mapping[str, float],
    where: str,
) -> list[Parameter]:
    """Fit the CPU of each machine that has figures."""
    fitted: list[Parameter] = []
    for metric, host in linux.HOSTS.items():
        rows = cells.filter(pl.col("metric") == metric)
        if rows.is_empty():
            continue
        left = 1.0 - _stalled_runs(rows, timed, share) / linux.RUNS  # did not stall
        prefix = f"{transfer} {host}"
        if host == "coordinator":
            whole = rows["value"].to_numpy()[left > 0.4] / left[left > 0.4]
            fitted += [
                Parameter(f"{prefix} percent", max(float(whole.mean()), 0.1), "%", fitted=where),
                Parameter(f"{prefix} sd", 0.3, _LOG_RATIO, source="set: about one whole percent"),
            ]
        else:
            fitted += _fit_host(prefix, rows, left, known, where)
    return fitted


def _fit_host(
    prefix: str, rows: pl.DataFrame, left: Floats, known: Mapping[str, float], where: str
) -> list[Parameter]:
    """Fit the CPU seconds of one machine; `left` is the share of runs that did not stall."""
    f = linux.factors(rows)
    percent = rows["value"].to_numpy()
    time = linux.run_time(rows["connection"][0], rows["transfer"][0], f, known)
    spread = np.hypot(0.05 * percent, 0.35)  # 5 %, and rounding to whole percents

    def expected(values: Mapping[str, float]) -> Floats:
        moving, opening = linux.cpu_seconds(f, _with_prefix(values, prefix), prefix)
        stalled = opening / known.get("multi stalled", np.inf)
        return np.asarray(100.0 * (left * (moving + opening) / time + (1.0 - left) * stalled))

    values = _search(CPU, lambda v: (expected(v) - percent) / spread)
    residual = np.log(np.maximum(expected(values), 0.5) / np.maximum(percent, 0.5))
    sd = Parameter(f"{prefix} sd", _spread(residual, len(CPU)), _LOG_RATIO, fitted=where)
    return [*_declare(CPU, values, prefix, where), sd]


def _stalled_runs(rows: pl.DataFrame, timed: pl.DataFrame, share: Floats) -> Floats:
    """Return the most likely number of stalled runs of each row, or 0 if its time is unknown."""
    if not share.size:
        return np.zeros(rows.height)
    keys = ["md5", "mode", "file_size_mb", "chunk_size"]
    likely = timed.select(*keys, pl.Series("_k", share.argmax(axis=1).astype(float)))
    joined = rows.select(keys).join(likely, on=keys, how="left", maintain_order="left")
    return joined["_k"].fill_null(0.0).to_numpy()
