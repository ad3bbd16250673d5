"""What templates get besides their own queries: plain values, no frames and no connections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from math import expm1, log1p, sqrt
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

import polars as pl

from app.reports.cells import shown
from app.reports.labelled import digits_of
from app.results.labels import configuration_label, figure_of
from app.results.labels import metric_label as _metric_label
from app.results.labels import unit_label as _unit_label
from app.results.metrics import figure
from app.results.offload import offloaded
from app.results.queries import advice as judging
from app.results.queries import comparison as comparing
from app.results.queries import loads
from app.results.queries import regressions as regressing
from app.results.reader import Reader
from app.results.regressions import split_of
from app.results.sides import SelectionError, Terms, parse_held
from app.results.sides import in_words as side_in_words
from expectations.metrics import dictionary
from expectations.verdicts.verdict import quantile
from ingest.base.visible import visible

__all__ = [
    "advice", "bounds", "change", "changed", "comparison", "day", "days", "described",
    "difference", "differences", "effects", "interval", "listed", "mean_of", "metric_label",
    "noise", "of_metric", "of_system", "offload", "percent", "plural", "regressions", "runs_of",
    "topology_in_words", "unit_label", "written",
]  # fmt: skip

Row = dict[str, Any]
_TRIPLED = 200.0  # percent
_NO_WIDTH = 0.005  # percentage points between the ends of an interval that print alike
_HEADLINES = ("rate", "transactions_per_second", "cost_per_GB", "cost_per_transaction")
_NUMBER = re.compile(r"(\d[\d,]*)(?: (B|KB|MB|GB)\b)?")
_SIZES = {"KB": 2**10, "MB": 2**20, "GB": 2**30}
_LEAST_PAIRS = 6  # of which a mean has an interval
_OFFLOADED = "_after_offload"
_SAID = {
    "better": "better",
    "worse": "worse",
    "same": "the same",
    "changed": "changed, which is neither good nor bad",
    "undecided": "undecided",
}
_OF_PART = re.compile(r"^(\w+)( on \S+)$")  # a metric, and of which system
_DECIDED = {"better", "worse", "same", "changed"}


def of_system(reader: Reader) -> dict[str, Any]:
    """Return what identifies a report: made_at, published_at, perfhouse's version, the build."""
    build = loads.build(reader)
    row = {} if build.is_empty() else build.row(0, named=True)
    try:
        own = version("perfhouse")
    except PackageNotFoundError:
        own = "unknown"
    return {
        "made_at": datetime.now(UTC).replace(tzinfo=None),
        "published_at": reader.published_at,
        "perfhouse_version": own,
        "build": {"build_id": row.get("build_id"), "code_version": row.get("code_version"),
                  "loads": row.get("loads")},
    }  # fmt: skip


