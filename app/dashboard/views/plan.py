"""What a workload would take: elapsed time, CPU, zIIPs, MSU and money, for alternatives.

Code of its own: its figures are computed for the settings, not queried. `perfhouse plan` has the
same, with more settings.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl
import streamlit as st

from app.charts.band import banded
from app.dashboard import components, filters, session, units
from app.pipeline.planning import make_plan
from app.results.queries import catalogue, plan_inputs
from app.results.reader import Reader
from ingest.base.errors import RequestError
from models_sim.base.machines import machines
from models_sim.plan import Plan
from models_sim.plan_work import Alternative

_AMS = ("N", "Integrity", "Privacy", "Confidentiality")
_TILES = (
    "elapsed",
    "CPU",
    "CPU after offload",
    "zIIPs busy",
    "MSU, peak four-hour average",
    "money",
)


class _Kind(NamedTuple):
    """A kind of work: numbers by setting, with label, usual and least value; lists of levels.

    The usual level is one, all ("") or none: None.
    """

    numbers: Mapping[str, tuple[str, float, float]]
    levels: Mapping[str, tuple[str, tuple[str, ...], str | None]] = {}  # label, levels, usual one


_KINDS = {
    "Files": _Kind(
        {
            "gb": ("GB a night", 500.0, 0.001),
            "file_size_mb": ("File size, MB", 100.0, 0.001),
            "transfers": ("Transfers at once", 1.0, 1.0),
        },
        {
            "network": ("Network", ("1Gb", "10Gb", "25Gb", "40Gb", "100Gb"), "10Gb"),
            "tls": ("TLS", ("N", "TLS 1.2", "TLS 1.3"), "N"),
            "ams": ("AMS", _AMS, "N"),
            "compmsg": ("Compression", ("N", "RLE", "ZLIBFAST", "ZLIBHIGH"), "N"),
        },
    ),
    "Files over distance": _Kind(
        {
            "gb": ("GB a night", 100.0, 0.001),
            "file_size_mb": ("File size, MB", 100.0, 0.001),
            "latency_km": ("Distance, km", 3000.0, 0.0),
            "loss_pct": ("Loss, %", 0.05, 0.0),
        },
        {"protocol": ("Protocol", ("TCP", "FASP"), "")},
    ),
    "Clients": _Kind(
        {
            "clients": ("Clients", 8000.0, 1.0),
            "transactions_per_second": ("Transactions a second of each", 1.0, 0.0001),
        },
        {"connection": ("Connection", ("direct", "zCX"), "")},
    ),
    "Protected messages": _Kind(
        {
            "messages": ("Messages a night", 1e6, 1.0),
            "message_size_bytes": ("Message size, B", 65536.0, 1.0),
        },
        {"ams": ("AMS", _AMS[1:], "Privacy")},
    ),
    "Recorded work": _Kind(
        {"grows": ("Grows to, times", 1.0, 0.01)},
        {"ziips": ("zIIPs", ("0", "1", "2", "3", "4", "6", "8"), None)},
    ),
}


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "Plan",
        "A workload, and what it would take: time, CPU, zIIPs, MSU and money, for each combination "
        "of what is chosen.",
    )
    if not catalogue.any_load(reader):
        components.empty("Nothing is loaded yet; the command 'perfhouse plan' needs no data.")
        return
    workload = _workload(filters.switch("Work", list(_KINDS), "work"))
    components.note(f"As a command: {_command(workload)}")
    try:
        plan = make_plan(plan_inputs.with_records(reader, workload))
    except RequestError as error:
        components.info(f"{error}.", "block")
        return
    _charts(plan)
    for line in plan.remarks():
        components.note(f"{_sentence(line)}.")
    components.section("All figures", "With the band that holds eight of ten cases.")
    components.table(
        plan.frame(),
        "plan",
        columns={
            "alternative": "Alternative",
            "figure": "Figure",
            "value": "Expected",
            "low": "10 %",
            "high": "90 %",
            "unit": "Unit",
            "source": "From",
        },
    )


def _workload(name: str) -> dict[str, Any]:
    """Draw a widget for each setting; return what they are set to."""
    kind, workload = _KINDS[name], dict[str, Any]()
    with st.grid(4, min_column_width=190, gap="small"):
        if name == "Recorded work":
            workload["recorded"] = filters.text(
                "Address spaces", "*MSTR,*CHIN", "recorded", help="Between commas; * is any text."
            )
        for setting, (label, usual, least) in kind.numbers.items():
            workload[setting] = filters.amount(label, usual, setting, least=least)
        for setting, (title, levels, level) in kind.levels.items():
            default = [level] if level else list(levels if level == "" else ())
            chosen = filters.choices(
                title, levels, setting, default=default, placeholder="as needed"
            )
            workload[setting] = [float(n) for n in chosen] if setting == "ziips" else chosen
        workload["machine"] = filters.choices("Machine", list(machines()), "machine",
                                              default=["z15", "z16"])  # fmt: skip
        if name != "Recorded work":
            workload["window"] = filters.amount("Window, h", 8.0, "window", least=0.5)
        if msu := filters.amount("MSU of one CP, if known", 0.0, "msu_per_cp"):
            workload["msu_per_cp"] = msu
    return {
        setting: value[0] if isinstance(value, list) and len(value) == 1 else value
        for setting, value in workload.items()
        if value not in ([], "")
    }


def _command(workload: Mapping[str, Any]) -> str:
    def word(setting: str, value: Any) -> str:
        levels = value if isinstance(value, list) else [value]
        texts = (level if isinstance(level, str) else f"{level:.10g}" for level in levels)
        return f"{setting}={','.join(texts)}"

    words = [word(*item) for item in workload.items() if item[0] != "recorded"]
    if names := workload.get("recorded"):
        words += ["--from-records", names]
    return f"perfhouse plan {shlex.join(words)}"


def _charts(plan: Plan) -> None:
    """Draw a figure for all alternatives side by side; a single one has tiles."""
    if len(plan.alternatives) == 1:
        (only,) = plan.alternatives
        components.tiles({n: _tile(only, n) for n in _TILES if n in only.figures})
        return
    frame = plan.frame()
    order = [each.name for each in plan.alternatives]
    with components.panels():
        for name in _TILES:
            rows = frame.filter(pl.col("figure") == name).rename(
                {"alternative": "at", "value": "predicted"}
            )
            if not rows.is_empty():
                unit = rows["unit"][0] or name
                components.panel(_sentence(name), banded(rows, x="", unit=unit, order=order))


def _tile(alternative: Alternative, name: str) -> tuple[str, str]:
    figure = alternative.figures[name]
    return (
        units.quantity(figure.value, figure.unit),
        f"{units.number(figure.low)} to {units.number(figure.high)}",
    )


def _sentence(text: str) -> str:
    return text if text.startswith("zIIP") else text[0].upper() + text[1:]


if __name__ == "__main__":
    draw(session.reader())
