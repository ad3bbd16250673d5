"""What can be compared, which comparison to begin with, and its result as a frame."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import polars as pl

from app.results.compared import BUILDS as THESE_BUILDS
from app.results.compared import DECIDED, ComparedRuns, Pair, difference_of
from app.results.comparison import compare_runs
from app.results.labels import brief_labels, in_order, metric_label, unit_label
from app.results.reader import Reader, Version
from app.results.sides import (
    FIRST_BUILD,
    LAST_BUILD,
    PUBLISHED,
    Terms,
    factors_of,
    parse_terms,
)
from app.results.words import counted
from expectations.verdicts.samples import mean_interval
from expectations.verdicts.verdict import ASSUMED, FAMILY, NOT_JUDGED, SERIES, UNDECIDED
from ingest.lake.sql import literal

__all__ = [
    "BUILDS",
    "NOT_SET",
    "SIDES",
    "VERDICTS",
    "Suggestion",
    "best_pair",
    "best_range",
    "builds",
    "compare_sides",
    "count_decided",
    "counts_of",
    "documents",
    "factor_levels",
    "frame_of",
    "headline",
    "levels",
    "pooled_changes",
    "ranges_around",
    "sides_of",
    "suggestion",
    "terms_of",
    "usual_levels",
    "values_of",
]  # fmt: skip

#: The verdicts, most important first, and their colours, which suit both themes.
VERDICTS = {
    "worse": "#d6455d",
    "better": "#2f9e6e",
    "changed": "#4f7cc4",
    "differs": "#c46a2f",
    "undecided": "#d9a13b",
    "same": "#8a93a3",
    "agrees": "#8a93a3",
    "not judged": "#8a93a3",
}
_NAMED = 3  # names of what is in doubt, or missing
#: What a side can be chosen by: a column of marts.fct_run, and its name on the page.
SIDES = {
    "git_revision": "Build",
    "campaign": "Campaign",
    "mq_level": "MQ level",
    "machine": "Machine",
}
#: A range of builds, on the page.
BUILDS = "Range of builds"
#: The level of a factor that is not set.
NOT_SET = "not set"
_WEEK = 7  # builds of a range, if there are twice as many
_FEWEST = 4
#: Metrics of the charts of both sides, in their order.
_DRAWN = ("rate", "transactions_per_second", "messages_per_second", "cost_per_GB",
          "cost_per_GB_of_workload", "cost_per_transaction", "cost_per_transaction_of_workload",
          "ziip_share", "NETTIME")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A comparison to begin with: a kind (of SIDES, or BUILDS) and its sides.

    A range of builds has two levels a side, everything else one. campaign: of both ranges; "" if
    there is only one.
    """

    kind: str
    baseline: tuple[str, ...]
    candidate: tuple[str, ...]
    can_decide: bool
    campaign: str = ""


def levels(reader: Reader) -> pl.DataFrame:
    """Return one row per origin, label and level: the number of runs; latest level first."""
    each = " union all by name ".join(
        f"select origin, '{label}' as label, {label} as level, count(*) as runs,"
        f" max(start_utc) as last_utc from marts.fct_run where {label} is not null group by all"
        for label in SIDES
    )
    return reader.frame(f"from ({each}) order by origin, label, last_utc desc, level")


def builds(reader: Reader, origin: str) -> pl.DataFrame:
    """Return one row per campaign and build, in order of time: first and last run, number."""
    return reader.frame(
        """
        select git_revision as build, min(start_utc) as first_utc, max(start_utc) as last_utc,
            count(*) as runs, campaign
        from marts.fct_run
        where origin = ? and git_revision is not null
        group by all
        order by first_utc, build, campaign
        """,
        (origin,),
    )


def factor_levels(reader: Reader, origin: str) -> dict[str, list[str]]:
    """Return the labels and factors of an origin's runs that have several levels, and the levels.

    Labels come first, a site's own factors last. What is not set is NOT_SET.
    """
    return {
        name: in_order(levels)
        for name, levels in _levels_of(reader.version, origin).items()
        if len(levels) > 1
    }


