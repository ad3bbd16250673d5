"""From a workload to elapsed time, CPU, zIIPs, MSU and money, for alternatives side by side.

A workload is a mapping of what is to be done and of factors of the documents. A factor that is a
list makes alternatives: each combination of the lists is one. Figures come from runs of one's own
where one has the same factors, otherwise from the models, and say which.

Bands are those of draws: the errors of the figures of one family are drawn together, for all
alternatives too, as a model that is wrong for one is wrong for the next. A sum or a quotient is
worked out in each draw; its band ends at the draws' 10 and 90 %.
"""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.base.family import Z90, Floats
from models_sim.base.machines import MEASURED_ON
from models_sim.base.notes import FACTORS
from models_sim.base.parameters import load
from models_sim.models.mft import stages, wan
from models_sim.models.mft.families import MFT_WAN, MFT_ZOS, USUAL
from models_sim.models.ziip.family import parts
from models_sim.plan_work import (
    Alternative,
    Figure,
    PlanError,
    Work,
    add_capacity,
    add_machine_and_money,
    processor_shares,
)

__all__ = ["WORKLOAD", "Plan", "plan"]

#: What a workload may say besides factors of the documents (docs/plan.md).
WORKLOAD = (
    "gb", "files", "messages", "clients", "transactions_per_second", "transfers", "window", "curve",
    "ziips", "cps", "msu_per_cp", "recorded", "grows",
)  # fmt: skip
_DRAWS = 2000
_MOST = 100  # alternatives
_CHANNELS = 9999  # of a channel initiator at most: document 001, section 3
_CLIENTS = 8000  # that were measured: document 001, section 3
_CONTENTION = 0.1  # log sd for each e-fold of clients: assumed
_STORAGE_MB = 700 / _CLIENTS  # of a channel initiator and connected client: document 001, section 3
_AGENT_MESSAGE = 262_144  # bytes of an agent's message: document 000, Appendix B
_SPACES = ("MSTR", "CHIN", "TCPIP", "Server application", "zCX")
_AT_ONCE = 0.15  # log sd for each e-fold of transfers at once: assumed
_COUNTS = ("gb", "files", "messages", "clients", "recorded")
_BETWEEN_DAYS = 0.2  # log sd of the work of a day, where no records of several tell: assumed


