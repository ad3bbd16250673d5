"""Parts about systems and queue managers: limits, advice, and what zIIPs would save."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.reports.blocks import claim, table
from app.reports.cells import shown
from app.reports.document import Block, Text
from app.reports.presets import Row
from app.reports.report import Report
from app.reports.text import printed
from app.results.offload import offloaded
from app.results.queries import advice as advising
from app.results.queries import health as judging
from app.results.queries.owners import OWNERS, record_owners
from app.results.queries.scope import Scope
from app.results.words import counted
from expectations.verdicts.verdict import ALARM, WARNING, WITHIN

__all__ = ["advice", "health", "what_if"]


def _first(row: Row) -> float:
    """Return the first limit that a figure is to keep."""
    return float(row["alarm"] if row["warning"] is None else row["warning"])


def health(report: Report, said: Mapping[str, Any]) -> list[Block]:
    """Return what is judged of a system or queue manager: what to tune first, then what is kept."""
    kind = "queue manager" if report.values.get("queue_manager") else "system"
    owner = OWNERS[kind]
    label = str(report.values.get("queue_manager") or report.values.get("system"))
    here = [
        item
        for item in record_owners(report.reader, owner)
        if item.label == label and item.origin == report.values["origin"]
    ]
    if not here:
        return []
    scope = Scope(
        here[0].origin,
        (label,),
        max(here[0].start, report.values.get("from_utc") or here[0].start),
        here[0].end,
        owner.name,
    )
    result = judging.verdicts(report.reader, scope, kind).to_dicts()
    rows = [
        row
        | {
            "value_text": f"{row['value']:.4g} {row['unit']}".strip()
            if row["value"] is not None
            else None,
            "limit": f"{'≥' if row['is_below'] else '≤'} {_first(row):g}",
            "how_often": f"{row['beyond']} of {row['intervals']}" if row["intervals"] else None,
        }
        for row in result
    ]
    bad = [row for row in rows if row["verdict"] in {ALARM, WARNING}]
    kept = [row for row in rows if row["verdict"] == WITHIN]
    verb = "is" if len(bad) < 2 else "are"
    text = (
        f"{len(bad) or 'None'} of {counted(len(bad) + len(kept), 'check')} {verb} beyond a limit."
    )
    for row in bad[:3]:
        what = f" of {row['of']}" if row["of"] else ""
        text += f" {row['label']}{what}: {row['value_text']} at worst, limit {row['limit']}, "
        text += f"beyond it in {row['how_often']} intervals: {row['remedy']}."
    limits = {
        "label": "Check",
        "of": "Of",
        "value_text": "Worst interval",
        "limit": "Limit",
        "how_often": "Intervals beyond",
        "verdict": "Verdict",
    }
    blocks: list[Block] = [*claim(text), *table(bad, limits, "What is beyond a limit")]
    blocks += table(
        bad,
        {
            "label": "Check",
            "remedy": "What to change",
            "formula": "Formula, in SMF fields",
            "source": "Source",
        },
        "What to change, and where that stands",
        is_small=True,
    )
    if not said.get("most"):
        blocks += table(
            kept,
            limits | {"verdict": "", "formula": "Formula, in SMF fields", "source": "Source"},
            "Checks that are kept",
            is_small=True,
        )
    return blocks


def advice(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the rules of the documents that ask for a change, and those that are kept."""
    of = {
        name: None if report.values.get(name) is None else str(report.values[name])
        for name in ("campaign", "sysplex")
    }
    rules = advising.judged(report.reader, str(report.values.get("origin") or "measured"), **of)
    due = [rule for rule in rules if rule["state"] == "act"]
    kept = [rule for rule in rules if rule["state"] == "fine"]
    text = "\n".join(f"- **{printed(rule['title'])}.** {printed(rule['do'])}" for rule in due)
    columns = {"title": "Rule", "evidence": "Evidence", "source": "Source"}
    return [
        Text(text or "No rule of the documents asks for a change."),
        *table(due, columns, "Rules that ask for a change", is_small=True),
        *table(kept, columns, "Rules that are kept", is_small=True),
    ]