@lru_cache(maxsize=8)
def _levels_of(version: Version, origin: str) -> dict[str, list[str]]:
    with Reader(Path(version.path)).connection() as db:
        names = {name: f"r.{name}" for name in ("campaign", "machine", "mq_level")}
        factors = factors_of(db)
        names |= dict(sorted(factors.items(), key=lambda factor: "x_factors" in factor[1]))
        wanted = ", ".join(
            f"histogram(coalesce(({sql})::VARCHAR, {literal(NOT_SET)}))" for sql in names.values()
        )
        # a configuration has thousands of runs, so they are made distinct first
        counts_of_levels = db.execute(
            f"SELECT {wanted} FROM (SELECT DISTINCT campaign, machine, mq_level, configuration_id"
            f" FROM marts.fct_run WHERE origin = {literal(origin)}) r"
            " JOIN marts.dim_configuration c USING (configuration_id)"
        ).fetchall()[0]
    return {
        name: sorted(counts or (), key=lambda level: (level == NOT_SET, -counts[level], level))
        for name, counts in zip(names, counts_of_levels, strict=True)
    }


def usual_levels(reader: Reader, origin: str, name: str) -> list[str]:
    """Return the levels of a factor by the number of their configurations, those set first."""
    return list(_levels_of(reader.version, origin)[name])


# --- what to begin with


def best_pair(reader: Reader, origin: str, label: str) -> Suggestion | None:
    """Return the latest level of a label that can be compared, and the one before it.

    Levels come first of which most pairs of marts.fct_comparison are decided.
    """
    matches = reader.frame(
        """
        select
            level_after, level_before, count(*) as pairs,
            count(*) filter (verdict <> 'undecided') as decided
        from marts.fct_comparison
        where origin = ? and kind = ?
        group by all
        order by 2 * decided >= pairs desc, max(until_utc) desc, pairs desc,
            level_after, level_before
        limit 1
        """,
        (origin, label),
    )
    if matches.is_empty():
        return None
    after, before, pairs, decided = matches.row(0)
    return Suggestion(SIDES[label], (before,), (after,), 2 * decided >= pairs)


