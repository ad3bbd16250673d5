"""Processors z13 to z16 and what MQ gains from them (document 004).

The tables of this document have few figures. So each is modelled as a sum of named effects with
weak priors (see linear), on a scale on which effects add up: logarithms for costs and rates, ln(1 +
change) for changes in percent, percents for LSPR.

    LSPR     improvement = class (low, average, high) + slope * ln(CPs/16)
    TLS      ln cost of a key = key exchange + machine + (key exchange on the machine)
             starting a channel: the same key exchanges, with their own costs and rates
    AMS      ln change = size of the message + policy + policy for large messages
    peaks    ln rate = growth by generation + deviation of the machine: z16 spreads over more
             processor units than z15 (section 4)

The capacity of a coupling facility structure is mechanism only: a message takes an entry and
elements, so bytes per message = fixed + per byte * max(size, 1164).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from models_sim.base import notes
from models_sim.base.family import Z90, Floats, Prediction, covered
from models_sim.base.parameters import Parameters
from models_sim.models.processors.linear import Weight

GENERATIONS = ("z13", "z14", "z15", "z16")
STRUCTURE = 4.0 * 2.0**30  # bytes: document 004, section 2
SMALLEST = 1164.0  # bytes: smaller messages take the same space
AMS_SIZES = {"Small": 2048.0, "Medium": 65536.0, "Large": 4194304.0}  # section 4
CLASSES = ("low", "average", "high")
POLICIES = ("Integrity", "Privacy", "Confidentiality")
BACK: dict[str, Callable[[Floats], Floats]] = {
    "log": np.exp,
    "change": lambda y: 100.0 * np.expm1(y),
    "plain": lambda y: y,
}


class Table(NamedTuple):
    """A metric: its scale, the priors of its weights, and the function from rows to features.

    `noise` is the standard deviation of a figure on that scale, `least` the smallest standard
    deviation of a prediction.
    """

    metric: str
    scale: str
    noise: float
    least: float
    weights: tuple[Weight, ...]
    features: Callable[[pl.DataFrame], Floats]


def _is(cells: pl.DataFrame, column: str, value: str) -> Floats:
    return (cells[column] == value).fill_null(False).cast(pl.Float64).to_numpy()


def _elliptic(cells: pl.DataFrame) -> Floats:
    elliptic = cells["cipher"].str.contains(f"^(TLS_)?ECDHE_|{_TLS13}")
    return elliptic.cast(pl.Float64).to_numpy()


def _by_lspr(cells: pl.DataFrame) -> Floats:
    more = np.log(cells["cpus"].cast(pl.Float64).to_numpy() / 16.0)
    classes = [_is(cells, "rni", name) for name in CLASSES]
    return np.column_stack([*classes, *(c * more for c in classes), more])


def _by_key(cells: pl.DataFrame) -> Floats:
    elliptic, newer = _elliptic(cells), _is(cells, "machine", "z16")
    gcm = cells["cipher"].str.contains("GCM").cast(pl.Float64).to_numpy()
    ecdsa = cells["cipher"].str.contains("ECDSA").cast(pl.Float64).to_numpy()
    return np.column_stack(
        [1.0 - elliptic, elliptic, newer, newer * elliptic, gcm, newer * gcm, ecdsa]
    )


def _by_start(cells: pl.DataFrame) -> Floats:
    elliptic, older = _elliptic(cells), _is(cells, "machine", "z15")
    ecdsa = cells["cipher"].str.contains("ECDSA").cast(pl.Float64).to_numpy()
    return np.column_stack([np.ones(cells.height), elliptic, ecdsa, older])


def ams_size(cells: pl.DataFrame) -> Floats:
    """Return the bytes of a message from its size or size class; NaN if neither is given."""
    named = cells["message_size"].replace_strict(AMS_SIZES, default=None, return_dtype=pl.Float64)
    size = cells["message_size_bytes"].cast(pl.Float64)
    return size.zip_with(size.is_not_null(), named).cast(pl.Float64).fill_null(np.nan).to_numpy()


def _by_policy(cells: pl.DataFrame) -> Floats:
    knots = np.log(list(AMS_SIZES.values()))
    at = np.log(ams_size(cells))
    hats = [np.interp(at, knots, row) for row in np.eye(len(knots))]
    policies = [_is(cells, "ams", name) for name in POLICIES]
    reuse = _is(cells, "ams", "Confidentiality")
    return np.column_stack([*hats, *policies, *(reuse * hat for hat in hats)])


def _by_generation(cells: pl.DataFrame) -> Floats:
    machine = cells["machine"]
    since = machine.replace_strict(
        list(GENERATIONS), list(range(len(GENERATIONS))), return_dtype=pl.Float64
    ).to_numpy()
    is_generation = [_is(cells, "machine", name) for name in GENERATIONS]
    return np.column_stack([np.ones(cells.height), since, *is_generation])


def _ams(first: float, noise: float) -> tuple[Weight, ...]:
    return (
        *(Weight(f"size {name}", first, 0.2) for name in AMS_SIZES),
        *(Weight(f"policy {name}", 0.0, 0.01) for name in POLICIES),
        *(Weight(f"key reuse, {name}", 0.0, noise) for name in AMS_SIZES),
    )


TABLES = (
    Table(
        "expected_improvement", "plain", 0.4, 0.6,
        (
            *(Weight(f"class {name}", 11.0, 5.0) for name in CLASSES),
            *(Weight(f"CPs, class {name}", 0.0, 0.3) for name in CLASSES),
            Weight("CPs", 0.5, 0.5),
        ),
        _by_lspr,
    ),
    Table(
        "secret_key_negotiation_cost", "log", 0.04, 0.06,
        (
            Weight("RSA", 0.0, 2.0),
            Weight("ECDHE", 1.0, 2.0),
            Weight("z16", -0.1, 0.5),
            Weight("z16, ECDHE", 0.0, 0.4),
            Weight("GCM", 0.0, 0.05),
            Weight("z16, GCM", 0.0, 0.1),
            Weight("ECDSA", 0.0, 0.05),
        ),
        _by_key,
    ),
    Table(
        "start_cost", "log", 0.03, 0.08,
        (
            Weight("all", 0.7, 2.0),
            Weight("ECDHE", 0.5, 0.5),
            Weight("ECDSA", 0.0, 0.06),
            Weight("z15", 0.14, 0.02),
        ),
        _by_start,
    ),
    Table(
        "channels_started", "log", 0.03, 0.09,
        (
            Weight("all", 5.0, 2.0),
            Weight("ECDHE", -0.5, 0.5),
            Weight("ECDSA", 0.0, 0.08),
            Weight("z15", -0.14, 0.05),
        ),
        _by_start,
    ),
    Table("change_transaction_cost", "change", 0.01, 0.015, _ams(-0.1, 0.04), _by_policy),
    Table("change_throughput", "change", 0.015, 0.02, _ams(0.1, 0.06), _by_policy),
    Table(
        "peak_messages", "log", 0.01, 0.23,  # least: chosen by the cross-validated errors
        (
            Weight("all", 0.1, 1.0),
            Weight("generation", 0.1, 0.1),
            *(Weight(f"own {name}", 0.0, 0.12) for name in GENERATIONS),
        ),
        _by_generation,
    ),
)  # fmt: skip
CAPACITY = "messages_in_4GB_structure"
LARGEST = 64512  # bytes: larger messages are offloaded from the structure (document 004, section 2)
#: TLS 1.3 always exchanges keys over elliptic curves.
_TLS13 = "^TLS_(AES|CHACHA20)_"
_KEYS = ("secret_key_negotiation_cost", "start_cost", "channels_started")
#: CPUs at the published peak of z15 and z16 (section 4); those of z13 and z14 are not stated.
_CPUS_AT_PEAK = {"z13": 32, "z14": 32, "z15": 32, "z16": 28}
_USED = {
    "expected_improvement": ("rni", "cpus", "machine", "compared_with"),
    **dict.fromkeys(_KEYS, ("cipher", "machine")),
    **dict.fromkeys(
        ("change_transaction_cost", "change_throughput"),
        ("ams", "message_size_bytes", "machine", "compared_with"),
    ),
    "peak_messages": ("machine", "cpus"),
    CAPACITY: ("message_size_bytes",),
}
#: Message sizes of the peaks, and the partner of a change.
_USUAL: Mapping[str, tuple[object, ...]] = {"message_size_bytes": (2048,)}
_AMS_METRICS = ("change_transaction_cost", "change_throughput")


def capacity(size: Floats, p: Mapping[str, float]) -> Floats:
    """Return how many messages of `size` bytes (without MQMD) a structure of 4 GB holds."""
    taken = p["structure entry"] + p["structure per byte"] * np.maximum(size, SMALLEST)
    return np.asarray(STRUCTURE / taken)


class Z16:
    """The tables of document 004 that a model explains."""

    name = "z16"
    file = Path(__file__).with_name("z16.toml")
    metrics: tuple[str, ...] = (*(table.metric for table in TABLES), CAPACITY)
    excluded: frozenset[int] = frozenset()
    targets: Mapping[str, tuple[float, float]] = {}

    def mine(self) -> pl.Expr:
        """Rows of document 004 with these metrics."""
        return (pl.col("document") == "004") & pl.col("metric").is_in(self.metrics)

    def needs(self) -> Mapping[str, pl.Expr]:
        """The factors that each metric needs."""
        metric, machine, other = (pl.col(n) for n in ("metric", "machine", "compared_with"))
        lspr, ams = metric == "expected_improvement", metric.is_in(_AMS_METRICS)
        key, peak, size = metric.is_in(_KEYS), metric == "peak_messages", metric == CAPACITY
        newer = machine.fill_null("z16") == "z16"
        named = pl.col("message_size").is_in(list(AMS_SIZES))
        tls12 = pl.col("cipher").str.contains("^(TLS_RSA_WITH_|(TLS_)?ECDHE_)")
        tls13 = (metric != _KEYS[0]) & pl.col("cipher").str.contains(_TLS13)
        pair = pl.when(newer).then(other.fill_null("z15") == "z15")
        bytes_ = pl.col("message_size_bytes")
        return {
            "rni": ~lspr | pl.col("rni").is_in(CLASSES),
            "cpus": (~lspr | (pl.col("cpus") > 0)) & (~peak | (pl.col("cpus").fill_null(1) > 0)),
            "machine": (~lspr | newer | (machine == "z15"))
            & (~ams | newer)
            & (~key | machine.is_in(["z15", "z16"]))
            & (~peak | machine.is_in(GENERATIONS)),
            "compared_with": (~lspr | pair.otherwise((machine == "z15") & (other == "z16")))
            & (~ams | pair.otherwise(statement=False)),
            "cipher": ~key | tls12 | tls13,
            "ams": ~ams | pl.col("ams").is_in(POLICIES),
            "message_size_bytes": (~ams | named | bytes_.is_not_null())
            & (~size | bytes_.is_between(1, LARGEST)),
        }

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Rows of document 004 whose factors are given."""
        return covered(self, cells)

    def caution(self, cells: pl.DataFrame) -> pl.Expr:
        """Return what the figures do not take into account, or null."""
        metric, cpus = pl.col("metric"), pl.col("cpus")
        lspr, peak = metric == "expected_improvement", metric == "peak_messages"
        return notes.join(
            notes.ignored(cells, _USED, _USUAL),
            notes.when(lspr & ~cpus.is_between(3, 32), "3 to 32 CPs were published"),
            notes.when(
                peak & cpus.is_not_null(), "in proportion to the CPUs up to those of the peak"
            ),
            notes.when(
                metric.is_in(_KEYS) & pl.col("cipher").str.contains(_TLS13),
                "no cost of TLS 1.3 was published: that of ECDHE_RSA with TLS 1.2",
            ),
            notes.when(
                metric.is_in(_AMS_METRICS)
                & ~pl.col("message_size_bytes").is_between(2048, 4194304),
                "messages of 2 KB to 4 MB were published",
            ),
        )

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """Each cell is a group of its own."""
        keys = ["metric", "cpus", "rni", "machine", "cipher", "ams", "message_size"]
        parts = [pl.col(name).cast(pl.String).fill_null("-") for name in keys]
        return cells.select(pl.concat_str(parts, separator=" ")).to_series()

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """The report line of each row."""
        names = {
            "expected_improvement": "LSPR improvement",
            "secret_key_negotiation_cost": "TLS key negotiation",
            "start_cost": "TLS channel start",
            "channels_started": "TLS channel start",
            "change_transaction_cost": "AMS change of cost",
            "change_throughput": "AMS change of throughput",
            "peak_messages": "peak messages",
            CAPACITY: "CF structure capacity",
        }
        return cells["metric"].replace_strict(names, return_dtype=pl.String)

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Predict each row; changes in percent have bands that are not log-normal."""
        value, sigma, low, high = (np.full(cells.height, np.nan) for _ in range(4))
        for table in TABLES:
            chosen = (cells["metric"] == table.metric).fill_null(False)
            mine = chosen.to_numpy()
            if not mine.any():
                continue
            features = table.features(cells.filter(chosen))
            weights = np.array([parameters[f"{table.metric}: {w.name}"] for w in table.weights])
            at = features @ weights
            off = Z90 * parameters[f"{table.metric}: sd"]
            back = BACK[table.scale]
            value[mine], low[mine], high[mine] = back(at), back(at - off), back(at + off)
            sigma[mine] = parameters[f"{table.metric}: sd"] / (1 if table.scale == "log" else 10)
        room = (cells["metric"] == CAPACITY).fill_null(False)
        size = cells.filter(room)["message_size_bytes"].cast(pl.Float64).to_numpy()
        value[room.to_numpy()] = capacity(size, parameters)
        sigma[room.to_numpy()] = parameters["structure sd"]
        value, sigma, low, high = _adjusted(cells, value, sigma, low, high)
        ends = Prediction(value, sigma, low, high).band()
        caution = cells.select(self.caution(cells).alias("caution")).to_series()
        return Prediction(value, sigma, *ends, caution=caution)


def _adjusted(
    cells: pl.DataFrame, value: Floats, sigma: Floats, low: Floats, high: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Apply what the tables do not have: fewer CPUs, TLS 1.3, more CPs, and the pair reversed."""
    metric, cpus = pl.col("metric"), pl.col("cpus").cast(pl.Float64)
    peak = (metric == "peak_messages") & cpus.is_not_null()
    at = pl.col("machine").replace_strict(_CPUS_AT_PEAK, default=None, return_dtype=pl.Float64)
    tls13 = metric.is_in(_KEYS) & pl.col("cipher").str.contains(_TLS13)
    lspr = metric == "expected_improvement"
    beyond = (cpus / cpus.clip(3, 32)).log().abs().fill_null(0.0)
    rows = cells.select(
        part=pl.when(peak).then((cpus / at).clip(0.0, 1.0)).otherwise(1.0),
        wider=pl.when(tls13).then(0.3).when(peak).then(0.3 * (at / cpus).log().clip(0.0))
        .otherwise(0.0),
        beyond=pl.when(lspr).then(beyond).otherwise(0.0),
        reversed=(lspr & (pl.col("machine") == "z15")).fill_null(value=False),
    )  # fmt: skip
    part, wider, more = (rows[n].to_numpy() for n in ("part", "wider", "beyond"))
    spread = np.exp(Z90 * wider)
    value, low, high = value * part, low * part / spread, high * part * spread
    low, high = low - Z90 * more, high + Z90 * more  # percents
    back = rows["reversed"].to_numpy()
    value, low, high = (
        np.where(back, 100.0 / (1.0 + each / 100.0) - 100.0, each) for each in (value, low, high)
    )
    low, high = np.where(back, high, low), np.where(back, low, high)
    return value, np.hypot(sigma, wider), low, high


PROCESSORS = Z16()
