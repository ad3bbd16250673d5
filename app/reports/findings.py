"""Parts about what changed: regressions, a night, two sides, and one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.reports.blocks import claim, leading_metrics, rank, table, value_with_unit
from app.reports.contrast_tables import configuration_names, pair_tables
from app.reports.document import Block, Heading, Text
from app.reports.figures import Figure, factor_levels
from app.reports.judging import DECIDED, Pair, answers_of
from app.reports.questions import chart_blocks
from app.reports.report import Report
from app.reports.sections import contrast_blocks
from app.reports.text import escaped
from app.reports.words import answer_sentence, change, summary_of
from app.results.labels import (
    configuration_label,
    metric_label,
)
from app.results.metrics import measured
from app.results.queries import comparison as comparing
from app.results.queries.runs import MAIN_METRICS
from app.results.sides import SelectionError, parse_held
from app.results.words import counted
from expectations.verdicts.verdict import NOT_JUDGED, UNDECIDED

__all__ = ["night", "run_figures", "sides"]

_AXES = (
    "ams",
    "tls",
    "mode",
    "connection",
    "protocol",
    "message_size_bytes",
    "file_size_mb",
    "cpus",
)
_VERDICTS = {"same": "the same", UNDECIDED: "not decided"}


def night(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the last session against those before it: a contrast of nights."""
    most = int(float(report.values.get("nights") or 7))
    sessions = sorted({session for f in report.figures for session in f.sessions})
    if len(sessions) < 2:
        return [Text("This is the first night: there is nothing to compare it with.")]
    last, before = {sessions[-1]}, set(sessions[-1 - most : -1])
    apart = [
        replace(
            f,
            configuration=f"{f.configuration}, {name}",
            values=values,
            sessions=(),
            factors={**f.factors, "night": name},
        )
        for f in report.figures
        for name, some in (("the last night", last), ("the nights before", before))
        if (values := tuple(v for v, s in zip(f.values, f.sessions, strict=True) if s in some))
    ]
    metrics = leading_metrics(apart, 4)
    says_ = {
        "contrast": "night",
        "from": "the nights before",
        "to": "the last night",
        "axes": [name for name in _AXES if any(name in f.factors for f in apart)],
        "metrics": metrics,
    }
    blocks, _answers, _used = contrast_blocks(says_, apart, {}, {}, "The last night")
    return blocks or [Text("No figure of the night was measured in the nights before.")]


