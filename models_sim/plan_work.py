"""The work of a plan on its machine: zIIPs, MSU, four-hour averages and money."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from models_sim.base.cells import CELL_COLUMNS
from models_sim.base.family import Z90, Floats
from models_sim.base.machines import MEASURED_ON, capacity, generation, machine, not_known
from models_sim.base.notes import FACTORS
from models_sim.predict import predict

__all__ = [
    "Alternative",
    "Figure",
    "PlanError",
    "Work",
    "add_capacity",
    "add_machine_and_money",
    "processor_shares",
]


class PlanError(ValueError):
    """A workload cannot be planned; the message is one line."""


class Figure(NamedTuple):
    """A figure with its 10-90 % band, and where it is from: model, own runs, or given."""

    value: float
    low: float
    high: float
    unit: str
    source: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """What one combination of settings comes to: figures by name, what limits it, cautions."""

    name: str
    figures: dict[str, Figure]
    limit: str
    cautions: tuple[str, ...]


@dataclass
class Work:
    """One alternative on its way: its settings, and draws of its figures (the first without error).

    `measured_on` is the machine of its costs.
    """

    settings: dict[str, Any]
    errors: Callable[[str], Floats]
    own: pl.DataFrame
    cautions: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    draws: dict[str, tuple[Floats, str, str]] = field(default_factory=dict)
    limit: str = ""
    measured_on: str = MEASURED_ON

    def put(self, name: str, draws: Floats, unit: str, *of: str) -> Floats:
        """Keep a figure that is worked out from these metrics, or from all asked for; return it."""
        sources = {self.sources.get(metric, "model") for metric in of or self.sources}
        self.draws[name] = (draws, unit, " and ".join(sorted(sources)) or "model")
        return draws

    def ask(self, metric: str, **factors: Any) -> Floats:
        """Return the draws of a metric, of own runs with these factors or of the model."""
        cell = {"metric": metric, **factors}
        if (answer := _of_own(self.own, cell)) is not None:
            row, source = answer, f"own runs ({answer['runs']})"
            if metric == "cost_per_GB":
                self.measured_on = answer["machine"] or MEASURED_ON
        else:
            row = predict(pl.DataFrame([cell])).row(0, named=True)
            source = "model"
            if row["reason"]:
                raise PlanError(f"{metric}: {row['reason']}")
        self.cautions += [text for text in (row.get("caution") or "").split("; ") if text]
        self.sources[metric] = source
        if metric in ("ziip_share", "change_transaction_cost"):  # percents
            sd = (row["high"] - row["low"]) / 2 / Z90
            return np.clip(row["predicted"] + sd * self.errors(metric), -100.0, 100.0).clip(
                0.0 if metric == "ziip_share" else None
            )
        error = self.errors(f"{cell['document']} {metric}") / Z90
        up, down = (math.log(max(row[end], 1e-12) / row["predicted"]) for end in ("high", "low"))
        return row["predicted"] * np.exp(np.where(error > 0, error * up, -error * down))


# --- machines and money ----------------------------------------------------------------------


def add_machine_and_money(work: Work, prices: Mapping[str, Any]) -> None:
    """Add zIIPs, processors, MSU and money from CPU, what is eligible, and the hours at work."""
    s, shares = work.settings, processor_shares(work.settings)
    cpu, eligible = (work.draws[name][0] for name in ("CPU", "zIIP-eligible"))
    hours = work.draws.pop("hours at work")[0]
    seconds = hours * 3600.0
    if "elapsed" not in work.draws:  # work that comes as the curve says
        seconds = seconds / (shares.max() * len(shares))
    busy = work.put("zIIPs busy", eligible / seconds, "")
    most = np.minimum(busy, s.get("ziips", math.inf))
    on_cps = cpu - most * seconds
    needed = np.ceil(np.round(busy, 9))
    work.put("zIIPs needed", needed, "")
    work.put("CPU after offload", on_cps, "s")
    work.put("CPs busy", on_cps / seconds, "")
    name = str(s.get("machine", MEASURED_ON))
    figures = machine(name)
    rate = s.get("msu_per_cp", None if figures is None else figures.get("msu_per_cp"))
    if rate is None:
        which = (
            not_known(name, "msu_per_cp")
            if "-" in name
            else "state the model, such as 3931-706: MSU are not those of a generation"
        )
        work.cautions.append(f"MSU: {which}")
    else:
        for text, spent in (("without zIIPs", cpu), ("", on_cps)):
            msu = spent / 3600.0 * rate
            about = f" {text}" if text else ""
            work.put(f"MSU hours{about}", msu, "MSU h")
            work.put(f"MSU, peak hour{about}", msu * shares.max(), "MSU")
            work.put(f"MSU, peak four-hour average{about}", msu * _four_hours(shares), "MSU")
    currency = prices.get("currency")
    by_machine = prices.get("cp_second") or {}
    second = by_machine.get(name, by_machine.get(generation(name)))
    if not currency:
        return
    if (prices.get("msu_hour") and rate is None) or (by_machine and second is None):
        work.cautions.append(f"money: no MSU or no price of a second of {name}")
        return
    money = on_cps / 3600.0 * (rate or 0.0) * (prices.get("msu_hour") or 0.0)
    money = money + on_cps * (second or 0.0)
    if "network" in work.draws:
        money = money + work.draws["network"][0] * (prices.get("network_gb") or 0.0)
    work.put("money", money, str(currency))


def add_capacity(work: Work) -> Floats:
    """Return the draws of the capacity of the machine's CPs in those that were measured."""
    name = str(work.settings.get("machine", MEASURED_ON))
    machine_capacity = capacity(name, work.settings.get("rni"))
    if machine_capacity is None:
        raise PlanError(not_known(name, "capacity"))
    base = capacity(work.measured_on)
    if base is None:
        raise PlanError(not_known(work.measured_on, "capacity"))
    ratio = machine_capacity[0] / base[0]
    same = generation(name) == generation(work.measured_on)
    if not same:
        work.cautions.append(f"scaled by the capacity of {name}: measured on {work.measured_on}")
    sd = 0.0 if same else math.hypot(machine_capacity[1], base[1])
    return ratio * np.exp(sd * work.errors("capacity"))


