"""Parts about regressions: those that are open, each with its series, and all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.reports.blocks import claim, table
from app.reports.document import Block, Chart, Heading, Text
from app.reports.presets import Row
from app.reports.report import Report
from app.reports.text import escaped
from app.reports.words import change, day
from app.results.labels import (
    configuration_label,
    metric_label,
    unit_label,
)
from app.results.metrics import measured
from app.results.queries import regressions as regressing
from app.results.regressions import split_of
from app.results.words import counted
from ingest.base.extras import is_installed

__all__ = ["cause_of", "regressions", "regressions_all", "regressions_open"]

_SHARE = re.compile(r"(\S+) \((\d+) %\)(?: and MQ (\w+) \((\d+) %\))?")


def _regression_rows(report: Report) -> list[Row]:
    campaign = report.values.get("campaign")
    return [
        row
        | {
            "what": metric_label(row["metric"]) if row["metric"] else "Excluded runs",
            "part": ", ".join(filter(None, (row["address_space"], row["system_id"]))) or None,
            "place": configuration_label(row["configuration"] or "")
            or f"Campaign {row['campaign']}",
            "since": day(row["onset_utc"]),
            "is_now_open": row["state"] in regressing.OPEN,
            "before_text": _figure(row, "before"),
            "after_text": _figure(row, "after"),
            "change": None
            if row["change_percent"] is None
            else change(row["change_percent"]).removesuffix(" %"),
        }
        for row in regressing.known(report.reader).iter_rows(named=True)
        if campaign is None or row["campaign"] == campaign
    ]


def _figure(row: Row, side: str) -> str | None:
    if row[side] is None:
        return None
    text, unit = measured(row["metric"] or "", row[side], row["unit"] or "")
    return f"{text} {unit_label(unit)}".strip()


_REGRESSION = {
    "since": "Since",
    "onset_build": "Build",
    "place": "Configuration",
    "what": "What",
    "part": "Part",
    "before_text": "Before",
    "after_text": "After",
    "change": "Change, %",
    "cause": "Likely cause",
}


def cause_of(row: Row) -> str:
    """Return where a change is in a sentence; a part of CPU time by its share."""
    if match := _SHARE.match(str(row["cause"] or "")):
        space, share, call, of_it = match.groups()
        verb = "added" if (row["change_percent"] or 0) > 0 else "saved"
        text = f"{share} % of the {verb} CPU time is in {space}"
        return f"{text}; MQ{call.upper()} accounts for {of_it} % of it." if call else f"{text}."
    return f"Likely cause: {row['cause']}." if row["cause"] else ""


def _sentence(row: Row) -> str:
    part = f" of {row['part']}" if row["part"] else ""
    verb = "rose" if (row["change_percent"] or 0) > 0 else "fell"
    by = f" ({change(row['change_percent'])})" if row["change_percent"] is not None else ""
    text = f"{row['what']}{part} {verb} from {row['before_text']} to {row['after_text']}"
    text += f" on {row['since']}{by}"
    return f"{text}, of {row['place']}. {cause_of(row)}".strip()


def regressions_open(report: Report, said: Mapping[str, Any]) -> list[Block]:
    """Return the regressions that are open on the configurations of the campaign."""
    opened = [row for row in _regression_rows(report) if row["is_now_open"] and row["leads"]]
    if not opened:
        return [Text("No regression is open on these configurations.")]
    most = int(said.get("most", 6))
    verb = "is" if len(opened) == 1 else "are"
    return [
        *claim(
            f"{counted(len(opened), 'regression')} {verb} open on these configurations. "
            + (_sentence(opened[0]) if opened[0]["metric"] else "")
        ),
        *table(
            opened[:most],
            _REGRESSION,
            f"{counted(len(opened), 'open regression')}"
            + (
                f", the {most} of the greatest impact"
                if len(opened) > most
                else ", the greatest impact first"
            ),
            is_small=True,
        ),
    ]


def regressions(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return every open regression with its series and its parts, and the list of all."""
    every_ = _regression_rows(report)
    if not every_:
        return [
            Text(
                "Nothing is open: no regression is known. "
                "Regressions need runs, declared in a manifest or by "
                "`perfhouse run-add`."
            )
        ]
    opened = [row for row in every_ if row["is_now_open"] and row["leads"]]
    blocks = claim(
        f"{counted(len(opened), 'regression')} {'is' if len(opened) == 1 else 'are'} open, "
        f"of {len(every_)} that are known."
    )
    blocks += table(
        opened[:60], _REGRESSION, "Open regressions, the greatest impact first", is_small=True
    )
    for row in [row for row in opened if row["metric"]][:30]:
        by = f" {change(row['change_percent'])}" if row["change_percent"] is not None else ""
        blocks += [
            Heading(3, escaped(f"{row['what']}{by}: {row['place']}")),
            *claim(_sentence(row)),
        ]
        runs = regressing.runs_of(report.reader, row)
        if is_installed("charts") and runs.height > 2:
            from app.reports import charts

            description = f"{runs.height} runs, from {row['before_text']} to {row['after_text']}."
            blocks.append(
                Chart(f"{row['what']}, by run", charts.regression(row, runs), description)
            )
        parts = sorted(split_of(row).to_dicts()[:8], key=lambda part: str(part["dimension"]))
        blocks += table(
            [
                part | {"dimension": part["dimension"].replace("figure", "other metric")}
                for part in parts
            ],
            {"name": "Part", "before": "Before", "after": "After", "unit": "Unit"},
            "What changed with it",
            is_small=True,
            section="dimension",
        )
    return blocks


def regressions_all(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the list of all regressions."""
    return table(
        _regression_rows(report),
        _REGRESSION | {"cause": "", "state": "State", "regression_id": "ID", "note": "Note"},
        "Every regression; a part is a system or an address space",
        is_small=True,
    )
