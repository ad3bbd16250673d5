"""Parts about what ran where: the work, its ways, systems and settings, and a team's text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from app.reports.blocks import table
from app.reports.document import Block, Chart, Text
from app.reports.figures import number_of
from app.reports.report import Report
from app.reports.text import escaped
from app.reports.words import name_of
from app.results.labels import (
    factor_label,
    level_label,
)
from app.results.words import counted, listed
from ingest.base.extras import is_installed
from ingest.base.visible import visible

__all__ = ["conclusions", "settings", "team_text", "topology", "workload"]

_MOST_WAYS = 10
_ATTACHED = ("", "direct", "bindings", "client")  # connections with nothing in between
_NO_SETTINGS = frozenset(("machine", "mq_level", "path"))


def _levels_of(report: Report) -> dict[str, set[str]]:
    levels: dict[str, set[str]] = {}
    for figure in report.figures:
        for name, level in figure.factors.items():
            levels.setdefault(name, set()).add(level)
    return levels


def workload(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return what the runs do, in two lines, from their factors, if these say it."""
    levels = _levels_of(report)

    def said(name: str, text: str) -> str:
        own_levels = sorted(levels.get(name, set()) - {""}, key=number_of)
        if not own_levels:
            return ""
        names = [name_of(name, level) for level in own_levels]
        is_range = len(own_levels) > 2 and all(
            isfinite(number_of(level)[0]) for level in own_levels
        )
        return text.format(f"{names[0]} to {names[-1]}" if is_range else listed(names))

    if not {"file_size_mb", "message_size_bytes", "transaction"} & {*levels}:
        return []
    work = (
        "Each run transfers files" if "file_size_mb" in levels else "Each transaction is a message"
    )
    parts = [
        said("file_size_mb", "of {}"),
        "" if "file_size_mb" in levels else said("message_size_bytes", "of {}"),
        said("mode", "as {}"),
        said("transaction", "({})"),
        said("persistent", "{}"),
        said("clients", "from {}"),
    ]
    text = " ".join(filter(None, (work, *parts)))
    drivers = report.values.get("drivers")
    ways = "; ".join(
        filter(
            None, (said("source", "from {}"), said("target", "to {}"), said("network", "over {}"))
        )
    )
    more = ". ".join(
        filter(None, (ways and f"They go {ways}", drivers and f"The driver is {listed(drivers)}"))
    )
    return [Text(f"**Workload.** {escaped(text)}.{f' {escaped(more)}.' if more else ''}")]


def team_text(report: Report, part: str) -> list[Block]:
    """Return what a team wrote for a campaign: CAMPAIGN.PART.md beside its manifest or results.

    Its headings become bold lines.
    """
    campaign = str(report.values.get("campaign") or "")
    if not campaign or Path(campaign).name != campaign:
        return []
    paths = report.reader.frame(
        "select distinct path from marts.dim_load where list_contains(?, source_id) order by path",
        (tuple(report.values.get("sources") or ()),),
    )["path"]
    for folder in dict.fromkeys(Path(path).parent for path in paths):
        try:
            text = (folder / f"{campaign}.{part}.md").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        return [Text(re.sub(r"(?m)^#{1,6} +(.*)$", r"**\1**", visible(text)).strip())]
    return []


def conclusions(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return what the team concludes."""
    return team_text(report, "conclusions")


def settings(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the factors of the runs and their levels."""
    levels = _levels_of(report)
    rows = [
        {
            "what": factor_label(name),
            "levels": ", ".join(
                level_label(name, level) for level in sorted(stated_levels, key=number_of)[:12]
            )
            + (", …" if len(stated_levels) > 12 else ""),
        }
        for name, stated_levels in sorted(levels.items())
        if name not in _NO_SETTINGS
    ]
    return table(rows, {"what": "Factor", "levels": "Levels"}, "Factors of the runs")


def topology(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return a drawing of the systems, queue managers, channels and partners of the runs."""
    condition = (
        "origin = $origin and list_contains($systems, system_id)"
        " and interval_start_utc between $from_utc and $until_utc"
    )
    questions: dict[str, tuple[str, dict[str, str], str]] = {
        "machines": (
            "fct_processor_interval",
            {
                "system_id": "system",
                "any_value(sysplex)": "sysplex",
                "any_value(machine_type || '-' || machine_model)": "machine",
                "max(processors_online) filter (processor_type = 'CP')": "cps",
                "max(processors_online) filter (processor_type = 'zIIP')": "ziips",
            },
            condition,
        ),
        "managers": (
            "fct_queue_manager_interval",
            {"queue_manager": "queue_manager", "system_id": "system"},
            condition,
        ),
        "channels": (
            "fct_channel_interval",
            {
                "queue_manager": "queue_manager",
                "remote_queue_manager_or_application": "remote",
                "count(distinct channel_name)": "channels",
            },
            f"{condition} and channel_type ilike '%sender%'",
        ),
        "facilities": ("fct_cf_interval", {"coupling_facility": "coupling_facility"}, condition),
        "disks": (
            "fct_volume_interval",
            {"control_unit_model": "control_unit"},
            f"{condition} and control_unit_model <> ''",
        ),
    }
    rows = {
        name: [
            dict(zip(columns.values(), row, strict=True))
            for row in report.ask({"mart": mart, "columns": columns, "where": where, "order": "1"})
        ]
        for name, (mart, columns, where) in questions.items()
    }
    ends = {(f.factors.get("source"), f.factors.get("network")) for f in report.figures}
    ends |= {(f.factors.get("target"), f.factors.get("network")) for f in report.figures}
    away = sorted({str(name) for name, _ in ends if name and name not in {"z/OS", "USS", "queue"}})
    rows["partners"] = [
        {
            "partner": name,
            "networks": sorted({net for network, net in ends if network == name and net}),
        }
        for name in away
    ]
    if not (rows["machines"] or rows["managers"]):
        return _ways(report)
    text = listed(
        [
            counted(len(items), name.removesuffix("s"), name)
            for name, items in {
                "systems": rows["machines"],
                "queue managers": rows["managers"],
                "partners off z/OS": rows["partners"],
            }.items()
            if items
        ]
    )
    spec = None
    if is_installed("charts"):
        from app.reports import charts

        spec = charts.topology(rows)
    title = "Systems, queue managers and channels in the time of the runs"
    return [Chart(title, spec, f"{text}."), *_ways(report)]


def _ways(report: Report) -> list[Block]:
    """Return a drawing of the ways that data went in the runs, as their factors say."""
    names = ("source", "connection", "network", "target")
    stated = sorted({tuple(f.factors.get(name, "") for name in names) for f in report.figures})
    ways = []
    for source, connection, network, target in stated:
        if source or target or connection:
            between = [] if connection in _ATTACHED else [connection]
            boxes = [source or "Clients", *between, target or "Queue manager"]
            over = [network or connection if connection in _ATTACHED else network]
            ways.append((boxes, over * (len(boxes) - 1)))
    if not ways:
        return []
    spec = None
    if is_installed("charts"):
        from app.reports import charts

        spec = charts.ways(ways[:_MOST_WAYS])
    text = "; ".join(" to ".join(boxes) for boxes, _ in ways)
    few = f", {_MOST_WAYS} of {len(ways)}" if len(ways) > _MOST_WAYS else ""
    return [Chart(f"The ways of the data{few}", spec, f"{len(ways)} ways: {text}.")]