def processor_shares(settings: Mapping[str, Any]) -> Floats:
    """Return the share of the work of each hour of the window."""
    window = settings.get("window", 24)
    if isinstance(window, str) and "-" in window:
        try:
            start, end = (
                int(part.split(":")[0]) + int([*part.split(":"), "0"][1]) / 60
                for part in window.split("-")
            )
        except ValueError:
            raise PlanError(f"window {window!r} is not from-until such as 22:00-06:00") from None
        window = (end - start) % 24 or 24
    try:
        length = float(window)
    except ValueError:
        raise PlanError(f"window {window!r} is no number of hours") from None
    if not 0 < length <= 24:
        raise PlanError(f"window {window!r} is not of 0 to 24 hours")
    curve: Sequence[float] = settings.get("curve") or [1.0] * math.ceil(length)
    if len(curve) != math.ceil(length):
        raise PlanError(f"curve has {len(curve)} shares for {math.ceil(length)} hours")
    return np.asarray(curve, dtype=np.float64) / sum(curve)


def _four_hours(shares: Iterable[float]) -> float:
    """Return the greatest share of an hour in the mean of four hours one after another."""
    padded = np.concatenate([np.zeros(3), np.asarray(list(shares)), np.zeros(3)])
    return float(max(np.convolve(padded, np.full(4, 0.25), mode="valid")))


def _of_own(own: pl.DataFrame, cell: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the own figure with the factors of a cell, settings left out being the usual ones."""
    if own.is_empty():
        return None
    for row in own.filter(pl.col("metric") == cell["metric"]).iter_rows(named=True):
        names = [name for name in FACTORS if name in CELL_COLUMNS and name != "machine"]
        if all(_same(name, cell.get(name), row.get(name)) for name in names):
            return row
    return None


def _same(name: str, asked: Any, had: Any) -> bool:
    usual = (None, *FACTORS[name])
    if asked in usual and had in usual:
        return True
    try:
        return math.isclose(float(asked), float(had), rel_tol=0.02)
    except (TypeError, ValueError):
        return bool(asked == had)
