"""The documents' published figures by file size, each beside a baseline."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.dashboard import components, filters
from app.dashboard.charts.bars import bars
from app.dashboard.charts.published import by_size, short_labels
from app.dashboard.charts.style import AnyChart
from app.dashboard.queries import published as queries
from app.dashboard.reader import Reader

_MOST_DRAWN = 8  # as many colours as a chart can tell apart
_DRAWN_AT_FIRST = 6
_FACTORS_IN_VIEW = 4
_KINDS = ("rate", "cost", "time", "utilisation", "ratio")


def draw(reader: Reader) -> None:
    """Draw the page."""
    sections = queries.sections(reader)
    if sections.is_empty():
        components.header("Published figures", "")
        components.empty(
            "No published figures are loaded.",
            "perfhouse ingest data/published && perfhouse build && perfhouse check "
            "&& perfhouse publish",
        )
        return
    with st.sidebar:
        document, section = _place(sections)
        baseline = _baseline(reader, document, section)
    figures = _figures(reader, document, section, baseline)
    with st.sidebar:
        figures = _narrowed(figures)
    row = sections.filter(pl.col("document_id") == document, pl.col("section") == section)
    components.header("Published figures", row["citation"].item(), "published")
    if figures.is_empty():
        st.info("No figure of this section has all of the chosen factors.", icon=":material/tune:")
        return
    drawn, figures = _drawn(figures)
    _charts(drawn)
    _table(figures)


def _place(sections: pl.DataFrame) -> tuple[str, str]:
    titles = dict(sections.select("document_id", "title").unique().iter_rows())
    best = sections.sort("has_rate_and_cost", "figures", descending=True).row(0, named=True)
    document = filters.choice(
        "Document",
        sections["document_id"].unique(maintain_order=True).to_list(),
        "document",
        default=best["document_id"],
        names=lambda key: f"{key} {titles[key] or ''}",
    )
    here = sections.filter(pl.col("document_id") == document)
    counts = dict(here.select("section", "figures").iter_rows())
    section = filters.choice(
        "Section",
        here["section"].to_list(),
        "section",
        default=here.sort("has_rate_and_cost", "figures", descending=True)["section"].item(0),
        names=lambda key: f"{key} ({counts[key]} figures)",
    )
    return document, section


def _baseline(reader: Reader, document: str, section: str) -> str | None:
    """The chosen baseline: the name of a kept set, or `configuration:<id>`, or None."""
    sets = queries.baseline_sets(reader, document, section)
    names = dict(sets.select("baseline_set", "description").iter_rows())
    default = sets["baseline_set"].item(0) if sets.height else None
    figures = queries.figures(reader, document, section, baseline_set=default)
    of_section = figures.filter(pl.col("configuration_id").is_not_null())
    labels = dict(
        of_section.select("configuration_id", "configuration")
        .unique(maintain_order=True)
        .iter_rows()
    )
    short = short_labels(list(labels.values()))
    names |= {key: f"Row: {short[label]}" for key, label in labels.items()}
    if not names:
        return None
    return filters.choice(
        "Baseline",
        list(names),
        "baseline",
        names=lambda key: names[key],
        help="What each figure is divided by: a baseline that the warehouse keeps, or any row.",
    )


def _figures(reader: Reader, document: str, section: str, baseline: str | None) -> pl.DataFrame:
    sets = queries.baseline_sets(reader, document, section)
    default = sets["baseline_set"].item(0) if sets.height else None
    if baseline is None or baseline in set(sets["baseline_set"]):
        return queries.figures(reader, document, section, baseline_set=baseline)
    return queries.figures(
        reader, document, section, baseline_set=default, baseline_configuration=baseline
    )


def _narrowed(figures: pl.DataFrame) -> pl.DataFrame:
    """The figures that have the chosen factors; only factors that differ here can be chosen."""
    differing = {
        column: figures[column].drop_nulls().unique().sort().to_list()
        for column in queries.FACTORS
        if figures[column].drop_nulls().n_unique() > 1
    }
    first = list(differing)[:_FACTORS_IN_VIEW]
    rest = list(differing)[_FACTORS_IN_VIEW:]
    wanted = {column: _chosen(column, differing[column]) for column in first}
    if rest:
        with st.expander("More factors"):
            wanted |= {column: _chosen(column, differing[column]) for column in rest}
    for column, values in wanted.items():
        if values:
            figures = figures.filter(pl.col(column).is_in(values))
    return figures


def _chosen(column: str, values: list[Any]) -> list[Any]:
    names = filters.choices(
        queries.FACTORS[column], [_text(value) for value in values], column.replace("_", "-")
    )
    return [value for value in values if _text(value) in names]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _drawn(figures: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The figures to draw, and all of them, with configurations by their short names."""
    labels = figures["configuration"].drop_nulls().unique(maintain_order=True).to_list()
    short = short_labels(labels)
    figures = figures.with_columns(pl.col("configuration").replace(short))
    names = list(dict.fromkeys(short.values()))
    chosen = filters.choices(
        f"Configurations drawn, of {len(names)}",
        names,
        "drawn",
        default=names[:_DRAWN_AT_FIRST],
        most=_MOST_DRAWN,
        placeholder="choose up to 8",
    )
    common = _common(labels)
    if common:
        st.caption(f"All of them: {common}.")
    return figures.filter(pl.col("configuration").is_in(chosen)), figures


