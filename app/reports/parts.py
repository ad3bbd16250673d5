"""Parts of reports that are more than a question: each returns its blocks, none if it has nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import isfinite, log
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from app.reports.cells import MISSING, shown
from app.reports.document import Block, Chart, Heading, Text
from app.reports.figures import Figure, level_of, number_of, of_factors
from app.reports.judging import DECIDED, Answer, Pair, answers_of
from app.reports.presets import Row
from app.reports.sections import (
    by_pairs,
    contrast,
    drawn,
    heading_of,
    named,
    printed_change,
    unit_of,
)
from app.reports.tables import table_of, written as table_written
from app.reports.text import printed
from app.reports.words import change, day, ends_of, listed, name_of, plural, says, summary_of
from app.results.labels import (
    configuration_label,
    factor_label,
    level_label,
    metric_label,
    unit_label,
)
from app.results.metrics import figure as number
from app.results.metrics import measured
from app.results.offload import offloaded
from app.results.queries import advice as advising
from app.results.queries import comparison as comparing
from app.results.queries import health as judging
from app.results.queries import regressions as regressing
from app.results.queries.owners import OWNERS, known
from app.results.queries.runs import MAIN_METRICS
from app.results.queries.scope import Scope
from app.results.regressions import split_of
from app.results.sides import SelectionError, parse_held
from expectations.verdicts.samples import compare_many
from expectations.verdicts.verdict import ALARM, NOT_JUDGED, UNDECIDED, WARNING, WITHIN
from ingest.base.extras import is_installed
from ingest.base.visible import visible

if TYPE_CHECKING:
    from app.reports.making import Report

__all__ = ["LATE", "PARTS", "cause_of", "workload", "written"]

#: Parts that need all answers of the report.
LATE = frozenset(("summary", "others"))
_MOST_ANSWERS, _MOST_ROWS, _MOST_EACH = 5, 8, 2
_AXES = ("ams", "tls", "mode", "connection", "protocol", "message_size_bytes", "file_size_mb", "cpus")
_SHARE = re.compile(r"(\S+) \((\d+) %\)(?: and MQ (\w+) \((\d+) %\))?")
_NO_SETTINGS = frozenset(("machine", "mq_level", "path"))


def claim(text: str) -> list[Block]:
    """Return a paragraph that figures made."""
    return [Text(printed(text), is_claim=True)] if text else []


def table(rows: Sequence[Row], columns: Mapping[str, str], caption: str, **options: Any) -> list[Block]:
    """Return a table, if it says something."""
    made = table_of(rows, columns, caption, **options)
    return [made] if made else []


# --- what the report is about


def workload(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return what the runs do, in two lines, from the factors of their manifests."""
    if not report.values.get("runs"):
        return []
    levels: dict[str, set[str]] = {}
    for figure in report.figures:
        for name, level in figure.factors.items():
            levels.setdefault(name, set()).add(level)

    def said(name: str, text: str) -> str:
        own = sorted(levels.get(name, set()) - {""}, key=number_of)
        if not own:
            return ""
        names = [name_of(name, level) for level in own]
        is_range = len(own) > 2 and all(isfinite(number_of(level)[0]) for level in own)
        return text.format(f"{names[0]} to {names[-1]}" if is_range else listed(names))

    what = "Each run transfers files" if "file_size_mb" in levels else "Each transaction is a message"
    parts = [said("file_size_mb", "of {}"), "" if "file_size_mb" in levels else said("message_size_bytes", "of {}"), said("mode", "as {}"),
             said("transaction", "({})"), said("persistent", "{}"), said("clients", "from {}")]  # fmt: skip
    text = " ".join(filter(None, (what, *parts)))
    drivers = report.values.get("drivers")
    ways = "; ".join(filter(None, (said("source", "from {}"), said("target", "to {}"), said("network", "over {}"))))
    more = ". ".join(filter(None, (ways and f"They go {ways}", drivers and f"The driver is {listed(drivers)}")))
    return [Text(f"**Workload.** {printed(text)}.{f' {printed(more)}.' if more else ''}")]


def written(report: Report, part: str) -> list[Block]:
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
    return written(report, "conclusions")