def comparison(
    reader: Reader,
    baseline: str | Mapping[str, object],
    candidate: str | Mapping[str, object],
    ignore: tuple[str, ...] = (),
    only: str = "",
) -> dict[str, Any]:
    """Return a comparison: rows, the most important first, and what could not be compared.

    rows: configuration, metric, label, unit, baseline, candidate, change, low, high (percent),
    verdict, runs, order (of configurations, by size); baseline, candidate: the sides in words,
    without what they share; shared: that; counts: rows by verdict; campaigns, configurations: those
    of the runs of either side, the candidate's first; only_baseline, only_candidate:
    configurations; sides: side, runs, builds, first_utc, last_utc, origin of both; baseline_runs,
    candidate_runs, incomplete: numbers of runs; origin; refused: why there is no comparison, or
    None; bounds: what is said of apportioned figures.
    """
    try:
        found = comparing.compared(
            reader, _side(reader, baseline), _side(reader, candidate), ignore=ignore,
            held=parse_held(only),
        )  # fmt: skip
    except SelectionError as error:
        return {
            "rows": [], "baseline": _said(reader, baseline), "candidate": _said(reader, candidate),
            "shared": "", "counts": {},
            "only_baseline": [], "only_candidate": [], "sides": [], "campaigns": [],
            "configurations": [],
            "baseline_runs": 0, "candidate_runs": 0, "incomplete": 0, "origin": None, "bounds": "",
            "refused": error.what,
        }  # fmt: skip
    baseline, candidate = found.baseline.terms, found.candidate.terms
    shared = {name: level for name, level in candidate.items() if baseline.get(name, ...) == level}
    rows = [
        row | {"short": short, "name": f"{short}: {row['label']}", "order": _order(short)}
        for row in _without_repeats(comparing.frame_of(found).to_dicts())
        for short in (configuration_label(row["short"]),)
    ]
    used = [
        one for side in (found.candidate, found.baseline) for one in comparing.used_by(reader, side)
    ]
    counts = {v: sum(row["verdict"] == v for row in rows) for v in comparing.VERDICTS}
    return {
        "rows": rows,
        "baseline": _apart(baseline, shared),
        "candidate": _apart(candidate, shared),
        "shared": side_in_words(shared),
        "counts": {verdict: n for verdict, n in counts.items() if n},
        "only_baseline": list(map(configuration_label, found.only_baseline)),
        "only_candidate": list(map(configuration_label, found.only_candidate)),
        "campaigns": list(dict.fromkeys(campaign for campaign, _ in used)),
        "configurations": list(dict.fromkeys(configuration for _, configuration in used)),
        "sides": [
            {
                "side": side_in_words(side.terms),
                "runs": side.runs,
                "builds": side.builds or None,
                "first_utc": side.first_utc,
                "last_utc": side.last_utc,
                "origin": side.origin,
            }
            for side in (found.baseline, found.candidate)
        ],
        "baseline_runs": found.baseline.runs,
        "candidate_runs": found.candidate.runs,
        "incomplete": found.incomplete,
        "bounds": (
            comparing.missing_figures(found)
            + comparing.parts_of_intervals(found)
            + comparing.sources_that_differ(found)
        ).strip(),
        "origin": found.candidate.origin,
        "refused": None,
    }


def _order(name: str) -> str:
    """Return what names are sorted by: their numbers as people count, sizes by their units.

    >>> sorted(["10 MB", "1 MB", "1 GB", "1,000 MB", "a"], key=_order)
    ['1 MB', '10 MB', '1,000 MB', '1 GB', 'a']
    """

    def padded(match: re.Match[str]) -> str:
        size = int(match[1].replace(",", "")) * _SIZES.get(match[2] or "", 1)
        return f"{size:020d}"

    return _NUMBER.sub(padded, name)


def _without_repeats(rows: Sequence[Row]) -> list[Row]:
    """Return rows without costs after offload that are the costs themselves."""
    figures = {
        (row["configuration"], row["metric"], row["baseline"], row["candidate"]) for row in rows
    }
    return [
        row
        for row in rows
        if not row["metric"].endswith(_OFFLOADED)
        or (
            row["configuration"],
            row["metric"].removesuffix(_OFFLOADED),
            row["baseline"],
            row["candidate"],
        )
        not in figures
    ]


def _apart(side: Terms, shared: Terms) -> str:
    """Return a side in words without what both sides have, unless that is all."""
    return side_in_words({k: v for k, v in side.items() if k not in shared} or side)


def _said(reader: Reader, side: str | Mapping[str, object]) -> str:
    """Return a side in words; as it was asked for, if it cannot be read."""
    try:
        return side_in_words(_side(reader, side))
    except SelectionError:
        return str(side)


def _side(reader: Reader, side: str | Mapping[str, object]) -> Terms:
    if isinstance(side, str):
        return comparing.terms_of(reader, side)
    return {name: str(value) for name, value in side.items() if value is not None}


def effects(
    reader: Reader, factor: str, before: object, after: object, where: Mapping[str, object]
) -> list[Row]:
    """Return what one factor does, all else equal: one row per metric.

    metric, pairs (of configurations), runs (of both sides), middle, lowest and highest change in
    percent; mean, low and high: the mean ratio of the pairs and its 95 % interval, as changes in
    percent, of a single pair its own if it is decided; decided: how many pairs are; said: as much
    as the verdicts carry.
    """
    found = comparison(reader, {**where, factor: before}, {**where, factor: after})
    metrics = dict.fromkeys(row["metric"] for row in found["rows"] if row["change"] is not None)
    answers = []
    for metric in metrics:
        rows = [r for r in found["rows"] if r["metric"] == metric and r["change"] is not None]
        changes = sorted(row["change"] for row in rows)
        counts = Counter(row["verdict"] for row in rows)
        verdicts = [
            said if len(rows) == 1 else f"{said} in {counts[verdict]:,}"
            for verdict, said in _SAID.items()
            if counts[verdict]
        ]
        answers.append(
            {
                "metric": metric,
                "pairs": len(rows),
                "runs": sum(int(n) for row in rows for n in re.findall(r"\d+", row["runs"])),
                "middle": median(changes),
                "lowest": changes[0],
                "highest": changes[-1],
                **(mean_of(changes) if len(rows) > 1 else _alone(rows[0])),
                "decided": sum(counts[verdict] for verdict in _DECIDED),
                "said": listed(verdicts),
            }
        )
    return answers


