"""Calibration of the MFT families: fit the mechanism, then the correction on top of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.base import effects
from models_sim.base.cells import normalise
from models_sim.base.family import Floats
from models_sim.base.parameters import Parameter, Parameters
from models_sim.base.search import search
from models_sim.models.mft import stages, wan
from models_sim.models.mft.families import (
    JIT_LEVELS,
    MFT_WAN,
    MFT_ZOS,
    Model,
    TransferFamily,
    noise_of,
    with_usual_settings,
)


class Sources(NamedTuple):
    """What a family is fitted to: its tables, and the errors against the documents' prose.

    `claims`, by metric, are functions of rows and parameters that return errors in standard
    deviations.
    """

    tables: str
    claims: Mapping[str, Callable[[pl.DataFrame, Mapping[str, float]], Floats]]


def fit(
    family: TransferFamily, cells: pl.DataFrame, weights: Floats, start: Parameters
) -> Parameters:
    """Fit the rows with a weight above zero, one metric at a time."""
    sources = SOURCES[family.name]
    fitted = start
    rows = with_usual_settings(cells)
    for model in family.models:
        mine = (cells["metric"] == model.metric).to_numpy() & (weights > 0)
        mine &= ~_other_jit(rows)
        data, weight = rows.filter(mine), np.sqrt(weights[mine])
        measured = np.log(data["value"].to_numpy())
        encoded, noise = model.encode(data), noise_of(data, model, start) / weight
        names = [name for name in start.searched() if _belongs_to(model, name)]

        def residuals(
            p: dict[str, float],
            model: Model = model,
            encoded: Any = encoded,
            data: pl.DataFrame = data,
            scaled: tuple[Floats, Floats] = (measured, noise),
        ) -> Floats:
            error = (np.log(model.mechanism(encoded, p)) - scaled[0]) / scaled[1]
            claims = sources.claims.get(model.metric)
            return np.concatenate([error, claims(data, p)]) if claims else error

        fitted = search(residuals, names, fitted)
        fitted = fitted.merged(_correction(family, data, model, fitted))
    return fitted.merged(_jit_parameters(jit_parts(fitted))) if family is MFT_ZOS else fitted


def _correction(
    family: TransferFamily, rows: pl.DataFrame, model: Model, parameters: Parameters
) -> Sequence[Parameter]:
    """Return the effects of factor levels on what the mechanism leaves."""
    residual = np.log(rows["value"].to_numpy() / model.mechanism(model.encode(rows), parameters))
    sds = {term.name: parameters[f"{model.prefix}_sd_{term.name}"] for term in model.terms}
    terms = effects.fit(
        rows,
        residual,
        noise_of(rows, model, parameters),
        model.terms,
        sds,
        parameters[f"{model.prefix}_sd_session"],
        family.groups(rows).to_list(),
    )
    return effects.as_parameters(model.prefix, terms, SOURCES[family.name].tables)


def _belongs_to(model: Model, name: str) -> bool:
    """Return whether a parameter of the mechanism is fitted to this model's metric."""
    return name.startswith(("cpu_", "cost_")) == (model.prefix == "cost")


def _other_jit(rows: pl.DataFrame) -> NDArray[np.bool_]:
    """Text to xLinux without zHPF: the JIT state changed as well, so no fit (anomaly 3)."""
    return ((rows["jit"] != "-") & (rows["zhpf"] == "N")).to_numpy()


def jit_parts(p: Parameters) -> dict[str, float]:
    """Return how far each JIT level with a figure gets from the slow state to the fast one."""
    level = pl.DataFrame({"jit_level": list(_AT_LEVEL)})
    cells = normalise(level.with_columns(pl.lit(v).alias(k) for k, v in _TEXT_FROM_USS.items()))
    pace = []
    for part in (0.0, 1.0):
        state = p.merged(_jit_parameters(dict.fromkeys(_AT_LEVEL, part)))
        pace.append(1.0 / MFT_ZOS.predict(cells, state).value)
    slow, fast = pace
    wanted = 1.0 / np.array(list(_AT_LEVEL.values()))
    return dict(zip(_AT_LEVEL, ((slow - wanted) / (slow - fast)).tolist(), strict=True))


