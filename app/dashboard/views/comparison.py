"""Two sides of runs or figures compared, and what each factor does to a figure.

Code of its own: two sides are compared, of runs or of figures, and neither has the owner and time
of the pages that are declared.
"""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.dashboard import components, filters, session
from app.dashboard.compared import draw_compared
from app.dashboard.factors import draw_factors
from app.dashboard.no_runs import no_runs
from app.results.labels import factor_label, level_label, small
from app.results.queries import comparison as queries
from app.results.queries import factors
from app.results.queries.comparison import (
    BUILDS,
    NOT_SET,
    SIDES,
    Suggestion,
)
from app.results.reader import Reader
from app.results.sides import (
    FIRST_BUILD,
    LAST_BUILD,
    PREDICTED,
    PUBLISHED,
    SelectionError,
)

_SIDES, _FACTORS = "two sides", "factors"
_OF_FACTORS = (
    "What a factor does to each figure, with all other factors as they are: means of the complete "
    "runs, or published figures."
)
_FACTOR = "Factor"
_FIGURES = {"Published figures": PUBLISHED, "Predicted figures": PREDICTED}
_PARTS, _ONE_SPEED = "with parts", "at one speed"  # which metrics of runs are compared


def draw(reader: Reader) -> None:
    """Draw the page."""
    all_levels, of_factors = queries.levels(reader), factors.sources(reader)
    ways = [name for name, rows in ((_SIDES, all_levels), (_FACTORS, of_factors)) if rows.height]
    title = st.empty()
    if all_levels.is_empty():
        with title.container():
            components.header("Comparison")
            no_runs(
                reader,
                "A comparison needs runs of two builds, or machines.",
                builds=("before", "after"),
            )
        if not ways:
            return
    if filters.switch("Compare", ways, "preset") == _SIDES:
        _draw_sides(reader, all_levels, title)
        return
    origin = draw_factors(reader, of_factors)
    if all_levels.height:
        with title.container():
            components.header("Comparison", _OF_FACTORS, origin)


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
        own_kinds = [kind for kind in kinds if kind not in _FIGURES]
        with third:
            kind = filters.choice(
                "Candidate is a", own_kinds, "compare", default=begin.kind if begin else None
            )
        usual = _usual(reader, origin, kind, begin)
        with second:
            against = filters.choice("Baseline is a", ["the same", *kinds], "against")
        other = kind if against == "the same" else against
        factor = ""
        if _FACTOR in {kind, other}:
            with first:
                factor = filters.choice(
                    "Factor", list(_factors(reader, origin)), "factor", shown=factor_label
                )
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
        compared = queries.compare_sides(
            reader, baseline, candidate, ignore=ignore, held=held, across_systems=True,
            parts=metrics == _PARTS, one_speed=metrics == _ONE_SPEED,
        )  # fmt: skip
    except SelectionError as error:
        components.info(f"{error.what[0].upper()}{error.what[1:]}.", "compare_arrows")
        if error.apart:
            now = filters.address()
            names = [name.removeprefix("x_") for name in error.apart]
            now["ignore"] = [*filter(None, now.get("ignore", [])), *names]
            components.link("comparison", "Match the runs in spite of that", **now)
        return
    is_first = begin is not None and queries.sides_of(begin, origin) == (baseline, candidate)
    draw_compared(reader, compared, held, is_first=is_first)


# --- what is compared


def _kinds(reader: Reader, known: pl.DataFrame, origin: str) -> list[str]:
    """Return what a side can be, what has something to compare first."""
    of_origin = known.filter(pl.col("origin") == origin)
    several = {
        name for label, name in SIDES.items()
        if of_origin.filter(pl.col("label") == label).height > 1
    }  # fmt: skip
    kinds = [name for name in SIDES.values() if name in several]
    if "Build" in several and queries.best_range(reader, origin):
        kinds.insert(1, BUILDS)
    if _factors(reader, origin):
        kinds.append(_FACTOR)
    figures = [name for name, kind in _FIGURES.items() if queries.documents(reader, origin, kind)]
    if figures and not kinds:  # all runs of one campaign can be compared with figures
        kinds = [
            name
            for label, name in SIDES.items()
            if of_origin.filter(pl.col("label") == label).height
        ][:1]
    return kinds + figures if kinds else []


def _factors(reader: Reader, origin: str) -> dict[str, list[str]]:
    labels = {"campaign", "machine", "mq_level"}
    factor_rows = queries.factor_levels(reader, origin)
    return {name: levels for name, levels in factor_rows.items() if name not in labels}


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
        condition = {"campaign": campaign} if campaign else {}
        return {FIRST_BUILD: start, LAST_BUILD: end, **condition, "origin": origin}
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
        f"{key.capitalize()}: {small(factor_label(name))}", rest, key, default=first,
        shown=lambda level: _level_label(name, level),
    )  # fmt: skip
    return {name: None if level == NOT_SET else level, "origin": origin}


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
        for name, role in levels.items()
        if name not in chosen
        for level in role
    }
    names = {name.removeprefix("x_"): name for name in levels if name not in {*chosen, "campaign"}}
    left, middle, right = st.columns(3)
    with left:
        picked = filters.choices(
            "Only runs with", list(options), "held", placeholder="any factor",
            shown=lambda option: f"{factor_label(options[option][0])}: "
            f"{_level_label(*options[option])}",
        )  # fmt: skip
    with middle:
        ignored = filters.choices(
            "Ignore, when runs are matched", list(names), "ignore", placeholder="nothing",
            shown=lambda name: factor_label(names[name]),
        )  # fmt: skip
    with right:
        kinds = ["whole runs", _PARTS] if chosen & figures else ["whole runs", _ONE_SPEED, _PARTS]
        metrics = filters.switch("Metrics", kinds, "figures")
    held: dict[str, list[str | None]] = {}
    for option in picked:
        name, level = options[option]
        held.setdefault(name, []).append(None if level == NOT_SET else level)
    return held, [names[name] for name in ignored], metrics


def _level_label(name: str, level: str) -> str:
    return level if level == NOT_SET else level_label(name, level)


if __name__ == "__main__":
    draw(session.reader())