def _alone(pair: Row) -> Row:
    """Return the change of the only pair as the mean, with its interval if it is decided."""
    is_decided = pair["verdict"] in _DECIDED - {"same"}
    return {"mean": pair["change"] if is_decided else None} | {
        end: pair[end] if is_decided else None for end in ("low", "high")
    }


def mean_of(changes: Sequence[float]) -> Row:
    """Return the geometric mean of changes in percent, and its 95 % interval by Student's t."""
    logs = [log1p(change / 100) for change in changes if change > -100]
    if len(logs) < max(_LEAST_PAIRS, len(changes)):
        return {"mean": None, "low": None, "high": None}
    middle = fmean(logs)
    half = quantile(0.05, len(logs) - 1) * stdev(logs) / sqrt(len(logs))
    ends = {"mean": middle, "low": middle - half, "high": middle + half}
    return {name: 100 * expm1(end) for name, end in ends.items()}


def differences(
    reader: Reader, asked: Sequence[Sequence[object]], where: Mapping[str, object]
) -> list[Row]:
    """Return what several factors do to rates and costs: the decided first, the largest of them.

    `asked`: factor, level before, level after, and how to say it. One row per factor that has
    pairs of configurations: what, and effects, the rows of `effects`.
    """
    answers = []
    for factor, before, after, what in asked:
        rows = effects(reader, str(factor), before, after, where)
        main = [row for m in _HEADLINES for row in rows if row["metric"] == m]
        if main:
            answers.append({"what": what, "effects": main})
    return sorted(
        answers,
        key=lambda a: (
            not any(row["decided"] for row in a["effects"]),
            -max(abs(row["middle"]) for row in a["effects"]),
        ),
    )


def regressions(reader: Reader) -> list[Row]:
    """Return all known regressions, open ones first.

    The columns of meta.regression, the configuration in words; label, unit_label; heading: what
    changed, of which part; what: the metric alone; part: its system or address space; place: the
    configuration, or the campaign without one; interval: of
    the change; change_size: without its sign; number: in its group; is_now_open; split: its parts.
    """
    return [
        row
        | {
            "label": row["label"] if row["metric"] else None,
            "unit_label": unit_label(row["unit"]) if row["unit"] else "",
            "heading": figure_of(row, "Excluded runs"),
            "what": _metric_label(row["metric"]) if row["metric"] else "Excluded runs",
            "part": ", ".join(filter(None, (row["address_space"], row["system_id"]))) or None,
            "configuration": configuration or None,
            "place": configuration or f"Campaign {row['campaign']}",
            "interval": _interval_of(row),
            "since": day(row["onset_utc"]),
            "change_size": abs(row["change_percent"] or 0),
            "number": int(row["regression_id"].rpartition(".")[2]),
            "is_now_open": row["state"] in regressing.OPEN,
            "split": [
                part | {"name": _OF_PART.sub(_in_words, part["name"])}
                for part in split_of(row).to_dicts()
            ],
        }
        for row in regressing.known(reader).iter_rows(named=True)
        for configuration in (configuration_label(row["configuration"] or ""),)
    ]


def _interval_of(row: Mapping[str, Any]) -> str | None:
    low, high = bounds(row)
    return None if low is None or high is None else interval({"low": low, "high": high})