def sides(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return what two sides of runs differ in: answers first, then every pair."""
    options = report.values
    ignored = [name.strip() for name in str(options.get("ignore") or "").split(",") if name.strip()]
    terms = {}
    try:
        for side in ("baseline", "candidate"):
            terms[side] = comparing.terms_of(report.reader, str(options[side]))
        result = comparing.compare_sides(
            report.reader,
            terms["baseline"],
            terms["candidate"],
            ignore=ignored,
            held=parse_held(str(options.get("only") or "")),
        )
    except SelectionError as error:
        return [Text(escaped(f"The two sides cannot be compared: {error.what}."))]
    options["origin"] = result.candidate.origin
    factors_of_configuration = {
        row["configuration"]: factor_levels(row)
        for row in report.reader.frame("from marts.dim_configuration").to_dicts()
    }
    before, after = result.baseline.name, result.candidate.name

    def measured_on(pair: Any, values: Any) -> Figure:
        factors = factors_of_configuration.get(pair.configuration, {})
        better = pair.more_is_better
        return Figure(pair.configuration, factors, pair.metric, pair.unit, better, values, ())

    pairs = [
        Pair(
            measured_on(pair, pair.baseline_values),
            measured_on(pair, pair.candidate_values),
            pair.judged,
        )
        for pair in result.pairs
        if pair.judged.verdict != NOT_JUDGED and not pair.part and pair.more_is_better is not None
    ]
    label = (
        next(iter(terms["baseline"]))
        if {*terms["baseline"]} == {*terms["candidate"]} and len(terms["baseline"]) == 1
        else ""
    )
    options["baseline"], options["candidate"] = before, after
    if label:
        before, after = (str(terms[side][label]) for side in ("baseline", "candidate"))
    answers = sorted(answers_of(pairs, label, before, after, _AXES), key=rank)
    counts = {
        word: sum(p.judged.verdict == word for p in pairs)
        for word in ("worse", "better", "same", UNDECIDED)
    }
    runs = {n for p in pairs for n in (p.judged.baseline_runs, p.judged.candidate_runs)}
    text = (
        f"Of {counted(len(pairs), 'figure')} that both sides have, "
        + ", ".join(
            f"{count} {'is' if count == 1 else 'are'} {_VERDICTS.get(word, word)}"
            for word, count in counts.items()
            if count
        )
        + "."
    )
    if counts[UNDECIDED] == len(pairs) and runs == {1}:
        more = max((p.judged.more_runs or 0 for p in pairs), default=0)
        text = f"Undecided: each side ran once; {counted(more, 'more run')} of each would decide."
    rows = [
        {"metric": a.metric, "answer": summary_of(a), "pairs": f"{len(a.pairs)}"}
        for a in answers
        if a.is_certain
    ]
    sentences = [answer_sentence(a) for a in answers if a.is_certain][:3]
    bounds = (
        comparing.missing_figures(result)
        + comparing.parts_of_intervals(result)
        + comparing.sources_that_differ(result)
    ).strip()
    blocks = [
        *claim(text),
        *table(
            [
                {"word": "not decided" if w == UNDECIDED else w, "n": f"{n}"}
                for w, n in [*counts.items(), ("all", len(pairs))]
                if n
            ],
            {"word": "Figures", "n": "Number"},
            "Verdicts",
        ),
        *table(
            rows[:8],
            {
                "metric": "What",
                "answer": f"Change from {options['baseline']} to {options['candidate']}",
                "pairs": "Pairs",
            },
            "Answers",
            is_small=True,
        ),
        *[b for item in sentences for b in claim(item)],
        *([Text(escaped(bounds))] if bounds else []),
    ]
    blocks.append(Heading(2, "What changed"))
    largest = sorted(
        (p for p in pairs if p.judged.verdict in DECIDED and p.is_ratio),
        key=lambda p: -abs(p.shift),
    )[:12]
    names = configuration_names([p.baseline for p in pairs])
    blocks += chart_blocks(
        "changes",
        [
            {
                "name": f"{names[p.baseline.configuration]}: {metric_label(p.baseline.metric)}",
                "value": p.judged.estimate,
                "low": p.judged.low,
                "high": p.judged.high,
                "verdict": p.judged.verdict,
            }
            for p in largest
        ],
        "The largest changes that are certain, with 95 % intervals",
        unit="%",
    )
    for answer in answers:
        blocks += pair_tables([answer], {}, metric_label(answer.metric))
    for name, unmatched in ((before, result.only_baseline), (after, result.only_candidate)):
        blocks += table(
            [{"c": configuration_label(item)} for item in unmatched],
            {"c": "Configuration"},
            f"{counted(len(unmatched), 'configuration')} only in {name}",
            most=20,
            is_small=True,
        )
    return blocks


def run_figures(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the figures of one run beside those of the other runs of its configuration."""
    name, campaign = report.values["run"], report.values["campaign"]
    measurements = report.reader.frame(
        "select m.metric, m.unit, m.value, m.cost_money, p.currency, c.configuration"
        " from marts.fct_measurement as m"
        " inner join marts.dim_configuration as c using (configuration_id)"
        " left join marts.fct_run_price as p on m.origin = p.origin and m.run_id = p.run_id"
        " where m.run_id = ? and m.campaign = ? and m.value <> 0"
        " order by m.more_is_better is null, m.metric",
        (name, campaign),
    ).to_dicts()
    rows = []
    for row in measurements:
        peers = next(
            (
                f
                for f in report.figures
                if (f.configuration, f.metric) == (row["configuration"], row["metric"])
            ),
            None,
        )
        printed_figure = report.prints.get((row["configuration"], row["metric"]))
        several = peers is not None and len(peers.values) > 1
        rows.append(
            {
                "metric": row["metric"],
                "value": " ".join(measured(row["metric"], row["value"], row["unit"] or "")).replace(
                    "us", "µs"
                ),
                "level": value_with_unit(peers, peers.value) if peers and several else None,
                "runs": len(peers.values) if peers and several else None,
                "money": row["cost_money"],
                "currency": row["currency"] if row["cost_money"] is not None else None,
                "off": 100 * (row["value"] / peers.value - 1)
                if peers and several and peers.value
                else None,
                "printed": measured(row["metric"], printed_figure.value, row["unit"] or "")[0]
                if printed_figure
                else None,
            }
        )
    rows.sort(
        key=lambda row: MAIN_METRICS.index(row["metric"]) if row["metric"] in MAIN_METRICS else 99
    )
    main = [row for row in rows if row["metric"] in MAIN_METRICS[:6]][:3]
    text = " ".join(
        f"{metric_label(r['metric'])}: {r['value']}"
        + (
            f" ({change(r['off'])} from the level of its configuration)."
            if r["off"] is not None
            else "."
        )
        for r in main
    )
    return [
        *claim(text),
        *table(
            rows,
            {
                "metric": "Metric",
                "value": "This run",
                "level": "Its configuration: level",
                "runs": "Its configuration: runs",
                "off": "From the level, %",
                "money": "Price",
                "currency": "Currency",
                "printed": "Printed",
            },
            "Every figure of the run that is not zero",
        ),
    ]
