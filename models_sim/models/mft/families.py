"""Families of Managed File Transfer on z/OS: rate and CPU cost (document 000, Appendices C to E).

`mft_zos` covers Appendix C and, with more than one channel, Appendix E; `mft_wan` covers Appendix
D. Each is a mechanism (stages, wan) times a shrunken statistical correction by factor level
(base.effects). Rows of one configuration are left out together.

What was not measured is predicted by the mechanism with a wider band and a caution: other networks,
smaller and larger files, more channels, other machines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from models_sim.base import effects, notes, published
from models_sim.base.effects import Term
from models_sim.base.family import Z90, Floats, Prediction, covered
from models_sim.base.machines import capacities, is_known
from models_sim.base.parameters import Parameters
from models_sim.models.mft import stages, wan

_FOLDER = Path(__file__).parent

Mechanism = Callable[[Any, Mapping[str, float]], Floats]

#: The usual setting of each factor, which a null stands for.
USUAL = {
    "queue": "Private",
    "zhpf": "Y",
    "tls": "N",
    "ams": "N",
    "compmsg": "N",
    "p2wg": "Y",
    "mode": "binary",
}


#: The parameter of a JIT level of the agent on Linux: how far it gets from the slow state to the
#: fast one. It is 0 for a level without one; `default` may be in either state.
JIT_LEVELS = {"count=10": "", "veryHot": "jit veryHot", "scorching": "jit scorching"}
TEXT_TO_LINUX = ((pl.col("mode") == "text") & (pl.col("target") == "xLinux")).fill_null(value=False)
_AT_LEVEL = TEXT_TO_LINUX & pl.col("jit_level").is_in(list(JIT_LEVELS)).fill_null(value=False)


class Outside(NamedTuple):
    """A setting that was not measured: its caution, and by how much it widens the band.

    `when` holds for such rows; `sd` is the log sd that is added, of a row or the same for all.
    """

    caution: str
    when: pl.Expr
    sd: pl.Expr | float


@dataclass(frozen=True, slots=True)
class Model:
    """How one metric is modelled: mechanism, prefix of its parameters, and correction.

    `encode` turns cells into the input of `mechanism`. `used` are the factors that move the figure,
    and `of_text` those that move that of text to xLinux only; `outside` are the settings that were
    not measured, and `usual` those of the test bed.
    """

    metric: str
    prefix: str
    encode: Callable[[pl.DataFrame], Any]
    mechanism: Mechanism
    terms: tuple[Term, ...]
    used: frozenset[str]
    outside: tuple[Outside, ...]
    usual: Mapping[str, tuple[object, ...]]
    of_text: frozenset[str] = frozenset()

    def caution(self, cells: pl.DataFrame) -> pl.Expr:
        """Return what the figures of the cells do not take into account, or null."""
        used = {self.metric: self.used, "text": self.used | self.of_text}
        kind = pl.when(TEXT_TO_LINUX).then(pl.lit("text")).otherwise(pl.lit(self.metric))
        return notes.join(
            notes.ignored(cells, used, self.usual, kind),
            *(notes.when(o.when, o.caution) for o in self.outside),
            *([pl.lit(_not_together(cells))] if self.of_text else []),
        )

    def widening(self) -> pl.Expr:
        """Return the log sd of settings that were not measured."""
        parts = [
            pl.when(o.when.fill_null(value=False)).then(o.sd).otherwise(0.0) ** 2
            for o in self.outside
        ]
        return pl.sum_horizontal(parts).sqrt()


@dataclass(frozen=True, slots=True)
class TransferFamily:
    """A family of transfers; each of its metrics is a mechanism with a correction."""

    name: str
    file: Path
    models: tuple[Model, ...]
    row_factors: tuple[str, ...]
    targets: Mapping[str, tuple[float, float]]
    about: pl.Expr
    conditions: Mapping[str, pl.Expr]
    line_of: Mapping[tuple[str, bool, bool], str]
    excluded: frozenset[int] = field(default=frozenset())

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that the family predicts."""
        return tuple(model.metric for model in self.models)

    def mine(self) -> pl.Expr:
        """Rows of document 000 with this family's metrics."""
        return (pl.col("document") == "000") & self.about & pl.col("metric").is_in(self.metrics)

    def needs(self) -> Mapping[str, pl.Expr]:
        """The conditions on factors, with a file size and, for costs, a machine that is known."""
        return {
            **self.conditions,
            "file_size_mb": pl.col("file_size_mb") > 0,
            "machine": (pl.col("metric") != "cost_per_GB") | is_known(),
        }

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Rows with this family's factors and metrics, and a file size."""
        return covered(self, cells)

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """The configuration: a printed row, whatever its table, size and metric."""
        parts = [pl.col(name).cast(pl.String).fill_null("-") for name in self.row_factors]
        return with_usual_settings(cells).select(pl.concat_str(parts, separator=" ")).to_series()

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """The report line, by metric, number of channels and file size."""
        several = pl.col("channels").fill_null(1) > 1
        small = pl.col("file_size_mb") < 3  # nearer to 1 MB than to 10 MB
        line = pl.lit(None, pl.String)
        for (metric, is_several, is_small), name in self.line_of.items():
            mine = (pl.col("metric") == metric) & (several == is_several) & (small == is_small)
            line = pl.when(mine).then(pl.lit(name)).otherwise(line)
        return cells.select(line.alias("line")).to_series()

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Predict the mechanism times the correction."""
        value, sigma, low, high = (np.full(cells.height, np.nan) for _ in range(4))
        most = np.full(cells.height, np.inf)
        caution = pl.repeat(None, cells.height, dtype=pl.String, eager=True)
        for model in self.models:
            chosen = cells["metric"] == model.metric
            mine = chosen.to_numpy()
            if mine.any():
                rows = cells.filter(chosen)
                value[mine], sigma[mine] = _predict(rows, model, parameters)
                if model.of_text:
                    low[mine], high[mine] = _both_jit_states(rows, model, parameters, sigma[mine])
                if model.mechanism is stages.rate:
                    most[mine] = _line_rate(rows, parameters)
                elif model.mechanism is wan.rate:
                    most[mine] = stages.WIRE  # an emulator of 1 Gb/s
                cautions = rows.select(model.caution(rows).alias("caution")).to_series()
                caution = caution.scatter(np.flatnonzero(mine), cautions)
        value = np.where(np.isfinite(value), value, np.nan)
        return Prediction(value, sigma, low, high, caution=caution, most=most)


def with_usual_settings(cells: pl.DataFrame, *, fast: bool | None = None) -> pl.DataFrame:
    """Return the rows with the usual settings filled in, and the factors `multi` and `jit`.

    `fast` sets the JIT state of text to xLinux; by default it is the measured one.
    """
    filled = cells.with_columns(
        *(pl.col(name).fill_null(usual) for name, usual in USUAL.items()),
        pl.col("channels").fill_null(1),
        pl.col("batchint").fill_null(0),
        pl.col("loss_pct").fill_null(0.0),
    ).with_columns(p2wg=pl.when(pl.col("ams") == "N").then("p2wg").otherwise(pl.lit("Y")))
    state = pl.Series("fast", stages.jit_is_fast(filled)) if fast is None else pl.lit(fast)
    return filled.with_columns(
        pl.when(pl.col("channels") > 1).then(pl.lit("Y")).otherwise(pl.lit("N")).alias("multi"),
        pl.when(~TEXT_TO_LINUX)
        .then(pl.lit("-"))
        .when(state)
        .then(pl.lit("fast"))
        .otherwise(pl.lit("slow"))
        .alias("jit"),
    )


#: What one row of Appendix C or E was measured with.
_TOGETHER = ("source", "target", "network", "queue", "zhpf", "tls", "ams", "compmsg", "p2wg",
             "mode", "multi")  # fmt: skip


def _keys(cells: pl.DataFrame) -> pl.Series:
    return with_usual_settings(cells).select(pl.concat_str(_TOGETHER, separator="|")).to_series()


@cache
def _measured() -> frozenset[str]:
    """Return the combinations of settings that have a row in the documents."""
    cells = published.cells()
    return frozenset(_keys(cells.filter(MFT_ZOS.covers(cells))))


def _not_together(cells: pl.DataFrame) -> pl.Series:
    """Return the caution about each combination of settings that nobody measured, or null."""
    keys = _keys(cells)
    texts: dict[str, str | None] = {}
    for key in keys.unique().drop_nulls():
        source, target, network, *levels = key.split("|")
        odd = [
            f", {name} {level}" for name, level in zip(_TOGETHER[3:], levels, strict=True)
            if level != USUAL.get(name, "N")
        ]  # fmt: skip
        text = f"not measured together: {source} to {target} over {network}{''.join(odd)}"
        texts[key] = None if key in _measured() else text
    return keys.replace_strict(texts, default=None, return_dtype=pl.String)


def noise_of(rows: pl.DataFrame, model: Model, p: Mapping[str, float]) -> Floats:
    """Return the log sd of a single figure; 1 MB files scatter more (anomaly 13)."""
    small = rows["file_size_mb"].to_numpy() < 3  # nearer to 1 MB than to 10 MB
    return np.where(small, p[f"{model.prefix}_sd_noise_1mb"], p[f"{model.prefix}_sd_noise"])


def _predict(cells: pl.DataFrame, model: Model, p: Parameters) -> tuple[Floats, Floats]:
    """Return the figures and the log sd of their errors."""
    rows = with_usual_settings(cells)
    _, used = effects.apply(rows, model.prefix, model.terms, p)
    variance = noise_of(rows, model, p) ** 2 + p[f"{model.prefix}_sd_session"] ** 2
    for term in model.terms:
        sd = p[f"{model.prefix}_sd_{term.name}"]
        unseen = p.get(f"{model.prefix}_unseen_{term.name}", sd)  # the mechanism's own error there
        variance = variance + (1.0 - used[term.name]) * unseen**2
    wider = rows.select(model.widening().alias("sd")).to_series().to_numpy()
    if model.metric == "cost_per_GB":
        wider = np.hypot(wider, capacities(rows)[1])
    return _at_jit_level(cells, _figures(rows, model, p), model, p), np.sqrt(variance + wider**2)


def _at_jit_level(cells: pl.DataFrame, value: Floats, model: Model, p: Parameters) -> Floats:
    """Return the figures, of text to xLinux at the JIT level that is set.

    A level is a place between the times of the two states.
    """
    chosen = cells.select(_AT_LEVEL.alias("chosen")).to_series()
    if not (model.of_text and chosen.any()):
        return value
    rows, mine = cells.filter(chosen), chosen.to_numpy()
    slow, fast = (
        _figures(with_usual_settings(rows, fast=state), model, p) for state in (False, True)
    )
    names = rows["jit_level"].replace_strict(JIT_LEVELS).to_list()
    part = np.array([p[name] if name else 0.0 for name in names])
    value = value.copy()
    if model.mechanism is stages.rate:
        value[mine] = 1.0 / ((1.0 - part) / slow + part / fast)
    else:
        value[mine] = (1.0 - part) * slow + part * fast
    return value


def _figures(rows: pl.DataFrame, model: Model, p: Parameters) -> Floats:
    """Return the figures of prepared rows.

    The corrections are statistics, so they may not turn around what is known for certain: with TLS
    or AMS, a rate is at most and a cost at least that without.
    """
    value = _before_protection(rows, model, p)
    protects = model.mechanism in (stages.rate, stages.cost)
    bound = np.minimum if model.mechanism is stages.rate else np.maximum
    for factors in (("tls",), ("ams",), ("tls", "ams")) if protects else ():
        on = pl.all_horizontal(pl.col(name) != "N" for name in factors)
        mine = rows.select(on.alias("on")).to_series()
        if mine.any():
            without = rows.filter(mine).with_columns(pl.lit("N").alias(name) for name in factors)
            at = mine.to_numpy()
            value[at] = bound(value[at], _before_protection(without, model, p))
    return value / capacities(rows)[0] if model.metric == "cost_per_GB" else value


def _before_protection(rows: pl.DataFrame, model: Model, p: Parameters) -> Floats:
    """Return mechanism times correction; rates rise with the bandwidth of the network."""
    if model.mechanism is not stages.rate:
        other = ~rows["network"].is_in(list(stages.NETWORKS)) & rows["protocol"].is_null()
        near = pl.when(other).then(pl.lit("10Gb")).otherwise("network")
        correction, _ = effects.apply(
            rows.with_columns(near.alias("network")), model.prefix, model.terms, p
        )
        return np.asarray(model.mechanism(model.encode(rows), p) * np.exp(correction))
    slow, fast = (rows.with_columns(network=pl.lit(name)) for name in ("1Gb", "10Gb"))
    encoded = stages.encode(rows)
    speeds = (np.ones(rows.height), np.full(rows.height, 10.0), encoded.gigabits)
    bare = [np.log(stages.rate(encoded._replace(gigabits=each), p)) for each in speeds]
    ends = [
        mechanism + effects.apply(each, model.prefix, model.terms, p)[0]
        for mechanism, each in zip(bare, (slow, fast), strict=False)
    ]
    turned = ends[0] > ends[1]
    pooled = (ends[0] + ends[1]) / 2.0
    ends = [np.where(turned, pooled, end) for end in ends]
    # Between the measured networks as the mechanism rises, beyond them in proportion to it.
    rise = bare[1] - bare[0]
    part = np.clip((bare[2] - bare[0]) / np.where(rise > 0, rise, np.inf), 0.0, 1.0)
    beyond = np.maximum(bare[2] - bare[1], 0.0) + np.minimum(bare[2] - bare[0], 0.0)
    value = np.exp(ends[0] + part * (ends[1] - ends[0]) + beyond)
    return np.minimum(value, _line_rate(rows, p))


def _line_rate(rows: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """Return the MB per second of files that the network carries, with compression if there is."""
    encoded = stages.encode(rows)
    return np.asarray(stages.WIRE * encoded.gigabits / (1.0 - stages.saved(encoded, p)))


def jit_states(cells: pl.DataFrame, p: Parameters) -> tuple[Floats, Floats]:
    """Return the figures of text to xLinux in the slow and in the fast state of the partner's JIT.

    All rows must be of Appendix C and of one metric.
    """
    metric = cells["metric"][0]
    (model,) = (model for model in MFT_ZOS.models if model.metric == metric)
    slow, fast = (
        _figures(with_usual_settings(cells, fast=state), model, p) for state in (False, True)
    )
    return slow, fast


def _both_jit_states(
    cells: pl.DataFrame, model: Model, p: Parameters, sigma: Floats
) -> tuple[Floats, Floats]:
    """Return the band of text to xLinux, which holds both states of the partner's JIT.

    Other rows, and those whose JIT level is set, have NaN. The figure itself is that of the state
    in which the row was measured.
    """
    low, high = np.full((2, cells.height), np.nan)
    text = cells.select((TEXT_TO_LINUX & ~_AT_LEVEL).alias("text")).to_series()
    mine = text.to_numpy()
    if mine.any():
        rows, spread = cells.filter(text), np.exp(Z90 * sigma[mine])
        states = [
            _figures(with_usual_settings(rows, fast=fast), model, p) for fast in (False, True)
        ]
        low[mine] = np.minimum(*states) / spread
        high[mine] = np.maximum(*states) * spread
    return low, high


#: The machine of document 000, which needs no caution.
_MEASURED_ON: Mapping[str, tuple[object, ...]] = {"machine": ("z15",)}
#: Its band is widened by the machine's own sd.
_SCALED = Outside(
    "scaled by the capacity of a CP: transfers were measured on z15",
    pl.col("machine").is_not_null() & ~pl.col("machine").str.contains("^(z15$|8561)"),
    0.0,
)
_ON_ZOS = pl.col("source").is_in(["z/OS", "USS"]) & pl.col("target").is_in(["z/OS", "USS"])


def _outside_sizes(sd: float) -> tuple[Outside, ...]:
    size = pl.col("file_size_mb")
    return (
        Outside("files below 1 MB were not measured", size < 1, sd * (1.0 / size).log() + 0.05),
        Outside("files above 1 GB were not measured", size > 1024, 0.05),
    )


# --- Appendices C and E ----------------------------------------------------------------------


_GB = stages.gigabits(pl.col("network"))
_LAN_NEEDS: Mapping[str, pl.Expr] = {
    "source": pl.col("source").is_in(list(stages.ENDS)),
    "target": pl.col("target").is_in(list(stages.ENDS))
    & ((pl.col("source") != "xLinux") | (pl.col("target") != "xLinux")),
    "network": _GB.is_not_null(),
    "mode": pl.col("mode").fill_null("binary").is_in(["binary", "text"]),
    "queue": pl.col("queue").fill_null("Private").is_in(["Private", *stages.QUEUES]),
    "tls": pl.col("tls").fill_null("N").is_in(["N", *stages.TLS]),
    "ams": pl.col("ams").fill_null("N").is_in(["N", *stages.AMS]),
    "compmsg": pl.col("compmsg").fill_null("N").is_in(["N", *stages.COMPRESSIONS]),
    "channels": pl.col("channels").fill_null(1) > 0,
    "jit_level": ~TEXT_TO_LINUX
    | pl.col("jit_level").fill_null("default").is_in(["default", *JIT_LEVELS]),
}
_COMPRESSED = pl.col("compmsg").is_in(list(stages.COMPRESSIONS))
_PROTECTED = pl.col("tls").is_in(list(stages.TLS)) | pl.col("ams").is_in(list(stages.AMS))
_LAN_OUTSIDE = (
    Outside(
        "only networks of 1Gb and 10Gb were measured",
        ~pl.col("network").is_in(list(stages.NETWORKS)),
        0.05 + 0.1 * pl.min_horizontal(_GB.log10().abs(), (_GB.log10() - 1.0).abs()),
    ),
    *_outside_sizes(0.1),
    Outside("at most 4 channels were measured", pl.col("channels") > 4, 0.1),
    Outside(
        "compression was measured between data sets over 10Gb",
        _COMPRESSED & ((pl.col("network") != "10Gb") | ~_ON_ZOS),
        0.15,
    ),
    Outside(
        "AMS keeps messages from a waiting getter: p2wg does not move the figure",
        pl.col("ams").is_in(list(stages.AMS)) & (pl.col("p2wg") == "N"),
        0.0,
    ),
    Outside("TLS and AMS were measured with both ends on z/OS", _PROTECTED & ~_ON_ZOS, 0.1),
)
_UNASSISTED = Outside(
    "files written without zHPF: printed rates are up to 11 % lower than with it, the model's 6 %",
    (pl.col("zhpf") == "N") & (pl.col("source") == "xLinux") & (pl.col("target") == "z/OS"),
    0.04,
)
_JIT = Outside(
    "text to xLinux runs in one of two JIT states: the band holds both",
    TEXT_TO_LINUX & ~_AT_LEVEL,
    0.0,
)
_JIT_LEVEL = Outside(
    "JIT levels: only 1 GB from USS at veryHot and scorching has a figure",
    _AT_LEVEL
    & (
        (pl.col("jit_level") == "count=10")
        | (pl.col("source") != "USS")
        | (pl.col("file_size_mb") != 1024)
    ),
    0.1,
)
_OF_TEXT = frozenset({"jit_level"})
_RATE_USES = frozenset(
    ("source", "target", "network", "zhpf", "tls", "ams", "compmsg", "mode", "file_size_mb",
     "channels")
)  # fmt: skip
_COST_USES = _RATE_USES | {"queue", "p2wg", "machine", "rni"}

_SAME_ENDS = ("source", "target", "mode", "jit")
_OPTIONS = ("zhpf", "tls", "ams", "compmsg")

MFT_ZOS = TransferFamily(
    name="mft_zos",
    file=_FOLDER / "mft_zos.toml",
    models=(
        Model(
            "rate",
            "rate",
            stages.encode,
            stages.rate,
            (
                Term("path", (*_SAME_ENDS, "network"), 0.3),
                Term("ends", _SAME_ENDS, 0.3),
                Term("options", ("tls", "ams", "compmsg"), 0.3),
                Term("channels", ("source", "target", "multi"), 0.3),
            ),
            _RATE_USES,
            (*_LAN_OUTSIDE, _UNASSISTED, _JIT, _JIT_LEVEL),
            _MEASURED_ON,
            _OF_TEXT,
        ),
        Model(
            "cost_per_GB",
            "cost",
            stages.encode,
            stages.cost,
            (
                Term("path", (*_SAME_ENDS, "network"), 0.3),
                Term("ends", _SAME_ENDS, 0.3),
                Term("queues", ("target", "queue", "p2wg"), 0.7),
                Term("options", ("tls", "ams", "compmsg"), 0.7),
                Term("channels", ("source", "target", "multi"), 0.5),
            ),
            _COST_USES,
            (*_LAN_OUTSIDE, _SCALED, _JIT, _JIT_LEVEL),
            _MEASURED_ON,
            _OF_TEXT,
        ),
    ),
    row_factors=(
        *("source", "target", "network", "queue", "zhpf", "tls", "ams", "compmsg", "p2wg"),
        *("batchint", "mode", "channels"),
    ),
    targets={
        "z/OS rate": (2.5, 8.0),
        "z/OS cost": (6.0, 14.0),
        "z/OS cost, 1 MB": (10.0, 20.0),
        "channels 2-4 rate": (2.0, 5.0),
        "channels 2-4 cost": (4.0, 10.0),
    },
    about=pl.col("protocol").is_null() & (pl.col("ziip_offload").fill_null("N") == "N"),
    conditions=_LAN_NEEDS,
    line_of={
        **dict.fromkeys((("rate", False, small) for small in (False, True)), "z/OS rate"),
        ("cost_per_GB", False, False): "z/OS cost",
        ("cost_per_GB", False, True): "z/OS cost, 1 MB",
        **dict.fromkeys((("rate", True, small) for small in (False, True)), "channels 2-4 rate"),
        **dict.fromkeys(
            (("cost_per_GB", True, small) for small in (False, True)), "channels 2-4 cost"
        ),
    },
)


# --- Appendix D ------------------------------------------------------------------------------


_WAN_USES = frozenset(("protocol", "latency_ms_oneway", "loss_pct", "file_size_mb"))
#: The test bed of Appendix D.
_WAN_BED = {
    **_MEASURED_ON,
    "source": ("z/OS",),
    "target": ("z/OS",),
    "network": ("1Gb WAN-emulated", "1Gb"),
}
_WAN_OUTSIDE = (
    *_outside_sizes(0.1),
    Outside(
        "at most 50 ms one way (10,000 km) were measured", pl.col("latency_ms_oneway") > 50, 0.3
    ),
    Outside("at most 0.5 % loss was measured", pl.col("loss_pct") > 0.5, 0.5),
    Outside(
        "loss was measured at 40 and 50 ms only",
        (pl.col("loss_pct") > 0) & (pl.col("loss_pct") <= 0.5) & (pl.col("latency_ms_oneway") < 40),
        0.2,
    ),
    Outside(
        "fasp.io was slower at 0 ms than at 5 ms one way (anomaly 15)",
        (pl.col("protocol") == "FASP") & (pl.col("latency_ms_oneway") <= 5),
        0.0,
    ),
)

MFT_WAN = TransferFamily(
    name="mft_wan",
    file=_FOLDER / "mft_wan.toml",
    models=(
        Model(
            "rate",
            "rate",
            wan.encode,
            wan.rate,
            (Term("protocol", ("protocol",), 0.2),),
            _WAN_USES,
            _WAN_OUTSIDE,
            _WAN_BED,
        ),
        Model(
            "cost_per_GB",
            "cost",
            wan.encode,
            wan.cost,
            (Term("protocol", ("protocol",), 0.2),),
            _WAN_USES | {"machine", "rni"},
            (*_WAN_OUTSIDE, _SCALED),
            _WAN_BED,
        ),
    ),
    row_factors=("protocol", "latency_ms_oneway", "loss_pct"),
    targets={"latency and loss rate": (6.0, 15.0), "latency and loss cost": (3.0, 10.0)},
    about=pl.col("protocol").is_not_null() & (pl.col("ziip_offload").fill_null("N") == "N"),
    conditions={
        "protocol": pl.col("protocol").is_in(["TCP", "FASP"]),
        "latency_ms_oneway": pl.col("latency_ms_oneway") >= 0,
        "loss_pct": pl.col("loss_pct").fill_null(0.0).is_between(0.0, 100.0, closed="left"),
    },
    line_of={
        (metric, several, small): f"latency and loss {name}"
        for metric, name in (("rate", "rate"), ("cost_per_GB", "cost"))
        for several in (False, True)
        for small in (False, True)
    },
)