def settings(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the factors of the runs and their levels."""
    levels: dict[str, set[str]] = {}
    for figure in report.figures:
        for name, level in figure.factors.items():
            levels.setdefault(name, set()).add(level)
    rows = [
        {"what": factor_label(name),
         "levels": ", ".join(level_label(name, level) for level in sorted(own, key=number_of)[:12])
         + (", …" if len(own) > 12 else "")}
        for name, own in sorted(levels.items()) if name not in _NO_SETTINGS
    ]  # fmt: skip
    return table(rows, {"what": "Factor", "levels": "Levels"}, "Factors of the runs, as the manifests say")


def topology(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return a drawing of the systems, queue managers, channels and partners of the runs."""
    here = "origin = $origin and list_contains($systems, system_id) and interval_start_utc between $from_utc and $until_utc"
    asked: dict[str, tuple[str, dict[str, str], str]] = {
        "machines": ("fct_processor_interval", {"system_id": "system", "any_value(sysplex)": "sysplex",
                     "any_value(machine_type || '-' || machine_model)": "machine",
                     "max(processors_online) filter (processor_type = 'CP')": "cps",
                     "max(processors_online) filter (processor_type = 'zIIP')": "ziips"}, here),
        "managers": ("fct_queue_manager_interval", {"queue_manager": "queue_manager", "system_id": "system"}, here),
        "channels": ("fct_channel_interval", {"queue_manager": "queue_manager",
                     "remote_queue_manager_or_application": "remote", "count(distinct channel_name)": "channels"},
                     f"{here} and channel_type ilike '%sender%'"),
        "facilities": ("fct_cf_interval", {"coupling_facility": "coupling_facility"}, here),
        "disks": ("fct_volume_interval", {"control_unit_model": "control_unit"}, f"{here} and control_unit_model <> ''"),
    }  # fmt: skip
    rows = {
        name: [dict(zip(columns.values(), row, strict=True)) for row in report.ask(
            {"mart": mart, "columns": columns, "where": where, "order": "1"})]
        for name, (mart, columns, where) in asked.items()
    }  # fmt: skip
    ends = {(f.factors.get("source"), f.factors.get("network")) for f in report.figures}
    ends |= {(f.factors.get("target"), f.factors.get("network")) for f in report.figures}
    away = sorted({str(name) for name, _ in ends if name and name not in {"z/OS", "USS", "queue"}})
    rows["partners"] = [
        {"partner": name, "networks": sorted({net for own, net in ends if own == name and net})} for name in away
    ]
    if not (rows["machines"] or rows["managers"]):
        return []
    said = listed([plural(len(own), name.removesuffix("s"), name) for name, own in
                   {"systems": rows["machines"], "queue managers": rows["managers"],
                    "partners off z/OS": rows["partners"]}.items() if own])  # fmt: skip
    spec = None
    if is_installed("charts"):
        from app.reports import charts

        spec = charts.topology(rows)
    return [Chart("Systems, queue managers and channels in the time of the runs", spec, f"{said}.")]


# --- answers


def summary(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the contrasts that matter most, in the order of the document, as a table of answers."""
    best: dict[str, tuple[str, Answer]] = {}
    for title, answer in report.answers:
        key = f"{title} {answer.after}"
        if answer.is_certain and (key not in best or _rank(answer) < _rank(best[key][1])):
            best[key] = title, answer
    ranked = sorted(best.values(), key=lambda one: -one[1].size)
    titles = list(dict.fromkeys(title for title, _ in ranked))[:_MOST_ANSWERS]
    kept = [
        one for one in best.values()
        if one[0] in titles and [r for r in ranked if r[0] == one[0]].index(one) < _MOST_EACH
    ][:_MOST_ROWS]  # fmt: skip
    rows = [
        {
            "what": title,
            "from": name_of(a.factor, a.before) if a.factor else a.before,
            "to": name_of(a.factor, a.after) if a.factor else a.after,
            "metric": a.metric,
            "answer": summary_of(a),
            "printed": _printed(report, a),
            "pairs": f"{len(a.pairs)}",
        }
        for title, a in kept
    ]
    if not rows:
        return _nothing(report)
    columns = {"what": "Question", "from": "From", "to": "To", "metric": "What", "answer": "Change",
               "printed": "Printed", "pairs": "Pairs"}  # fmt: skip
    return table(rows, columns, "Answers", is_small=True)


def _rank(answer: Answer) -> int:
    return MAIN_METRICS.index(answer.metric) if answer.metric in MAIN_METRICS else len(MAIN_METRICS)


def _printed(report: Report, answer: Answer) -> str | None:
    told = [one for pair in answer.pairs if (one := printed_change(pair, report.prints)) is not None]
    return ends_of(min(told), max(told)) if told else None


def _nothing(report: Report) -> list[Block]:
    if not report.answers:
        return [Text("No two configurations of these runs can be compared.")]
    return claim(" ".join(dict.fromkeys(says(answer) for _, answer in report.answers[:3])))


def others(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the main figures of the configurations that no section has shown."""
    left = [f for f in report.figures if f.configuration not in report.shown and f.metric in MAIN_METRICS]
    return figures_table(report, left[:400], "Configurations that no section above compares")


def figures_table(report: Report, figures: Sequence[Figure], caption: str) -> list[Block]:
    """Return a table of figures: a row for each configuration, what is printed in its own column."""
    if not figures:
        return []
    names = named(figures)
    metrics = sorted({f.metric for f in figures}, key=lambda m: MAIN_METRICS.index(m) if m in MAIN_METRICS else 99)[:5]
    rows: dict[str, dict[str, str]] = {}
    head = ["Configuration"]
    for metric in metrics:
        own = [f for f in figures if f.metric == metric]
        scale, unit, digits = unit_of(own)
        columns = [heading_of(metric, unit), f"{metric_label(metric)}, printed"]
        for f in own:
            row = rows.setdefault(f.configuration, {"Configuration": names[f.configuration] or "All runs"})
            row[columns[0]] = number(f.value / scale, digits)
            if told := report.prints.get((f.configuration, metric)):
                row[columns[1]] = number(told.value / scale, digits)
        head += [column for column in columns if any(column in row for row in rows.values())]
    return [table_written(head, [[row.get(h, MISSING) for h in head] for row in rows.values()], caption)]


def every(report: Report, said: Mapping[str, Any]) -> list[Block]:
    """Return the figures of each configuration, of the metrics that are named or that are main."""
    metrics = said.get("metrics", MAIN_METRICS)
    own = [f for f in report.figures if f.metric in metrics]
    if not own and "metrics" not in said:
        own = [f for f in report.figures if f.more is not None]
    report.shown |= {f.configuration for f in own}
    return figures_table(report, own, "Figures of each configuration")


def factors(report: Report, said: Mapping[str, Any]) -> list[Block]:
    """Return a contrast of each factor that several configurations differ in, as sections."""
    every_ = list(dict.fromkeys(n for f in report.figures for n in f.factors if n not in {"path"}))
    judged = {f.metric for f in report.figures if f.more is not None}
    metrics = [m for m in MAIN_METRICS if m in judged][:2] or sorted(judged)[:2]
    blocks: list[Block] = []
    for name in every_:
        levels = {level_of(f.factors, name) for f in report.figures}
        axes = [a for a in ("message_size_bytes", "file_size_mb", "clients", *every_) if a != name and a in every_]
        if not 1 < len(levels) <= 6 or name in {"file_size_mb", "message_size_bytes"} and len(every_) > 1:
            continue
        own, answers, used = contrast({"contrast": name, "axes": axes, "metrics": metrics}, report.figures,
                                      report.prints, report.spaces, factor_label(name))  # fmt: skip
        if any(a.factor == name for a in answers):
            blocks += [Heading(3, printed(factor_label(name))), *own]
            report.answers += [(factor_label(name), a) for a in answers]
            report.shown |= {f.configuration for f in used}
    return blocks


def variability(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return how much runs of one configuration differ apart from changes, by metric."""
    several = [f for f in report.figures if f.more is not None and len(f.values) > 1 and min(f.values) > 0
               and not (f.unit == "%" and f.value < 1)]  # fmt: skip
    if not several:
        return [Text("No configuration has more than one complete run: a run is taken to vary as the documents' do.")]
    rows = []
    for metric in sorted({f.metric for f in several}, key=lambda m: (m not in MAIN_METRICS, m)):
        own = [f for f in several if f.metric == metric]
        spread = [100 * (sum((log(v) - sum(map(log, f.values)) / len(f.values)) ** 2 for v in f.values)
                         / (len(f.values) - 1)) ** 0.5 for f in own]  # fmt: skip
        rows.append({"metric": metric, "configurations": len(own), "runs": sum(len(f.values) for f in own),
                     "typical": median(spread), "largest": max(spread), "earlier": sum(f.earlier > 0 for f in own)})  # fmt: skip
    columns = {"metric": "Metric", "configurations": "Configurations", "runs": "Runs", "typical": "Median deviation, %",
               "largest": "Largest, %", "earlier": "With a change of level before"}  # fmt: skip
    return table(rows[:12], columns, "Standard deviation of a run around the present level of its configuration")


def nights(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the course of the main metrics: the median of all configurations by session."""
    rows = []
    for metric in MAIN_METRICS:
        own = [f for f in report.figures if f.metric == metric and len(f.values) > 4]
        by_session: dict[int, list[float]] = {}
        for f in own:
            for session, value in zip(f.sessions, f.values, strict=True):
                if f.value:
                    by_session.setdefault(session, []).append(100 * value / f.value)
        rows += [{"name": metric_label(metric), "level": float(s), "value": median(values)}
                 for s, values in sorted(by_session.items()) if len(by_session) > 4]  # fmt: skip
    names = list(dict.fromkeys(row["name"] for row in rows))[:4]
    return drawn("by_size", [r for r in rows if r["name"] in names], "Median of all configurations by session, in percent "
                 "of their present level", unit="% of the level", axis="session")  # fmt: skip


# --- regressions, a night, sides, a run


def _known(report: Report) -> list[Row]:
    campaign = report.values.get("campaign")
    return [
        row | {
            "what": metric_label(row["metric"]) if row["metric"] else "Excluded runs",
            "part": ", ".join(filter(None, (row["address_space"], row["system_id"]))) or None,
            "place": configuration_label(row["configuration"] or "") or f"Campaign {row['campaign']}",
            "since": day(row["onset_utc"]),
            "is_now_open": row["state"] in regressing.OPEN,
            "before_text": _figure(row, "before"), "after_text": _figure(row, "after"),
            "change": None if row["change_percent"] is None else change(row["change_percent"]).removesuffix(" %"),
        }
        for row in regressing.known(report.reader).iter_rows(named=True)
        if campaign is None or row["campaign"] == campaign
    ]  # fmt: skip


def _figure(row: Row, side: str) -> str | None:
    return None if row[side] is None else " ".join(measured(row["metric"] or "", row[side], row["unit"] or ""))


_REGRESSION = {"since": "Since", "onset_build": "Build", "place": "Configuration", "what": "What", "part": "Part",
               "before_text": "Before", "after_text": "After", "change": "Change, %", "cause": "Likely cause"}  # fmt: skip


def cause_of(row: Row) -> str:
    """Return where a change is in a sentence; a part of CPU time by its share."""
    if match := _SHARE.match(str(row["cause"] or "")):
        space, share, call, of_it = match.groups()
        verb = "added" if (row["change_percent"] or 0) > 0 else "saved"
        text = f"{share} % of the {verb} CPU time is in {space}"
        return f"{text}; MQ{call.upper()} accounts for {of_it} % of it." if call else f"{text}."
    return f"Likely cause: {row['cause']}." if row["cause"] else ""


def _told(row: Row) -> str:
    part = f" of {row['part']}" if row["part"] else ""
    verb = "rose" if (row["change_percent"] or 0) > 0 else "fell"
    by = f" ({change(row['change_percent'])})" if row["change_percent"] is not None else ""
    text = f"{row['what']}{part} {verb} from {row['before_text']} to {row['after_text']} on {row['since']}{by}"
    return f"{text}, of {row['place']}. {cause_of(row)}".strip()


def regressions_open(report: Report, said: Mapping[str, Any]) -> list[Block]:
    """Return the regressions that are open on the configurations of the campaign."""
    opened = [row for row in _known(report) if row["is_now_open"] and row["leads"]]
    if not opened:
        return [Text("No regression is open on these configurations.")]
    most = int(said.get("most", 6))
    verb = "is" if len(opened) == 1 else "are"
    return [
        *claim(f"{plural(len(opened), 'regression')} {verb} open on these configurations. {_told(opened[0]) if opened[0]['metric'] else ''}"),
        *table(opened[:most], _REGRESSION, f"{plural(len(opened), 'open regression')}"
               + (f", the {most} of the greatest impact" if len(opened) > most else ", the greatest impact first"), is_small=True),
    ]  # fmt: skip


def regressions(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return every open regression with its series and its parts, and the list of all."""
    every_ = _known(report)
    if not every_:
        return [Text("Nothing is open: no regression is known. Regressions need runs, declared in a manifest or by "
                     "`perfhouse run-add`.")]  # fmt: skip
    opened = [row for row in every_ if row["is_now_open"] and row["leads"]]
    blocks = claim(f"{plural(len(opened), 'regression')} {'is' if len(opened) == 1 else 'are'} open, of {len(every_)} that are known.")
    blocks += table(opened[:60], _REGRESSION, "Open regressions, the greatest impact first", is_small=True)
    for row in [row for row in opened if row["metric"]][:30]:
        by = f" {change(row['change_percent'])}" if row["change_percent"] is not None else ""
        blocks += [Heading(3, printed(f"{row['what']}{by}: {row['place']}")), *claim(_told(row))]
        runs = regressing.runs_of(report.reader, row)
        if is_installed("charts") and runs.height > 2:
            from app.reports import charts

            said = f"{runs.height} runs, from {row['before_text']} to {row['after_text']}."
            blocks.append(Chart(f"{row['what']}, by run", charts.regression(row, runs), said))
        parts = sorted(split_of(row).to_dicts()[:8], key=lambda part: str(part["dimension"]))
        blocks += table(
            [part | {"dimension": part["dimension"].replace("figure", "other metric")} for part in parts],
            {"name": "Part", "before": "Before", "after": "After", "unit": "Unit"}, "What changed with it",
            is_small=True, section="dimension",
        )  # fmt: skip
    return blocks


def regressions_all(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the list of all regressions."""
    return table(
        _known(report), _REGRESSION | {"cause": "", "state": "State", "regression_id": "ID", "note": "Note"},
        "Every regression; a part is a system or an address space", is_small=True,
    )  # fmt: skip


def night(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the last session against the ones before it, the furthest from the usual first."""
    most = int(float(report.values.get("nights") or 7))
    sessions = sorted({s for f in report.figures for s in f.sessions})
    if len(sessions) < 2:
        return [Text("This is the first night of the campaign, so there is nothing to compare it with.")]
    last, before = sessions[-1], set(sessions[-1 - most : -1])
    sides = []
    judged = {f.metric for f in report.figures if f.more is not None}
    metrics = [m for m in MAIN_METRICS if m in judged] or sorted(judged)
    for f in report.figures:
        both = [[v for v, s in zip(f.values, f.sessions, strict=True) if s in some] for some in ({last}, before)]
        if f.metric in metrics and all(both):
            sides.append((f, both[1], both[0]))
    if not sides:
        return [Text("No figure of the night was measured in the nights before.")]
    verdicts = compare_many([b for _, b, _ in sides], [a for _, _, a in sides], [f.measure for f, _, _ in sides])
    names = named([f for f, _, _ in sides])
    rows = sorted((
        {"name": names[f.configuration] or "All runs", "metric": f.metric, "value": _with_unit(f, v.candidate), "usual": _with_unit(f, v.baseline),
         "low": _with_unit(f, min(b)), "high": _with_unit(f, max(b)), "change": v.estimate, "verdict": v.verdict}
        for (f, b, _), v in zip(sides, verdicts, strict=True)
    ), key=lambda row: (row["verdict"] not in DECIDED, -abs(row["change"])))  # fmt: skip
    counts = {word: sum(row["verdict"] == word for row in rows) for word in ("worse", "better")}
    text = (f"Of {len(rows)} figures of the last night, {counts['worse'] or 'none'} "
            f"{'is' if counts['worse'] == 1 else 'are'} worse and {counts['better'] or 'none'} "
            f"{'is' if counts['better'] == 1 else 'are'} better than in the {plural(len(before), 'night')} before.")  # fmt: skip
    columns = {"name": "Configuration", "metric": "Metric", "value": "Last night", "usual": "Nights before: mean",
               "low": "Nights before: lowest", "high": "Nights before: highest", "change": "Change, %", "verdict": "Verdict"}  # fmt: skip
    return [*claim(text), *table(rows[:10], columns, "The last night against the nights before, "
            f"the furthest from the usual first: {len(rows)} figures, {counts['worse']} worse, {counts['better']} better", is_small=True)]  # fmt: skip


def _with_unit(figure: Figure, value: float) -> str:
    text, unit = measured(figure.metric, value, figure.unit)
    return f"{text} {unit_label(unit)}".strip()


def sides(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return what two sides of runs differ in: answers first, then every pair."""
    of = report.values
    ignored = [name.strip() for name in str(of.get("ignore") or "").split(",") if name.strip()]
    terms = {}
    try:
        for side in ("baseline", "candidate"):
            terms[side] = comparing.terms_of(report.reader, str(of[side]))
        found = comparing.compared(report.reader, terms["baseline"], terms["candidate"], ignore=ignored,
                                   held=parse_held(str(of.get("only") or "")))  # fmt: skip
    except SelectionError as error:
        return [Text(printed(f"The two sides cannot be compared: {error.what}."))]
    of["origin"] = found.candidate.origin
    known_ = {row["configuration"]: of_factors(row) for row in report.reader.frame(
        "from marts.dim_configuration").to_dicts()}  # fmt: skip
    before, after = found.baseline.name, found.candidate.name
    pairs = [
        Pair(*(Figure(p.configuration, known_.get(p.configuration, {}), p.metric, p.unit, p.more_is_better, values, ())
               for values in (p.baseline_values, p.candidate_values)), p.judged)
        for p in found.pairs if p.judged.verdict != NOT_JUDGED and not p.part and p.more_is_better is not None
    ]  # fmt: skip
    label = next(iter(terms["baseline"])) if {*terms["baseline"]} == {*terms["candidate"]} and len(terms["baseline"]) == 1 else ""
    of["baseline"], of["candidate"] = before, after
    if label:
        before, after = (str(terms[side][label]) for side in ("baseline", "candidate"))
    answers = sorted(answers_of(pairs, label, before, after, _AXES), key=_rank)
    counts = {word: sum(p.judged.verdict == word for p in pairs) for word in ("worse", "better", "same", UNDECIDED)}
    runs = {n for p in pairs for n in (p.judged.baseline_runs, p.judged.candidate_runs)}
    text = f"Of {plural(len(pairs), 'figure')} that both sides have, " + ", ".join(
        f"{count} {'is' if count == 1 else 'are'} {'not decided' if word == UNDECIDED else word if word != 'same' else 'the same'}"
        for word, count in counts.items() if count) + "."  # fmt: skip
    if counts[UNDECIDED] == len(pairs) and runs == {1}:
        more = max((p.judged.more_runs or 0 for p in pairs), default=0)
        text = f"Undecided: each side ran once; {plural(more, 'more run')} of each would decide."
    rows = [{"metric": a.metric, "answer": summary_of(a), "pairs": f"{len(a.pairs)}"} for a in answers if a.is_certain]
    said = [says(a) for a in answers if a.is_certain][:3]
    bounds = (comparing.missing_figures(found) + comparing.parts_of_intervals(found) + comparing.sources_that_differ(found)).strip()
    blocks = [*claim(text), *table([{"word": "not decided" if w == UNDECIDED else w, "n": f"{n}"} for w, n in
              [*counts.items(), ("all", len(pairs))] if n], {"word": "Figures", "n": "Number"}, "Verdicts"),
              *table(rows[:_MOST_ROWS], {"metric": "What", "answer": f"Change from {of['baseline']} to {of['candidate']}", "pairs": "Pairs"}, "Answers", is_small=True),
              *[b for one in said for b in claim(one)], *([Text(printed(bounds))] if bounds else [])]  # fmt: skip
    blocks.append(Heading(2, "What changed"))
    largest = sorted((p for p in pairs if p.judged.verdict in DECIDED and p.is_ratio), key=lambda p: -abs(p.shift))[:12]
    names = named([p.baseline for p in pairs])
    blocks += drawn("changes", [{"name": f"{names[p.baseline.configuration]}: {metric_label(p.baseline.metric)}",
        "value": p.judged.estimate, "low": p.judged.low, "high": p.judged.high, "verdict": p.judged.verdict} for p in largest],
        "The largest changes that are certain, with 95 % intervals", unit="%")  # fmt: skip
    for answer in answers:
        blocks += by_pairs([answer], {}, metric_label(answer.metric))
    for name, alone in ((before, found.only_baseline), (after, found.only_candidate)):
        blocks += table([{"c": configuration_label(one)} for one in alone], {"c": "Configuration"},
                        f"{plural(len(alone), 'configuration')} only in {name}", most=20, is_small=True)  # fmt: skip
    return blocks


def run_figures(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the figures of one run beside those of the other runs of its configuration."""
    name, campaign = report.values["run"], report.values["campaign"]
    own = report.reader.frame(
        "select m.metric, m.unit, m.value, c.configuration from marts.fct_measurement as m"
        " inner join marts.dim_configuration as c using (configuration_id)"
        " where m.run_id = ? and m.campaign = ? and m.value <> 0 order by m.more_is_better is null, m.metric",
        (name, campaign),
    ).to_dicts()  # fmt: skip
    rows = []
    for row in own:
        peers = next((f for f in report.figures if (f.configuration, f.metric) == (row["configuration"], row["metric"])), None)
        print_ = report.prints.get((row["configuration"], row["metric"]))
        several = peers is not None and len(peers.values) > 1
        rows.append({
            "metric": row["metric"], "value": " ".join(measured(row["metric"], row["value"], row["unit"] or "")).replace("us", "µs"),
            "level": _with_unit(peers, peers.value) if peers and several else None, "runs": len(peers.values) if peers and several else None,
            "off": 100 * (row["value"] / peers.value - 1) if peers and several and peers.value else None,
            "printed": measured(row["metric"], print_.value, row["unit"] or "")[0] if print_ else None,
        })  # fmt: skip
    rows.sort(key=lambda row: MAIN_METRICS.index(row["metric"]) if row["metric"] in MAIN_METRICS else 99)
    main = [row for row in rows if row["metric"] in MAIN_METRICS[:6]][:3]
    text = " ".join(f"{metric_label(r['metric'])}: {r['value']}" + (f" ({change(r['off'])} from the level of its "
                    f"configuration)." if r["off"] is not None else ".") for r in main)  # fmt: skip
    return [*claim(text), *table(rows, {"metric": "Metric", "value": "This run", "level": "Its configuration: level",
            "runs": "Its configuration: runs", "off": "From the level, %", "printed": "Printed"}, "Every figure of the run that is not zero")]  # fmt: skip


# --- systems and queue managers


def health(report: Report, said: Mapping[str, Any]) -> list[Block]:
    """Return what is judged of a system or queue manager: what to tune first, then what is kept."""
    kind = "queue manager" if report.values.get("queue_manager") else "system"
    owner = OWNERS[kind]
    label = str(report.values.get("queue_manager") or report.values.get("system"))
    here = [one for one in known(report.reader, owner) if one.label == label and one.origin == report.values["origin"]]
    if not here:
        return []
    scope = Scope(here[0].origin, (label,), max(here[0].start, report.values.get("from_utc") or here[0].start),
                  here[0].end, owner.name)  # fmt: skip
    found = judging.verdicts(report.reader, scope, kind).to_dicts()
    rows = [
        row | {
            "value_text": f"{row['value']:.4g} {row['unit']}".strip() if row["value"] is not None else None,
            "limit": f"{'≥' if row['is_below'] else '≤'} {row['warning'] if row['warning'] is not None else row['alarm']:g}",
            "how_often": f"{row['beyond']} of {row['intervals']}" if row["intervals"] else None,
        }
        for row in found
    ]  # fmt: skip
    bad = [row for row in rows if row["verdict"] in {ALARM, WARNING}]
    kept = [row for row in rows if row["verdict"] == WITHIN]
    verb = "is" if len(bad) < 2 else "are"
    text = f"{len(bad) or 'None'} of {plural(len(bad) + len(kept), 'check')} {verb} beyond a limit."
    for row in bad[:3]:
        what = f" of {row['of']}" if row["of"] else ""
        text += f" {row['label']}{what}: {row['value_text']} at worst, limit {row['limit']}, beyond it in {row['how_often']} intervals: {row['remedy']}."
    limits = {"label": "Check", "of": "Of", "value_text": "Worst interval", "limit": "Limit", "how_often": "Intervals beyond", "verdict": "Verdict"}
    blocks: list[Block] = [*claim(text), *table(bad, limits, "What is beyond a limit")]
    blocks += table(bad, {"label": "Check", "remedy": "What to change", "formula": "Formula, in SMF fields", "source": "Source"},
                    "What to change, and where that stands", is_small=True)  # fmt: skip
    if not said.get("most"):
        blocks += table(kept, limits | {"verdict": "", "formula": "Formula, in SMF fields", "source": "Source"}, "Checks that are kept", is_small=True)
    return blocks


def advice(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the rules of the documents that ask for a change, and those that are kept."""
    of = {name: None if report.values.get(name) is None else str(report.values[name]) for name in ("campaign", "sysplex")}
    rules = advising.judged(report.reader, str(report.values.get("origin") or "measured"), **of)
    due = [rule for rule in rules if rule["state"] == "act"]
    kept = [rule for rule in rules if rule["state"] == "fine"]
    text = "\n".join(f"- **{printed(rule['title'])}.** {printed(rule['do'])}" for rule in due)
    columns = {"title": "Rule", "evidence": "Evidence", "source": "Source"}
    return [Text(text or "No rule of the documents asks for a change."), *table(due, columns, "Rules that ask for a change", is_small=True),
            *table(kept, columns, "Rules that are kept", is_small=True)]  # fmt: skip


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
        cpu_seconds=row["cpu_seconds"] * more, eligible_seconds=row["eligible"] * more,
        hours=row["hours"], ziips=float(of["ziips"]), share=float(of["share"]) / 100,
        factor=row["factor"], msu_per_cp=row["msu_per_cp"] or 0.0, price=price,
        cp_second=0.0 if price else row["cp_second"] or 0.0,
    )  # fmt: skip
    rows = [
        {"what": "CPU time on CPs, hours", "recorded": row["on_cps"] / 3600, "all": saved.on_cps_before / 3600, "with": saved.on_cps_after / 3600},
        {"what": "MSU hours", "recorded": row["on_cps"] / 3600 * (row["msu_per_cp"] or 0), "all": saved.msu_hours_before, "with": saved.msu_hours_after},
        {"what": f"Price{', ' + row['currency'] if row['currency'] and not price else ''}", "recorded": None,
         "all": saved.price_before or None, "with": saved.price_after or None},
        {"what": "zIIPs busy, on average", "recorded": None, "all": None, "with": saved.ziips_busy},
    ]  # fmt: skip
    zs = "one zIIP" if of["ziips"] == 1 else f"{shown(of['ziips'])} zIIPs"
    growth = f", {shown(of['growth'])} % more work" if of["growth"] else ""
    texts = claim(f"With {zs} for {shown(of['share'])} % of the eligible time, CPs would work {saved.on_cps_after / 3600:,.1f} hours of the "
                  f"recorded {row['on_cps'] / 3600:,.1f}{'; more zIIPs would take more' if saved.is_limited else ', and more zIIPs change nothing'}.")  # fmt: skip
    columns = {"what": "In the recorded hours", "recorded": "As recorded", "all": "All on CPs", "with": f"With {zs}"}
    made = [{name: shown(v) if isinstance(v, float) else v for name, v in r.items()} for r in rows if r["with"] is not None]
    return [*texts, *table(made, columns, f"What zIIPs would save of {shown(float(row['hours']))} hours of {plural(row['systems'], 'system')}"
                           f"{growth}, with {shown(of['share'])} % of the eligible time and {zs}")]  # fmt: skip


PARTS: Mapping[str, Callable[[Report, Mapping[str, Any]], list[Block]]] = {
    one.__name__: one
    for one in (workload, conclusions, settings, topology, summary, others, every, factors, variability, nights, regressions_open,
                regressions, regressions_all, night, sides, run_figures, health, advice, what_if)
}  # fmt: skip
