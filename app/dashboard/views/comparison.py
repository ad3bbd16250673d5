"""Two sides of runs or figures compared, and every published table beside runs and predictions.

Code of its own: two sides are compared, of runs or of figures, and neither has the owner and time
of the pages that are declared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import streamlit as st

from app.charts.runs import both_sides, ratios
from app.dashboard import components, filters, session, units
from app.dashboard.no_runs import no_runs
from app.dashboard.presets import draw_preset
from app.results.compared import FIGURE, NOT_JUDGED, ComparedRuns
from app.results.labels import metric_label
from app.results.metrics import sensible
from app.results.queries import comparison as queries
from app.results.queries import presets
from app.results.queries.comparison import (
    BUILDS,
    NOT_SET,
    SIDES,
    VERDICTS,
    Suggestion,
    frame_of,
)
from app.results.reader import Reader
from app.results.sides import (
    FIRST_BUILD,
    LAST_BUILD,
    PREDICTED,
    PUBLISHED,
    SelectionError,
    Side,
    typed,
    typed_held,
)

_MOST_ROWS = 30
_MOST_NAMED = 60
_SIDES = "two sides"
_FACTOR = "Factor"
_FIGURES = {"Published figures": PUBLISHED, "Predicted figures": PREDICTED}
_REMARKS = {
    "worse": "more than 2 %, and significant",
    "better": "more than 2 %, and significant",
    "changed": "more than 2 %, significant, neither good nor bad",
    "not enough runs": "undecided: run more",
    "same": "within 2 % (95 % confidence)",
    "figure below": "below the runs' 95 % interval",
    "figure above": "above the runs' 95 % interval",
    "figure inside": "in the runs' 95 % interval",
    "no interval": "of a single run or figure",
}
_RUN_VERDICTS = ("worse", "better", "not enough runs", "same")
_PARTS, _ONE_SPEED = "with parts", "at one speed"  # which metrics of runs are compared


def draw(reader: Reader) -> None:
    """Draw the page."""
    known = queries.levels(reader)
    tables = presets.tables(reader)
    if known.is_empty():
        components.header("Comparison")
        no_runs(
            reader,
            "A comparison needs runs of two builds, or machines.",
            builds=("before", "after"),
        )
        if tables.height:
            components.section("Published tables", "With what the models predict for them.")
            table = _chosen(tables, [])
            if table is not None:
                draw_preset(reader, table)
        return
    title = st.empty()
    table = _chosen(tables, [_SIDES])
    if table is None:
        _draw_sides(reader, known, title)
        return
    with title.container():
        components.header(
            "Comparison",
            "A published table, the runs of its configurations, and what the models predict.",
            "published",
        )
    draw_preset(reader, table)


def _chosen(tables: pl.DataFrame, first: list[str]) -> dict[str, Any] | None:
    """Draw the choice of a published table; return its row, None for one of the `first`."""
    titles = dict(tables.select("preset", "title").iter_rows())
    preset = filters.choice(
        "Compare",
        [*first, *tables["preset"]],
        "preset",
        shown=lambda name: ": ".join(filter(None, (name, titles.get(name)))),
        help="Two sets of runs or figures; or a published table with the runs of its "
        "configurations. Type to search: a document's number or a table's name.",
    )
    if preset in first:
        return None
    return tables.row(by_predicate=pl.col("preset") == preset, named=True)


def _draw_sides(reader: Reader, known: pl.DataFrame, title: Any) -> None:
    with st.container(border=True):
        first, second, third = st.columns([2, 3, 3], vertical_alignment="top")
        with first:
            origins = known["origin"].unique(maintain_order=True).to_list()
            origin = filters.switch("Origin", origins, "origin")
        begin = queries.suggestion(reader, origin)
        kinds = _kinds(reader, known, origin)
        with title.container():
            components.header("Comparison", origin=origin)
        if not kinds:
            st.info(
                "There is nothing yet to compare: all runs share one build, campaign, MQ level and "
                "machine, and no published or predicted figure is of their configurations. Load "
                "the runs of another one.",
                icon=":material/compare_arrows:",
            )
            return
        own = [kind for kind in kinds if kind not in _FIGURES]
        with third:
            kind = filters.choice(
                "Candidate is a", own, "compare", default=begin.kind if begin else None
            )
        usual = _usual(reader, origin, kind, begin)
        with second:
            against = filters.choice("Baseline is a", ["the same", *kinds], "against")
        other = kind if against == "the same" else against
        factor = ""
        if _FACTOR in {kind, other}:
            with first:
                factor = filters.choice("Factor", list(_factors(reader, origin)), "factor")
        campaign = ""
        if BUILDS in {kind, other}:
            with first:
                campaign = _campaign(reader, origin, usual.campaign if usual else "")
        with third:
            candidate = _side(reader, known, origin, kind, usual.candidate if usual else (),
                              "candidate", factor, campaign)  # fmt: skip
        with second:
            same = other == kind
            baseline = _side(reader, known, origin, other,
                             usual.baseline if usual and same else (), "baseline", factor, campaign,
                             taken=candidate if same else None)  # fmt: skip
        held, ignore, metrics = _matching(reader, origin, candidate, baseline)
    if baseline is None or candidate is None:
        components.info(f"All runs share one {other if baseline is None else kind}: there is "
                        "nothing to compare it with. Choose something else.",
                        "compare_arrows")  # fmt: skip
        return
    try:
        compared = queries.compared(
            reader, baseline, candidate, ignore=ignore, held=held, across_systems=True,
            parts=metrics == _PARTS, one_speed=metrics == _ONE_SPEED,
        )  # fmt: skip
    except SelectionError as error:
        text = str(error).replace(": try --ignore NAME", ". Ignore these factors above to match")
        components.info(f"{text[0].upper()}{text[1:]}.", "compare_arrows")
        return
    why = usual.why if usual and _is(usual, baseline, candidate, origin) else ""
    _judged(reader, compared, why, held)


# --- what is compared


def _kinds(reader: Reader, known: pl.DataFrame, origin: str) -> list[str]:
    """Return what a side can be, what has something to compare first."""
    here = known.filter(pl.col("origin") == origin)
    several = {
        name for label, name in SIDES.items()
        if here.filter(pl.col("label") == label).height > 1
    }  # fmt: skip
    kinds = [name for name in SIDES.values() if name in several]
    if "Build" in several and queries.best_range(reader, origin):
        kinds.insert(1, BUILDS)
    if _factors(reader, origin):
        kinds.append(_FACTOR)
    figures = [name for name, kind in _FIGURES.items() if queries.documents(reader, origin, kind)]
    if figures and not kinds:  # all runs of one campaign can be compared with figures
        kinds = [
            name for label, name in SIDES.items() if here.filter(pl.col("label") == label).height
        ][:1]
    return kinds + figures if kinds else []


def _factors(reader: Reader, origin: str) -> dict[str, list[str]]:
    labels = {"campaign", "machine", "mq_level"}
    found = queries.factor_levels(reader, origin)
    return {name: levels for name, levels in found.items() if name not in labels}


def _usual(reader: Reader, origin: str, kind: str, begin: Suggestion | None) -> Suggestion | None:
    """Return the sides to begin with, of this kind."""
    if begin is not None and begin.kind == kind:
        return begin
    if kind == BUILDS:
        return queries.best_range(reader, origin)
    label = next((label for label, name in SIDES.items() if name == kind), None)
    return queries.best_pair(reader, origin, label) if label else None


def _side(
    reader: Reader,
    known: pl.DataFrame,
    origin: str,
    kind: str,
    usual: tuple[str, ...],
    key: str,
    factor: str,
    campaign: str,
    taken: dict[str, str | None] | None = None,
) -> dict[str, str | None] | None:
    """Draw the choice of one side; return its terms, None if there is nothing to choose.

    `factor`: the name of the factor, if the side is a level of one. `campaign`: of a range of
    builds, "" for any. `taken`: the terms of the other
    side, whose level cannot be chosen again.
    """
    title = key.capitalize()
    first = usual[0] if usual else None
    if kind in _FIGURES:
        figures = _FIGURES[kind]
        documents = queries.documents(reader, origin, figures)
        chosen = filters.choice("Document", ["all", *documents], f"{key}-document")
        return {figures: None if chosen == "all" else chosen}
    if kind == BUILDS:
        known = queries.builds(reader, origin)
        known = known.filter(campaign=campaign) if campaign else known
        names = known["build"].unique(maintain_order=True).to_list()
        left, right = st.columns(2)
        with left:
            start = filters.choice(f"{title}: first build", names, key, default=first)
        with right:
            end = filters.choice("Last build", names, f"{key}-to",
                                 default=usual[1] if usual else None)  # fmt: skip
        of = {"campaign": campaign} if campaign else {}
        return {FIRST_BUILD: start, LAST_BUILD: end, **of, "origin": origin}
    if kind == _FACTOR:
        return _factor_side(reader, origin, key, factor, taken)
    label = next(label for label, name in SIDES.items() if name == kind)
    levels = known.filter(pl.col("origin") == origin, pl.col("label") == label)["level"].to_list()
    rest = [level for level in levels if taken is None or level != taken.get(label)]
    if not rest:
        return None
    return {label: filters.choice(title, rest, key, default=first), "origin": origin}


def _campaign(reader: Reader, origin: str, usual: str) -> str:
    """Draw the choice of the campaign of ranges of builds; return it, "" for all of them."""
    known = queries.builds(reader, origin).sort("last_utc", descending=True)["campaign"]
    campaigns = known.drop_nulls().unique(maintain_order=True).to_list()
    if len(campaigns) < 2:
        return ""
    chosen = filters.choice("Builds of", ["all campaigns", *campaigns], "builds-of", default=usual)
    return "" if chosen == "all campaigns" else chosen


def _factor_side(
    reader: Reader, origin: str, key: str, name: str, taken: dict[str, str | None] | None
) -> dict[str, str | None] | None:
    other = None if taken is None else taken[name] or NOT_SET
    rest = [level for level in _factors(reader, origin)[name] if level != other]
    # the baseline is what most runs have, such as no TLS
    usual = queries.usual_levels(reader, origin, name)
    first = usual[0 if key == "baseline" else 1]
    level = filters.choice(
        f"{key.capitalize()}: {name.removeprefix('x_')}", rest, key, default=first
    )
    return {name: None if level == NOT_SET else level, "origin": origin}


def _is(
    usual: Suggestion,
    baseline: dict[str, str | None],
    candidate: dict[str, str | None],
    origin: str,
) -> bool:
    return queries.sides_of(usual, origin) == (baseline, candidate)


def _matching(
    reader: Reader,
    origin: str,
    candidate: dict[str, str | None] | None,
    baseline: dict[str, str | None] | None,
) -> tuple[dict[str, list[str | None]], list[str], str]:
    """Draw the choice of factors to hold or ignore; return the levels, the names, and metrics."""
    levels = queries.factor_levels(reader, origin)
    chosen = {*(candidate or ()), *(baseline or ())}
    figures = set(_FIGURES.values())
    options = {
        f"{name.removeprefix('x_')}: {level}": (name, level)
        for name, found in levels.items()
        if name not in chosen
        for level in found
    }
    names = {name.removeprefix("x_"): name for name in levels if name not in {*chosen, "campaign"}}
    left, middle, right = st.columns(3)
    with left:
        picked = filters.choices("Only runs with", list(options), "held", placeholder="any factor")
    with middle:
        ignored = filters.choices(
            "Ignore, when runs are matched", list(names), "ignore", placeholder="nothing"
        )
    with right:
        kinds = ["whole runs", _PARTS] if chosen & figures else ["whole runs", _ONE_SPEED, _PARTS]
        metrics = filters.switch("Metrics", kinds, "figures")
    held: dict[str, list[str | None]] = {}
    for option in picked:
        name, level = options[option]
        held.setdefault(name, []).append(None if level == NOT_SET else level)
    return held, [names[name] for name in ignored], metrics


# --- what comes of it


def _ranges(reader: Reader, compared: ComparedRuns) -> None:
    """Lead from two builds of which nothing can be decided to the ranges that end and begin there.

    A range before the candidate ends with the baseline; the other begins with the candidate.
    """
    builds = [side.terms.get("git_revision") for side in (compared.baseline, compared.candidate)]
    if None in builds or queries.decided(compared)[0]:
        return
    around = queries.ranges_around(reader, compared.candidate.origin, *map(str, builds))
    if around is not None:
        components.link(
            "comparison",
            "Compare the builds up to the baseline with those from the candidate on",
            **{
                "compare": BUILDS,
                "origin": compared.candidate.origin,
                "baseline": around.baseline[0],
                "baseline-to": around.baseline[1],
                "candidate": around.candidate[0],
                "candidate-to": around.candidate[1],
                **({"builds-of": around.campaign} if around.campaign else {}),
            },
        )


def _judged(
    reader: Reader, compared: ComparedRuns, why: str, held: Mapping[str, Sequence[str | None]]
) -> None:
    components.note(f"{_told(compared.candidate)} against {_told(compared.baseline)}.")
    st.markdown(f"**{units.plain(queries.headline(compared))}**")
    if why:
        components.note(
            f"This page begins with the comparison of which most can be decided: {why}."
        )
    _ranges(reader, compared)
    components.link(
        "reports", "As a report", report="release", baseline=typed(compared.baseline.terms),
        candidate=typed(compared.candidate.terms), only=typed_held(held),
        ignore=",".join(factor.name for factor in compared.factors if factor.role == "ignored"),
    )  # fmt: skip
    frame = frame_of(compared)
    normalised = frame.filter(pl.col("verdict") != NOT_JUDGED)
    shown = normalised if normalised.height else frame
    _tiles(shown)
    _table(shown, compared)
    _chart(shown)
    _both(reader, compared)
    _factor_table(compared)
    for side, only in (
        (compared.baseline, compared.only_baseline),
        (compared.candidate, compared.only_candidate),
    ):
        if only:
            _only(side, only)
    totals = frame.filter(pl.col("verdict") == NOT_JUDGED)
    if normalised.height and totals.height:
        with st.expander(
            f"Totals of runs ({totals.height}), which grow with their work: not judged"
        ):
            _metrics(totals, "comparison_totals")
    if compared.incomplete:
        st.caption(
            "Left out for what is missing or in doubt of them: "
            f"{units.counted(compared.incomplete, 'run')}."
        )


def _told(side: Side) -> str:
    """Return a side with its runs and their dates."""
    if side.is_reference:
        return f"the {side.name}" if side.name else "figures"
    builds = f" of {side.builds} builds" if side.builds > 1 else ""
    days = " to ".join(dict.fromkeys(f"{t:%Y-%m-%d}" for t in (side.first_utc, side.last_utc) if t))
    return f"{side.name} ({side.runs:,} {'run' if side.runs == 1 else 'runs'}{builds}, {days})"


def _tiles(frame: pl.DataFrame) -> None:
    counts = Counter(frame["verdict"])
    of_figures = not counts.keys() & {*_RUN_VERDICTS, "changed"}
    always = () if of_figures else _RUN_VERDICTS
    components.tiles({
        verdict.capitalize(): (units.number(counts[verdict]), _REMARKS[verdict])
        for verdict in VERDICTS
        if counts[verdict] or verdict in always
    })  # fmt: skip


def _table(frame: pl.DataFrame, compared: ComparedRuns) -> None:
    with_figures = compared.baseline.is_reference or compared.candidate.is_reference
    components.section(
        "Normalised metrics",
        "A single figure: its place in the 95 % interval of the runs is no verdict on them. "
        if with_figures
        else "Change of the candidate from the baseline. Geometric means of the runs without "
        "issues."
        + queries.noise_between_builds(compared)
        + queries.parts_of_intervals(compared)
        + queries.sources_that_differ(compared),
    )
    _metrics(frame, "comparison")


def _metrics(frame: pl.DataFrame, name: str) -> None:
    is_placed = frame["verdict"].is_in(FIGURE).any()
    columns = {
        "short": st.column_config.TextColumn("Configuration", width=220),
        "label": st.column_config.TextColumn("Metric", width=145),
        "change": st.column_config.NumberColumn("Change, %", format="%+.1f", width=75),
        "interval": st.column_config.TextColumn("95 % interval", width=105),
        "runs": st.column_config.TextColumn("Runs", width=70),
        "verdict": st.column_config.TextColumn(
            "Figure lies" if is_placed else "Verdict",
            width=105,
            help="The place of the figure in the 95 % interval of the runs" if is_placed else None,
        ),
        "baseline": components.figure("Baseline", width=85),
        "candidate": components.figure("Candidate", width=85),
        "unit": st.column_config.TextColumn("Unit", width=80),
    }
    if frame["bounds"].is_not_null().any():
        columns["bounds"] = st.column_config.TextColumn(
            "Bounds, %",
            width=105,
            help="Between what the change lies, as runs cover only part of some intervals",
        )
    if (frame["figure"] != "").any():
        columns["figure"] = st.column_config.TextColumn("Figure", width=100)
    if frame["band_low"].is_not_null().any():
        columns["band_low"] = components.figure("Model's 10 %")
        columns["band_high"] = components.figure("Model's 90 %")
    if frame["more_runs"].is_not_null().any():
        columns["more_runs"] = st.column_config.NumberColumn("More runs a side", width=115)
    columns["configuration"] = st.column_config.TextColumn("Full configuration", width="large")
    figures = ("baseline", "candidate", "band_low", "band_high")
    components.table(sensible(frame, figures), name, columns=columns)


def _chart(frame: pl.DataFrame) -> None:
    shown = frame.filter(pl.col("change").is_not_null()).head(_MOST_ROWS)
    if shown.is_empty():
        return
    title = "Change of each metric"
    if frame.height > shown.height:
        title += f" (first {shown.height} of {frame.height})"
    components.panel(
        title,
        ratios(shown, order=shown["name"].to_list(), verdicts=VERDICTS),
        help="The bar is the 95 % confidence interval; without one there are too few runs.",
    )


def _both(reader: Reader, compared: ComparedRuns) -> None:
    values = queries.values_of(reader, compared)
    if values.is_empty():
        return
    components.section("Both sides", "Ordered by the size of files or messages.")
    names = _names(compared)
    with components.panels():
        for (metric, unit), rows in values.group_by("metric", "unit", maintain_order=True):
            few = rows.select(pl.col("name").unique(maintain_order=True)).to_series()
            shown = rows.filter(pl.col("name").is_in(few.head(_MOST_ROWS).implode()))
            title = metric_label(str(metric))
            if few.len() > _MOST_ROWS:
                title += f" (first {_MOST_ROWS} of {few.len()} configurations)"
            components.panel(
                title,
                both_sides(shown, unit=str(unit), names=names),
                help="The geometric mean and its 95 % interval; ticks are single "
                "runs, where there are at most four.",
            )


def _names(compared: ComparedRuns) -> tuple[str, str]:
    """Return what a legend calls the sides."""
    baseline, candidate = compared.baseline.name, compared.candidate.name
    if baseline == candidate:
        return "baseline", "candidate"
    return f"baseline: {baseline}", f"candidate: {candidate}"


def _factor_table(compared: ComparedRuns) -> None:
    if not compared.factors:
        return
    roles = {
        role: [v for v in compared.factors if v.role == role]
        for role in ("differs", "ignored", "held")
    }
    told = [
        f"{role}: {', '.join(v.name.removeprefix('x_') for v in found)}"
        for role, found in roles.items()
        if found
    ]
    with st.expander(units.plain(f"Factors ({'; '.join(told)})")):
        frame = pl.DataFrame([
            {"name": v.name.removeprefix("x_"), "role": v.role,
             "baseline": ", ".join(v.baseline), "candidate": ", ".join(v.candidate)}
            for found in roles.values()
            for v in found
        ])  # fmt: skip
        components.table(
            frame,
            "comparison_factors",
            columns={
                "name": st.column_config.TextColumn("Factor"),
                "role": st.column_config.TextColumn("Role", width="small"),
                "baseline": st.column_config.TextColumn("Baseline", width="medium"),
                "candidate": st.column_config.TextColumn("Candidate", width="medium"),
            },
        )


def _only(side: Side, only: list[str]) -> None:
    what = f"{len(only)} configurations only in {side.name}"
    with st.expander(units.plain(what)):
        st.markdown("\n".join(f"- {units.plain(name)}" for name in only[:_MOST_NAMED]))
        if len(only) > _MOST_NAMED:
            components.note(f"and {len(only) - _MOST_NAMED} more")


if __name__ == "__main__":
    draw(session.reader())