def _common(labels: list[str]) -> str:
    if len(labels) < 2:
        return ""
    shared = set.intersection(*(set(label.split(", ")) for label in labels))
    return ", ".join(part for part in labels[0].split(", ") if part in shared)


def _charts(drawn: pl.DataFrame) -> None:
    order = drawn["configuration"].unique(maintain_order=True).to_list()
    with_value = drawn.filter(pl.col("value").is_not_null())
    metrics = (
        with_value.select("metric", "metric_kind", "unit")
        .unique(maintain_order=True)
        .sort(pl.col("metric_kind").replace_strict({k: i for i, k in enumerate(_KINDS)}, default=9))
    )
    with components.panels():
        for metric, _, unit in metrics.iter_rows():
            shown = with_value.filter(pl.col("metric") == metric).with_columns(
                pl.col("note").fill_null("")
            )
            sized = shown.filter(pl.col("file_size_mb").is_not_null())
            components.panel(
                f"{_title(metric)} by file size" if sized.height else _title(metric),
                by_size(sized, unit=unit or "", order=order)
                if sized.height
                else _by_name(shown, unit or ""),
            )
    notes = ["MB is 2^20 bytes and GB 2^30 bytes in these documents."]
    if with_value["is_suspect"].any():
        notes.append("A dashed ring marks a figure that is in doubt; its note says why.")
    missing = drawn.filter(pl.col("value").is_null()).select("metric", "unavailable_reason")
    for metric, reason in missing.unique().sort("metric").iter_rows():
        notes.append(f"{_title(metric)}: {reason}.")
    st.caption(" ".join(notes))


def _by_name(shown: pl.DataFrame, unit: str) -> AnyChart:
    """Figures that belong to no file size: a bar each, told apart by message size if any."""
    named = shown.with_columns(
        name=pl.concat_str(
            ["configuration", pl.format("{} B", "message_size_bytes")],
            separator=", ",
            ignore_nulls=True,
        )
    )
    return bars(named, name="name", value="value", unit=unit)


def _title(metric: str) -> str:
    text = metric.replace("_", " ").replace("ziip", "zIIP")
    return text[0].upper() + text[1:]


def _table(figures: pl.DataFrame) -> None:
    components.section("Against the baseline", "Every figure of the chosen factors, drawn or not.")
    components.table(
        figures.filter(pl.col("value").is_not_null()).with_columns(
            metric=pl.col("metric").map_elements(_title, return_dtype=pl.String),
            remark=pl.concat_str(
                pl.when("is_baseline").then(pl.lit("baseline")),
                pl.when("is_suspect").then(pl.lit("in doubt")),
                "note",
                separator=": ",
                ignore_nulls=True,
            ),
        ),
        "published_comparison",
        columns={
            "configuration": st.column_config.TextColumn("Configuration", width="large"),
            "file_size_mb": st.column_config.NumberColumn("File, MB", format="localized"),
            "metric": st.column_config.TextColumn("Metric"),
            "value": st.column_config.NumberColumn("Figure", format="%,.2f"),
            "unit": st.column_config.TextColumn("Unit", width="small"),
            "baseline_value": st.column_config.NumberColumn("Baseline", format="%,.2f"),
            "ratio": st.column_config.NumberColumn("To baseline", format="%.2f"),
            "change_percent": st.column_config.NumberColumn("Change, %", format="%+.1f"),
            "remark": st.column_config.TextColumn("Remark", width="medium"),
            "table_id": st.column_config.TextColumn("Table", width="small"),
        },
    )