@dataclass(frozen=True, slots=True)
class Plan:
    """The alternatives of a workload."""

    alternatives: tuple[Alternative, ...]

    def frame(self) -> pl.DataFrame:
        """Return one row per alternative and figure."""
        return pl.DataFrame([
            {"alternative": each.name, "figure": name, **figure._asdict()}
            for each in self.alternatives for name, figure in each.figures.items()
        ])  # fmt: skip

    def remarks(self) -> list[str]:
        """Return what limits the alternatives, where figures are from and cautions, each once."""
        remarks: dict[str, list[str]] = {}
        for each in self.alternatives:
            sources = sorted({figure.source for figure in each.figures.values()})
            limits = [f"limited by {each.limit}"] if each.limit else []
            for line in (*limits, *(f"from: {source}" for source in sources), *each.cautions):
                remarks.setdefault(line, []).append(each.name)
        every = len(self.alternatives)
        return [line if len(whom) == every else f"{'; '.join(whom)}: {line}"
                for line, whom in remarks.items()]  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Return one mapping per alternative: figures by name, what limits it, cautions."""
        return [
            {"alternative": each.name, "limited_by": each.limit, "cautions": list(each.cautions),
             "figures": {name: figure._asdict() for name, figure in each.figures.items()}}
            for each in self.alternatives
        ]  # fmt: skip


def plan(
    workload: Mapping[str, Any],
    *,
    own: pl.DataFrame | None = None,
    prices: Mapping[str, Any] | None = None,
    seed: int = 1,
) -> Plan:
    """Work out a workload; raise PlanError if it cannot be.

    own: figures of runs: factors, `metric`, `predicted`, `low`, `high`, `runs`, `machine`;
    prices: `currency`, and the price of an `msu_hour`, of a `cp_second` by machine, and of a
    `network_gb`.
    """
    names = (*WORKLOAD, *FACTORS, "latency_km")
    for name in workload:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            raise PlanError(f"{name} is not known" + (f"; did you mean {near[0]}?" if near else ""))
    _require_numbers(workload)
    varied = {n: v for n, v in workload.items() if isinstance(v, list | tuple) and n != "curve"}
    if math.prod(map(len, varied.values())) > _MOST:
        raise PlanError(f"more than {_MOST} alternatives")
    cached: dict[str, Floats] = {}
    rng = np.random.default_rng(seed)

    def errors(name: str) -> Floats:
        if name not in cached:
            cached[name] = np.concatenate([[0.0], rng.standard_normal(_DRAWS)])
        return cached[name]

    made = []
    for chosen in itertools.product(*varied.values()):
        settings = dict(workload) | dict(zip(varied, chosen, strict=True))
        name = ", ".join(f"{n} {v}" for n, v in zip(varied, chosen, strict=True)) or "as given"
        work = Work(settings, errors, pl.DataFrame() if own is None else own)
        made.append(_alternative(name, work, prices or {}))
    if all(not each.figures for each in made):
        raise PlanError("; ".join(dict.fromkeys(t for each in made for t in each.cautions)))
    return Plan(tuple(made))


def _require_numbers(workload: Mapping[str, Any]) -> None:
    """Raise PlanError for a number that is none, or none above zero."""
    given = [name for name in _COUNTS if name in workload]
    if len(given) != 1:
        instead = f", not {' and '.join(given)}" if given else ""
        raise PlanError(f"state one of {', '.join(_COUNTS)}{instead}")
    for name, values in workload.items():
        if name == "recorded":
            if not isinstance(values, dict):
                raise PlanError("recorded needs a warehouse with records")
            continue
        if isinstance(values, dict) or values in ("", []):
            raise PlanError(f"{name} {values!r} is no setting")
        if name in (*WORKLOAD, "file_size_mb") and name != "window":
            for value in values if isinstance(values, list | tuple) else [values]:
                is_number = isinstance(value, int | float) and not isinstance(value, bool)
                least = 0 if name in ("curve", "ziips") else 1e-9
                if not is_number or not least <= value < math.inf:
                    raise PlanError(f"{name} {value!r} is not a number above zero")
    curve = workload.get("curve", [1])
    if not isinstance(curve, list | tuple) or not sum(curve) > 0:
        raise PlanError("curve is no list of shares, of which some are above zero")


def _alternative(name: str, work: Work, prices: Mapping[str, Any]) -> Alternative:
    kind, used = next(names for count, names in _KINDS.items() if count in work.settings)
    unused = [n for n in work.settings if n not in (*used, *_COUNTS, *_COMMON)]
    work.cautions += [f"not used: {', '.join(unused)}"] if unused else []
    try:
        kind(work)
        add_machine_and_money(work, prices)
    except PlanError as error:
        return Alternative(name, {}, "", (str(error),))
    figures = {}
    for figure, (draws, unit, source) in work.draws.items():
        low, high = np.quantile(draws[1:], (0.1, 0.9))
        value = float(draws[0])
        figures[figure] = Figure(
            value, min(float(low), value), max(float(high), value), unit, source
        )
    return Alternative(name, figures, work.limit, tuple(dict.fromkeys(work.cautions)))


# --- files -----------------------------------------------------------------------------------


def _transfers(work: Work) -> None:
    """Files by Managed File Transfer, on a LAN or over distance (document 000)."""
    s = work.settings
    if "file_size_mb" not in s:
        raise PlanError("file_size_mb is missing")
    far = any(s.get(name) is not None for name in ("protocol", "latency_ms_oneway", "latency_km"))
    factors = {n: s[n] for n in (*FACTORS, "latency_km") if n in s and n not in ("machine", "rni")}
    factors = {"document": "000", "source": "z/OS", "target": "z/OS", **factors}
    if far:
        factors = {"protocol": "TCP", "loss_pct": 0.0, **factors}
    gb = float(s["gb"] if "gb" in s else s["files"] * s["file_size_mb"] / stages.MB_PER_GB)
    rate, cost = work.ask("rate", **factors), work.ask("cost_per_GB", **factors)
    share = work.ask("ziip_share", **factors) / 100.0
    at_once = float(s.get("transfers", 1))
    cells = normalise(pl.DataFrame([factors | {"metric": "rate"}]))
    module: Any = wan if far else stages
    p = load((MFT_WAN if far else MFT_ZOS).file)
    rows = module.encode(cells if far else cells.with_columns(
        pl.col(name).fill_null(usual) for name, usual in USUAL.items()
    ))  # fmt: skip
    faster = float((module.elapsed(rows, p) / module.elapsed(rows, p, at_once))[0])
    rate = rate * faster * np.exp(_AT_ONCE * math.log(at_once) * work.errors("transfers at once"))
    if at_once > 1:
        work.cautions.append(
            "transfers at once were not measured: each has the time of its own agents, and they"
            " share network and channels"
        )
    cost = cost / add_capacity(work)
    limits = {name: float(each[0]) for name, each in module.times(rows, p, at_once).items()}
    work.limit = max(limits, key=lambda name: limits[name])
    if not far:
        rate = np.minimum(rate, stages.WIRE * rows.gigabits[0] / (1.0 - stages.saved(rows, p)[0]))
    elif work.limit == "network":
        work.limit = _far_limit(rows, p)
    if "cps" in s:
        most = s["cps"] / cost * stages.MB_PER_GB
        if most[0] < rate[0]:
            work.limit = f"{s['cps']:g} CPs"
        rate = np.minimum(rate, most)
    hours = gb * stages.MB_PER_GB / rate / 3600.0
    work.put("rate", rate, "MB/s", "rate")
    work.put("elapsed", hours, "h", "rate")
    length = len(processor_shares(s))
    if hours[0] > length:
        work.limit += f", so that it does not fit into {length} h"
    fits = np.full_like(hours, 100.0 * np.mean(hours[1:] <= length))
    work.put("fits the window", fits, "%", "rate")
    sent = gb * (1.0 if far else 1.0 - float(stages.saved(rows, p)[0]))
    work.put("network", np.full_like(hours, sent), "GB", "")
    cpu = gb * cost
    options = 0.0
    if not far:
        moving, opening, convert, messaging = (float(each[0]) for each in parts(cells))
        options = messaging / (moving + opening + convert + messaging)
    work.put("CPU", cpu, "s", "cost_per_GB")
    work.put("CPU of agents", share * cpu, "s")
    if options:
        work.put("CPU of TLS, AMS and compression", options * cpu, "s")
    rest = np.maximum(1.0 - share - options, 0.0) * cpu
    work.put("CPU of queue managers, channels and TCP/IP", rest, "s")
    work.put("zIIP-eligible", share * cpu, "s")
    work.put("hours at work", hours, "h")


def _far_limit(rows: wan.Rows, p: Mapping[str, float]) -> str:
    if rows.fasp[0]:
        return "the rate of fasp.io and its waits for confirmation"
    limits = {name: float(each[0]) for name, each in wan.tcp_limits(rows, p).items()}
    limits["waits for confirmation of a batch"] = float(rows.trip[0] / p["batch_limit"])
    return max(limits, key=lambda name: limits[name])


# --- messages --------------------------------------------------------------------------------


def _clients(work: Work) -> None:
    """Clients that stay connected and send requests of 4 KB (document 001)."""
    s = work.settings
    if "transactions_per_second" not in s:
        work.cautions.append("one transaction a second by each client, as in document 001")
    through = s.get("connection", "direct")
    per_second = s["clients"] * s.get("transactions_per_second", 1)
    length = len(processor_shares(s))
    count = per_second * 3600.0 * length
    size = s.get("message_size_bytes", 4096)
    factors = {"document": "001", "connection": through, "message_size_bytes": size}
    capacity_of = add_capacity(work)
    few = math.log(s["clients"] / _CLIENTS)
    capacity_of = capacity_of * np.exp(_CONTENTION * few * work.errors("contention of clients"))
    total = eligible = 0.0 * capacity_of
    for space in _SPACES:
        cell = factors | {"address_space": space}
        if through == "direct" and space == "zCX":
            continue
        us = after = work.ask("cost_per_transaction", **cell) / capacity_of
        if through == "zCX":
            after = work.ask("cost_per_transaction", **cell, ziip_offload="Y") / capacity_of
        work.put(f"CPU of {space}", count * us / 1e6, "s")
        total, eligible = total + us, eligible + np.maximum(us - after, 0.0)
    work.put("CPU per transaction", total, "us")
    work.put("CPU", count * total / 1e6, "s")
    work.put("zIIP-eligible", count * eligible / 1e6, "s")
    work.put("hours at work", np.full_like(total, float(length)), "h")
    if through == "direct":
        initiators = math.ceil(s["clients"] / _CHANNELS)
        work.put("channel initiators", np.full_like(total, float(initiators)), "")
        storage = s["clients"] * _STORAGE_MB
        work.put("storage of channel initiators", np.full_like(total, storage), "MB")
        if initiators > 1:
            work.limit = f"{_CHANNELS:,} channels of a channel initiator: it takes {initiators}"
    elif s["clients"] > 12_000:
        work.cautions.append("a concentrator was run with at most 12,000 clients, not all in time")
    if s["clients"] != _CLIENTS:
        work.cautions.append(f"costs were measured with {_CLIENTS:,} clients")


def _protected(work: Work) -> None:
    """What AMS adds to messages that are put and got: the costs of MFT's messages of 256 KB.

    A part of it is per message, and a part per byte: the band has all of one and all of the other.
    """
    s = work.settings
    policy, size = s.get("ams"), s.get("message_size_bytes")
    if policy not in stages.AMS or not isinstance(size, int | float) or size <= 0:
        raise PlanError("messages: state ams (Integrity, Privacy, Confidentiality) and"
                        " message_size_bytes; other costs of messages are not known")  # fmt: skip
    p = load(MFT_ZOS.file)
    per_gb = p["cpu_protect"]
    per_gb += p["cpu_sign"] * (policy != "Confidentiality")
    per_gb += p["cpu_encrypt"] * (policy != "Integrity")
    each = per_gb * _AGENT_MESSAGE / 2**30 * 1e6
    spread = abs(math.log(size / _AGENT_MESSAGE))
    sign = math.copysign(0.5, size - _AGENT_MESSAGE) * spread
    sd = math.hypot(spread / 2 / Z90, 0.15)
    name = s.get("machine", MEASURED_ON)
    if name == "z16":  # measured by policy and size, so better than its capacity
        change = work.ask("change_transaction_cost", document="004", ams=policy, machine="z16",
                          compared_with="z15", message_size_bytes=int(size))  # fmt: skip
        factor = 1.0 + change / 100.0
    else:
        factor = 1.0 / add_capacity(work)
    us = each * np.exp(sign + sd * work.errors("protection of a message")) * factor
    work.cautions.append("no document has the cost of a protected message: that of MFT's messages"
                         " of 256 KB, between all per byte and all per message")  # fmt: skip
    work.put("CPU of AMS per message", us, "us")
    work.put("CPU", s["messages"] * us / 1e6, "s")
    work.put("zIIP-eligible", np.zeros_like(us), "s")
    work.put("hours at work", np.full_like(us, float(len(processor_shares(s)))), "h")


# --- recorded work ---------------------------------------------------------------------------


def _recorded(work: Work) -> None:
    """Work as records have it, by hour of a mean day: it grows, or moves to another machine."""
    s, had = work.settings, work.settings["recorded"]
    work.measured_on = had["machine"] or MEASURED_ON
    if s.get("machine") == had["machine"] and had["msu_per_cp"]:
        s.setdefault("msu_per_cp", had["msu_per_cp"])
    if had["spread"] is None:
        work.cautions.append(
            "days differ by 20 %: assumed, as there are no records of several days"
        )
    if had["hours"] < 24:
        work.cautions.append(f"records cover {had['hours']} of the 24 hours of a day")
    spread = _BETWEEN_DAYS if had["spread"] is None else had["spread"]
    factor = s.get("grows", 1.0) / add_capacity(work) * np.exp(spread * work.errors("days"))
    work.sources["cpu"] = "records"
    total, eligible = (sum(used[n] for used in had["spaces"].values()) for n in (0, 1))
    for name, (cpu, _) in had["spaces"].items():
        work.put(f"CPU of {name}", cpu * factor, "s")
    work.put("CPU", total * factor, "s")
    work.put("zIIP-eligible", eligible * factor, "s")
    work.put("hours at work", np.full_like(factor, 24.0), "h")


#: By what is counted: how it is worked out, and which settings move it besides _COMMON.
_COMMON = ("window", "curve", "ziips", "machine", "rni", "msu_per_cp")
_FILES = (_transfers, ("transfers", "cps", "latency_km", *FACTORS))
_KINDS: dict[str, tuple[Callable[[Work], None], tuple[str, ...]]] = {
    "gb": _FILES,
    "files": _FILES,
    "clients": (_clients, ("transactions_per_second", "connection", "message_size_bytes")),
    "recorded": (_recorded, ("grows",)),
    "messages": (_protected, ("ams", "message_size_bytes")),
}