def best_range(reader: Reader, origin: str) -> Suggestion | None:
    """Return the latest builds of the latest campaign that has four, and as many before them."""
    all_builds = builds(reader, origin)
    for campaign in all_builds.sort("last_utc", descending=True)["campaign"].unique(
        maintain_order=True
    ):
        names = all_builds.filter(campaign=campaign)["build"].to_list()
        width = min(_WEEK, len(names) // 2)
        if width >= 2:
            late, early = names[-width:], names[-2 * width : -width]
            return _of_ranges(all_builds, campaign, early, late)
    return None


def _of_ranges(
    known: pl.DataFrame, campaign: str, early: Sequence[str], late: Sequence[str]
) -> Suggestion:
    several = known["campaign"].n_unique() > 1
    return Suggestion(
        BUILDS,
        (early[0], early[-1]),
        (late[0], late[-1]),
        min(len(early), len(late)) >= _FEWEST,
        campaign=campaign if several else "",
    )


def ranges_around(reader: Reader, origin: str, before: str, after: str) -> Suggestion | None:
    """Return the builds of a campaign up to one, and from a later one on: a week's number of each.

    None if no campaign has both, in this order. Of several campaigns the latest is taken.
    """
    all_builds = builds(reader, origin)
    for campaign in all_builds.sort("last_utc", descending=True)["campaign"].unique(
        maintain_order=True
    ):
        names = all_builds.filter(campaign=campaign)["build"].to_list()
        if before in names and after in names and names.index(before) < names.index(after):
            last, first = names.index(before), names.index(after)
            early, late = names[max(last - _WEEK + 1, 0) : last + 1], names[first : first + _WEEK]
            return _of_ranges(all_builds, campaign, early, late)
    return None


def suggestion(reader: Reader, origin: str) -> Suggestion | None:
    """Return the comparison to begin with: the first of which most pairs are decided.

    Builds come before ranges of builds, campaigns, machines and MQ levels. If nothing is decided it
    is the first of these; None if nothing can be compared.
    """
    options = [
        best_pair(reader, origin, "git_revision"),
        best_range(reader, origin),
        *(best_pair(reader, origin, label) for label in ("campaign", "machine", "mq_level")),
    ]
    possible = [option for option in options if option is not None]
    first = possible[0] if possible else None
    return next((option for option in possible if option.can_decide), first)


def sides_of(
    option: Suggestion, origin: str
) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Return the terms of the baseline and of the candidate."""
    names = (
        (FIRST_BUILD, LAST_BUILD)
        if option.kind == BUILDS
        else [label for label, kind in SIDES.items() if kind == option.kind]
    )

    def terms(levels: tuple[str, ...]) -> dict[str, str | None]:
        campaign = {"campaign": option.campaign} if option.campaign else {}
        return {**dict(zip(names, levels, strict=True)), **campaign, "origin": origin}

    return terms(option.baseline), terms(option.candidate)


def count_decided(comparison: ComparedRuns) -> tuple[int, int]:
    """Return how many of the judged pairs are decided, and how many there are."""
    pairs = _headline_pairs(comparison)
    return sum(pair.judged.verdict != UNDECIDED for pair in pairs), len(pairs)


def _headline_pairs(comparison: ComparedRuns) -> list[Pair]:
    return [p for p in comparison.pairs if p.judged.verdict != NOT_JUDGED] or comparison.pairs


#: What is said of pairs by where their noise between builds comes from.
_NOISE = {
    SERIES: "with the noise between earlier builds of their configuration",
    FAMILY: "with the noise between builds of the configuration that varies most, as their own has "
    "too few",
    ASSUMED: "as if builds varied by {:.3g} % by themselves, as there are too few to tell",
}


def noise_between_builds(comparison: ComparedRuns) -> str:
    """Return sentences on the noise between builds that pairs are judged with, or nothing."""
    counts = Counter(pair.judged.noise_source for pair in comparison.pairs)
    if comparison.question == THESE_BUILDS:
        return (
            " Whether these two builds differ is judged by the noise of their runs alone, best "
            "made in turn; what builds vary by themselves is not in it."
        )
    text = ""
    for source, noise in _NOISE.items():
        if counts[source]:
            share = f"{counts[source]:,} of {len(comparison.pairs):,}"
            which = "All" if counts[source] == len(comparison.pairs) else share
            text += f" {which} are judged {noise.format(100 * comparison.build_noise)}."
    return text


def parts_of_intervals(comparison: ComparedRuns) -> str:
    """Return sentences on the bounds of apportioned figures, or nothing.

    They name the verdicts that the bounds allow to be chance: the change may be none.
    """
    bounded = [pair for pair in comparison.pairs if pair.bounds]
    if not bounded:
        return ""
    text = (
        f" {len(bounded):,} of {len(comparison.pairs):,} are of runs that have a part of some "
        "intervals, and so have bounds (docs/cost-method.md)"
    )
    doubtful = [
        pair
        for pair in bounded
        if pair.judged.verdict in DECIDED and pair.bounds and pair.bounds[0] <= 1 <= pair.bounds[1]
    ]
    if not doubtful:
        return f"{text}."
    short = _short(comparison)
    named = [f"{_metric(p)} of {short[p.configuration]} ({bounds_of(p)} %)" for p in doubtful]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"{text}, within which these may not have changed: {'; '.join(named[:_NAMED])}{more}."


def sources_that_differ(comparison: ComparedRuns) -> str:
    """Return a sentence on metrics whose values come from elsewhere on the other side, or nothing.

    What a tool printed need not agree with what the records say of the same thing.
    """
    if not comparison.sources:
        return ""
    named = [
        f"{metric_label(metric)} ({candidate}, and {baseline} in the baseline)"
        for metric, (baseline, candidate) in comparison.sources.items()
    ]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f" The sides take these from different sources: {'; '.join(named[:_NAMED])}{more}."


def missing_figures(comparison: ComparedRuns) -> str:
    """Say which figures the candidate lacks; empty if it lacks none."""
    if not comparison.missing:
        return ""
    more = len(comparison.missing) - _NAMED
    return (
        f" Missing in {comparison.candidate.name}: {'; '.join(comparison.missing[:_NAMED])}"
        f"{f' and {more:,} more' if more > 0 else ''}."
    )


def pooled_changes(comparison: ComparedRuns) -> list[str]:
    """Return a sentence, without its point, on each metric that changed over all configurations."""
    return [
        f"{_metric(pair)} is {pair.judged.verdict}, {difference_of(pair.judged)} "
        f"({difference_of(pair.judged, with_interval=True)}; {pair.judged.reason})"
        for pair in comparison.pooled
        if pair.judged.verdict in DECIDED
    ]


def bounds_of(pair: Pair) -> str | None:
    """Return what the change of a pair can be, in percent, if its runs have parts of intervals."""
    if pair.bounds is None:
        return None
    low, high = (100 * (ratio - 1) for ratio in pair.bounds)
    return f"{low:+.1f} to {high:+.1f}"


# --- the comparison


def compare_sides(
    reader: Reader,
    baseline: Terms,
    candidate: Terms,
    *,
    ignore: Sequence[str] = (),
    held: Mapping[str, Sequence[str | None]] | None = None,
    across_systems: bool = False,
    parts: bool = False,
    one_speed: bool = False,
) -> ComparedRuns:
    """Compare two sides as app.results.comparison does. Raises SelectionError."""
    return _kept(
        reader.version,
        tuple(baseline.items()),
        tuple(candidate.items()),
        tuple(ignore),
        tuple((name, tuple(levels)) for name, levels in (held or {}).items()),
        across_systems,
        parts,
        one_speed,
    )


@lru_cache(maxsize=32)
def _kept(
    version: Version,
    baseline: tuple[tuple[str, str | None], ...],
    candidate: tuple[tuple[str, str | None], ...],
    ignore: tuple[str, ...],
    held: tuple[tuple[str, tuple[str | None, ...]], ...],
    across_systems: bool,
    parts: bool,
    one_speed: bool,
) -> ComparedRuns:
    with Reader(Path(version.path)).connection() as db:
        return compare_runs(
            db,
            dict(baseline),
            dict(candidate),
            ignore=ignore,
            held=dict(held),
            across_systems=across_systems,
            parts=parts,
            one_speed=one_speed,
        )


def terms_of(reader: Reader, text: str) -> dict[str, str | None]:
    """Return the terms that a text means, as on the command line. Raises SelectionError."""
    with reader.connection() as db:
        return parse_terms(db, text)


def frame_of(comparison: ComparedRuns) -> pl.DataFrame:
    """Return one row per compared metric, most important first; changes in percent."""
    short = _short(comparison)
    rows = [
        {
            "name": ": ".join(filter(None, (short[p.configuration], _metric(p), p.figure))),
            "short": short[p.configuration],
            "configuration": p.configuration,
            "metric": p.metric,
            "label": _metric(p),
            "part": p.part,
            "figure": p.figure,
            "unit": unit_label(p.unit),
            "baseline": p.judged.baseline,
            "candidate": p.judged.candidate,
            **dict(zip(("change", "low", "high"), _percents(p), strict=True)),
            "interval": _interval(p),
            "bounds": bounds_of(p),
            "verdict": p.judged.verdict,
            "runs": f"{p.judged.baseline_runs} and {p.judged.candidate_runs}",
            "more_runs": p.judged.more_runs if p.judged.verdict == UNDECIDED else None,
            "band_low": None if p.band is None else p.band[0],
            "band_high": None if p.band is None else p.band[1],
        }
        for p in comparison.pairs
    ]
    ranks = {verdict: rank for rank, verdict in enumerate(VERDICTS)}
    frame = pl.DataFrame(rows, infer_schema_length=None, schema_overrides={
        "change": pl.Float64, "low": pl.Float64, "high": pl.Float64, "more_runs": pl.Int64,
        "band_low": pl.Float64, "band_high": pl.Float64, "bounds": pl.String,
    })  # fmt: skip
    return frame.sort(
        pl.col("verdict").replace_strict(ranks, return_dtype=pl.Int64), -pl.col("change").abs()
    )


def _short(comparison: ComparedRuns) -> dict[str, str]:
    return brief_labels([pair.configuration for pair in comparison.pairs])


def _metric(pair: Pair) -> str:
    return " of ".join(filter(None, (metric_label(pair.metric), pair.part)))


def _percents(pair: Pair) -> list[float | None]:
    """Return change and interval in percent of the baseline, None where that is 0 or unknown."""
    judged, size = pair.judged, abs(pair.judged.baseline)
    part = 1.0 if judged.unit == "%" else 100 / size if size else math.nan
    ends = (part * end for end in (judged.estimate, judged.low, judged.high))
    return [end if math.isfinite(end) else None for end in ends]


def _interval(pair: Pair) -> str | None:
    text = difference_of(pair.judged, with_interval=True)
    return None if text == "unknown" else text.removesuffix(" %")


def counts_of(pairs: Sequence[Pair]) -> str:
    """Say how many pairs have which verdict, without a point."""
    counts = Counter(pair.judged.verdict for pair in pairs)
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    configurations = len({pair.configuration for pair in pairs})
    size = f"{counted(len(pairs), 'pair')} of metrics in {counted(configurations, 'configuration')}"
    return f"Of {size}: {verdicts}"


def headline(comparison: ComparedRuns) -> str:
    """Return in sentences what a comparison says: counts, and the largest difference.

    It says no more than the verdicts do, and leaves out totals.
    """
    pairs = _headline_pairs(comparison)
    short = _short(comparison)
    text = f"{counts_of(pairs)}."
    differ = [p for p in pairs if p.judged.verdict in DECIDED]
    if differ:
        largest = max(differ, key=lambda pair: pair.size)
        return f"{text} The largest difference: {_pair_text(largest, short)}."
    undecided = [p for p in pairs if p.judged.verdict == UNDECIDED]
    more = [p.judged.more_runs for p in undecided if p.judged.more_runs]
    if len(undecided) == len(pairs):
        text += " Nothing is decided yet"
        return text + (
            f": {min(more)} more runs a side would decide the first pairs, if ratio and noise stay "
            "as they are."
            if more
            else "."
        )
    return f"{text} No difference is shown."


def _pair_text(pair: Pair, short: Mapping[str, str]) -> str:
    judged = pair.judged
    runs = "no runs" if not judged.baseline_runs + judged.candidate_runs else " against ".join(
        f"{count} run{'s' if count > 1 else ''}" if count else "the figure"
        for count in (judged.candidate_runs, judged.baseline_runs)
    )  # fmt: skip
    ends = difference_of(judged, with_interval=True)
    sure = "" if ends == "unknown" else f"95 % interval {ends}, "
    return f"{_metric(pair)} of {short[pair.configuration]}, {difference_of(judged)} ({sure}{runs})"


def values_of(reader: Reader, comparison: ComparedRuns) -> pl.DataFrame:
    """Return rates, costs and response times of both sides, one row per metric and configuration.

    Columns: metric, unit, name, side (baseline or candidate), value (the mean), low and
    high (its 95 % interval, null of one value), values (of each run). Configurations are in the
    order of their file or message size.
    """
    sizes = dict(
        reader.frame(
            "select configuration, min(coalesce(file_size_mb * 1048576, message_size_bytes))"
            " from marts.dim_configuration group by all"
        ).iter_rows()
    )
    drawn = [pair for pair in comparison.pairs if pair.metric in _DRAWN and not pair.part]
    short = _short(comparison)
    rows = []
    for pair in sorted(
        drawn,
        key=lambda p: (
            _DRAWN.index(p.metric),
            sizes.get(p.configuration) or math.inf,
            p.configuration,
            p.figure,
        ),
    ):
        name = ": ".join(filter(None, (short[pair.configuration], pair.figure)))
        for side, middle, values in (
            ("baseline", pair.judged.baseline, pair.baseline_values),
            ("candidate", pair.judged.candidate, pair.candidate_values),
        ):
            low, high = mean_interval(values, pair.measure) or (None, None)
            rows.append({
                "metric": pair.metric, "unit": unit_label(pair.unit), "name": name, "side": side,
                "value": middle, "low": low, "high": high, "values": list(values),
            })  # fmt: skip
    return pl.DataFrame(rows, schema={
        "metric": pl.String, "unit": pl.String, "name": pl.String, "side": pl.String,
        "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "values": pl.List(pl.Float64),
    })  # fmt: skip


def documents(reader: Reader, origin: str, kind: str) -> list[str]:
    """Return the documents whose figures, published or predicted, runs of an origin have."""
    mart = "fct_run_against_published" if kind == PUBLISHED else "fct_run_against_model"
    return reader.frame(
        f"select distinct document_id from marts.{mart} where origin = ? and is_compared"
        " order by 1",
        (origin,),
    )["document_id"].to_list()