def _jit_parameters(parts: Mapping[str, float]) -> Sequence[Parameter]:
    where = "document 000, section 3: USS to xLinux, text, 1 GB (claims 16 and 17)"
    return [Parameter(JIT_LEVELS[level], part, "ratio", fitted=where)
            for level, part in parts.items()]  # fmt: skip


# --- what the documents say in prose ---------------------------------------------------------

#: MB/s of text from USS to xLinux, 1 GB, by JIT level (claims 16 and 17).
_AT_LEVEL = {"veryHot": 58.0, "scorching": 62.0}
_TEXT_FROM_USS = {"document": "000", "metric": "rate", "source": "USS", "target": "xLinux",
                  "network": "1Gb", "mode": "text", "file_size_mb": 1024}  # fmt: skip
_PEAK = 220.0  # MB/s: document 000, section 5 (claim 32), USS files to xLinux over 10 Gb
_PEAK_ROWS = stages.encode(
    pl.DataFrame(
        {
            "source": "USS",
            "target": "xLinux",
            "network": "10Gb",
            "mode": "binary",
            "file_size_mb": [100, 1024],
            **dict.fromkeys(("queue", "zhpf", "tls", "ams", "compmsg", "p2wg"), "usual"),
        }
    )
)


def _peak_claim(_: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """Compare the mechanism with the peak that the prose gives for a path; noise 3 %."""
    return np.array([np.log(stages.rate(_PEAK_ROWS, p).max() / _PEAK) / 0.03])


#: 10 MB from xLinux to data sets: without put to waiting getter, then with it.
_GETTER_ROWS = stages.encode(
    pl.DataFrame(
        {
            "source": "xLinux",
            "target": "z/OS",
            "network": "1Gb",
            "file_size_mb": 10,
            "p2wg": ["N", "N", "Y", "Y"],
            "mode": ["binary", "text"] * 2,
            **dict.fromkeys(("queue", "zhpf", "tls", "ams", "compmsg"), "usual"),
        }
    )
)
_GETTER = 1.3  # times the cost at most, if no getter waits: document 000, section 4 (claim 29)


def _getter_claim(rows: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """Compare the mechanism with what the prose says of put to waiting getter; noise 1 %.

    The claim counts only if a row without it is being fitted.
    """
    if not ((rows["p2wg"] == "N") & (rows["queue"] == "Private")).any():
        return np.empty(0)
    without, usual = stages.cost(_GETTER_ROWS, p).reshape(2, 2)
    return np.array([np.log((without / usual).max() / _GETTER) / 0.01])


def _ratio_rows(latency: float, loss: float) -> wan.Rows:
    pair = [(name, size) for name in ("FASP", "TCP") for size in (10, 100, 1024)]
    return wan.encode(
        pl.DataFrame(pair, schema=["protocol", "file_size_mb"], orient="row").with_columns(
            latency_ms_oneway=pl.lit(latency), loss_pct=pl.lit(loss)
        )
    )


#: The row that a claim depends on, the rows it compares, and the highest ratio of FASP to TCP:
#: claims 45 and 46.
_RATIOS = (
    ("FASP", 25.0, _ratio_rows(25.0, 0.0), 1.8),
    ("TCP", 40.0, _ratio_rows(40.0, 0.1), 7.0),
)


def _ratio_claims(rows: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """Compare the mechanism with the ratios of FASP to TCP in the prose; noise 5 %.

    A claim counts only if the row it depends on is being fitted. Otherwise cross-validation would
    learn something about a row that it left out.
    """
    fitted = set(zip(rows["protocol"], rows["latency_ms_oneway"], strict=True))
    errors = []
    for protocol, latency, pair, ratio in _RATIOS:
        if (protocol, latency) in fitted:
            fasp, tcp = wan.rate(pair, p).reshape(2, 3)
            errors.append(np.log((fasp / tcp).max() / ratio) / 0.05)
    return np.array(errors)


SOURCES = {
    MFT_ZOS.name: Sources(
        "document 000, Appendices C and E: C-bin-*, C-txt-*, E-*",
        {"rate": _peak_claim, "cost_per_GB": _getter_claim},
    ),
    MFT_WAN.name: Sources(
        "document 000, Appendix D: D-rate, D-cost; claims 45 and 46", {"rate": _ratio_claims}
    ),
}