def bounds(row: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Return the bounds of a regression's change in percent of what was before."""
    if row["low"] is None or row["high"] is None or not row["before"]:
        return None, None
    size = abs(row["before"])
    return 100 * row["low"] / size, 100 * row["high"] / size


def noise(rows: Sequence[Row]) -> list[Row]:
    """Return how much runs of one configuration differ for no reason: one row per metric.

    `rows`: metric, configuration_id, values (positive, in order of time) and builds of each series.
    metric, configurations, runs, typical_percent and largest_percent, the standard deviation of a
    run around the level of its series (median and largest of the series); changes: how many times
    series change their level, which is no noise. Without ruptures, which the extras `build` and
    `dashboard` bring, no rows.
    """
    if find_spec("ruptures") is None:
        return []  # levels cannot be told from noise
    from expectations.detector.variation import noises

    found = noises([(row["values"], row["builds"]) for row in rows])
    answers = []
    for metric in dict.fromkeys(row["metric"] for row in rows):
        own = [
            (row, one)
            for row, one in zip(rows, found, strict=True)
            if row["metric"] == metric and one.run is not None
        ]
        if own:
            percents = [one.run for _, one in own if one.run is not None]
            answers.append(
                {
                    "metric": metric,
                    "configurations": len(own),
                    "runs": sum(one.runs for _, one in own),
                    "typical_percent": median(percents),
                    "largest_percent": max(percents),
                    "changes": sum(one.shifts for _, one in own),
                }
            )
    return answers


def _in_words(part: re.Match[str]) -> str:
    return f"{_metric_label(part[1])}{part[2]}" if part[1] in dictionary() else part[0]


def runs_of(reader: Reader, row: Mapping[str, Any]) -> pl.DataFrame:
    """Return the complete runs of a regression's series."""
    return regressing.runs_of(reader, dict(row))


def written(reader: Reader, campaign: str, part: str) -> str:
    """Return what a team wrote for a campaign: CAMPAIGN.PART.md beside its manifest or results.

    Its headings become sections of the part; "" where there is no such file.
    """
    if Path(campaign).name != campaign:
        return ""
    sources = reader.frame(
        """
        select distinct load.path
        from marts.fct_run as run, unnest(run.source_ids) as own(source_id)
        join marts.dim_load as load on load.source_id = own.source_id
        where run.campaign = ?
        order by load.path
        """,
        (campaign,),
    )
    for folder in dict.fromkeys(Path(path).parent for path in sources["path"]):
        file = folder / f"{campaign}.{part}.md"
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        return re.sub(r"(?m)^#{1,6} +(.*)$", r"**\1**", visible(text)).strip()
    return ""


def topology_in_words(parts: Mapping[str, Sequence[Row]]) -> str:
    """Return what a drawing of the systems shows, in a sentence; "" if nothing is recorded.

    `parts`: the rows of machines, managers, channels, facilities, disks and partners.
    """
    said = [
        plural(len(parts[name]), one, many)
        for name, one, many in (
            ("machines", "system", "systems"),
            ("managers", "queue manager", "queue managers"),
            ("channels", "pair connected by channels", "pairs connected by channels"),
            ("facilities", "coupling facility", "coupling facilities"),
            ("disks", "kind of disk", "kinds of disk"),
            ("partners", "partner off z/OS", "partners off z/OS"),
        )
        if parts[name]
    ]
    return f"{listed(said)}." if parts["machines"] or parts["managers"] else ""


def advice(reader: Reader, options: Mapping[str, object]) -> list[Row]:
    """Return the rules of the published documents, judged on what a report is about.

    That is its origin, and its campaign or its sysplex if it has that option.
    """
    origin = options.get("origin") or next(iter(judging.origins(reader)), "measured")
    about = {
        name: None if options.get(name) is None else str(options[name])
        for name in ("campaign", "sysplex")
    }
    return judging.judged(reader, str(origin), **about)


def offload(**given: float) -> dict[str, Any]:
    """Return what zIIPs would save, as a dictionary: see app.results.offload.offloaded."""
    return offloaded(**given)._asdict()


# --- filters of templates


def listed(names: Sequence[object]) -> str:
    """Join names as in a sentence; those with commas of their own by semicolons.

    >>> listed(["a", "b", "c"]), listed(["a, b", "c", "d"])
    ('a, b and c', 'a, b; c and d')
    """
    *first, last = map(shown, names) if names else ("",)
    comma = "; " if any(", " in name for name in first) else ", "
    return f"{comma.join(first)} and {last}" if first else last


def plural(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: 1 run, 2 runs, no runs."""
    noun = one if count == 1 else many or f"{one}s"
    return f"{count:,} {noun}" if count else f"no {noun}"


def metric_label(metric: str) -> str:
    """Return the name of a metric in words."""
    return _metric_label(str(metric))


def of_metric(value: float | None, metric: str) -> str:
    """Return a figure with the digits that the noise of its metric allows."""
    return figure(value, digits_of(metric))


def unit_label(unit: str | None) -> str:
    """Return a unit as people read it."""
    return _unit_label(str(unit or ""))


def described(rows: Sequence[Row], **options: Any) -> str:
    """Return what a chart shows in a sentence: how many values, the lowest and the highest."""
    value, name = options.get("value", "value"), options.get("name", "name")
    found = [row for row in rows if row.get(value) is not None]
    if not found:
        return ""
    unit = _unit_label(options.get("unit", "%"))
    low = min(found, key=lambda row: row[value])
    high = max(found, key=lambda row: row[value])
    if len(found) == 1 or low[value] == high[value]:
        count = "One value" if len(found) == 1 else f"{len(found):,} values"
        return f"{count} of {shown(float(low[value]))} {unit}."
    ends = " to ".join(
        f"{shown(float(row[value]))} {unit}"
        + (f" ({shown(row[name])})" if row.get(name) is not None else "")
        for row in (low, high)
    )
    return f"{len(found):,} values from {ends}."


def percent(change: float, decimals: int = 1, signed: bool = True) -> str:
    """Return a change in percent with its sign; what more than triples is a multiple.

    Without its sign it is a share or a deviation.

    >>> percent(4.21), percent(-12.4, 0), percent(703.0), percent(-0.04)
    ('+4.2 %', '-12 %', '8.0 times', '0.0 %')
    """
    if not signed:
        return f"{change:,.{decimals}f} %"
    if change > _TRIPLED:
        return f"{1 + change / 100:,.1f} times"
    text = f"{change:+.{decimals}f}"
    return f"{text if float(text) else text[1:]} %"


def difference(row: Mapping[str, Any], column: str = "change", decimals: int = 1) -> str:
    """Return a change, or an end of its interval, in percent; in points if `is_in_points`.

    >>> difference({"change": 4.21}), difference({"change": 4.21, "is_in_points": True})
    ('+4.2 %', '+4.2 points')
    >>> difference({"change": -0.0218, "is_in_points": True})
    '-0.022 points'
    """
    if not row.get("is_in_points"):
        return percent(row[column], decimals)
    text = f"{row[column]:+.{decimals}f}"
    if not float(text) and row[column]:
        text = f"{row[column]:+.2g}"
    return f"{text if float(text) else text[1:]} points"


def day(value: date | datetime | None) -> str:
    """Return a date."""
    return shown(value.date() if isinstance(value, datetime) else value)


def changed(row: Mapping[str, Any]) -> str:
    """Return how much a regression changed its metric, with the interval.

    >>> changed({"change_percent": -5.0, "before": 80.0, "low": -4.4, "high": -3.6})
    '-5.0 % (95 % interval -5.5 to -4.5 %)'
    """
    low, high = bounds(row)
    return change({"change": row["change_percent"], "low": low, "high": high})


def days(first: date | None, last: date | None) -> str:
    """Return the days from one moment to another: one date, or the first and the last."""
    return day(first) if day(first) == day(last) else f"{day(first)} to {day(last)}"


def interval(row: Mapping[str, Any]) -> str:
    """Return the ends of the interval of a change, `low` and `high` in percent.

    >>> interval({"low": 3.0, "high": 5.5}), interval({"low": -0.02, "high": 0.02})
    ('+3.0 to +5.5 %', '-0.02 to +0.02 %')
    >>> interval({"low": 1170.0, "high": 1210.0}), interval({"low": 180.0, "high": 220.0})
    ('12.7 to 13.1 times', '+180.0 % to 3.2 times')
    """
    low, high = difference(row, "low"), difference(row, "high")
    if low == high:  # an interval has a width
        low, high = difference(row, "low", 2), difference(row, "high", 2)
    number, unit = low.rsplit(" ", maxsplit=1)
    return f"{number if high.endswith(unit) else low} to {high}"


def change(row: Mapping[str, Any]) -> str:
    """Return a compared change as precisely as its verdict allows: with or without an interval.

    >>> change({"change": 4.21, "low": 3.0, "high": 5.5})
    '+4.2 % (95 % interval +3.0 to +5.5 %)'
    """
    if row["change"] is None:
        return "not known"
    middle = difference(row)
    if row["low"] is None or row["high"] is None:
        return f"{middle} (too few runs for an interval)"
    if row["high"] - row["low"] < _NO_WIDTH:
        return f"{middle} in every run"
    return f"{middle} (95 % interval {interval(row)})"