def what_if(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return what zIIPs would save of the recorded work, and what growth of it would cost."""
    of = report.values
    row = report.reader.frame(
        """
        with hour as (
            select
                coalesce(max(highest_ziip_factor), 1.0) as factor,
                sum(class_seconds) / nullif(
                    count(distinct system_id) filter (where class_seconds > 0), 0
                ) / 3600 as hours
            from marts.fct_system_hour
            where origin = $origin and coalesce(sysplex, 'none') = $sysplex
                and local_date >= $since::date
        )
        select
            sum(general_purpose_seconds + eligible_seconds - ziip_on_cp_seconds) as cpu_seconds,
            sum(general_purpose_seconds) as on_cps, sum(eligible_seconds) as eligible,
            any_value(factor) as factor, any_value(hours) as hours,
            count(distinct system_id) as systems, max(currency) as currency,
            3600 * sum(general_purpose_seconds * msu_hours_per_cp_second) / nullif(
                sum(general_purpose_seconds) filter (where msu_hours_per_cp_second is not null), 0
            ) as msu_per_cp,
            sum(cost_money) / nullif(
                sum(general_purpose_seconds) filter (where cost_money is not null), 0
            ) as cp_second
        from marts.fct_usage_hour, hour
        where origin = $origin and coalesce(sysplex, 'none') = $sysplex
            and local_date >= $since::date and subject = 'service class'
        """,
        {name: of[name] for name in ("origin", "sysplex", "since")},
    ).row(0, named=True)
    if not row["on_cps"] or not row["hours"]:
        return [Text("No SMF 72 records with zIIP times are loaded, so there is no what-if.")]
    more, price = 1 + float(of["growth"]) / 100, float(of["price"])
    saved = offloaded(
        cpu_seconds=row["cpu_seconds"] * more,
        eligible_seconds=row["eligible"] * more,
        hours=row["hours"],
        ziips=float(of["ziips"]),
        share=float(of["share"]) / 100,
        factor=row["factor"],
        msu_per_cp=row["msu_per_cp"] or 0.0,
        price=price,
        cp_second=0.0 if price else row["cp_second"] or 0.0,
    )
    rows = [
        {
            "what": "CPU time on CPs, hours",
            "recorded": row["on_cps"] / 3600,
            "all": saved.on_cps_before / 3600,
            "with": saved.on_cps_after / 3600,
        },
        {
            "what": "MSU hours",
            "recorded": row["on_cps"] / 3600 * (row["msu_per_cp"] or 0),
            "all": saved.msu_hours_before,
            "with": saved.msu_hours_after,
        },
        {
            "what": f"Price{', ' + row['currency'] if row['currency'] and not price else ''}",
            "recorded": None,
            "all": saved.price_before or None,
            "with": saved.price_after or None,
        },
        {"what": "zIIPs busy, on average", "recorded": None, "all": None, "with": saved.ziips_busy},
    ]
    zs = "one zIIP" if of["ziips"] == 1 else f"{shown(of['ziips'])} zIIPs"
    growth = f", {shown(of['growth'])} % more work" if of["growth"] else ""
    texts = claim(
        f"With {zs} for {shown(of['share'])} % of the eligible time, CPs would work "
        f"{saved.on_cps_after / 3600:,.1f} hours of the recorded {row['on_cps'] / 3600:,.1f}"
        + ("; more zIIPs would take more." if saved.is_limited else ", and more change nothing.")
    )
    columns = {
        "what": "In the recorded hours",
        "recorded": "As recorded",
        "all": "All on CPs",
        "with": f"With {zs}",
    }
    made = [
        {name: shown(v) if isinstance(v, float) else v for name, v in r.items()}
        for r in rows
        if r["with"] is not None
    ]
    return [
        *texts,
        *table(
            made,
            columns,
            f"What zIIPs would save of {shown(float(row['hours']))} hours of "
            f"{counted(row['systems'], 'system')}"
            f"{growth}, with {shown(of['share'])} % of the eligible time and {zs}",
        ),
    ]
