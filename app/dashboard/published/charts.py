"""The comparable figures of a section as charts, each next to a baseline."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.charts.sizes import by_size
from app.dashboard import components, filters, units
from app.results.labels import metric_label, short_labels, unit_label
from app.results.queries import published as queries
from app.results.reader import Reader

__all__ = ["draw"]

_MOST_DRAWN = 8  # as many colours as a chart can tell apart
_DRAWN_AT_FIRST = 6
_FACTORS_IN_VIEW = 4
_COLUMNS = 2
_KINDS = ("rate", "cost", "time", "utilisation", "ratio", "change", "capacity")


class _Baseline(NamedTuple):
    """A stored set of baselines, and the row chosen instead, if any."""

    kept: str | None
    configuration: str | None = None


def draw(reader: Reader, document: str, place: str) -> None:
    """Draw the comparable figures of a section, and each next to a baseline."""
    cells = queries.cells(reader, document, place)
    section = cells["section"].item(0) if cells.height else ""
    names = cells["table_id"].unique()
    with st.sidebar:
        baseline = _baseline(reader, document, section, names)
    figures = queries.figures(
        reader,
        document,
        section,
        baseline_set=baseline.kept,
        baseline_configuration=baseline.configuration,
    ).filter(pl.col("table_id").is_in(names.implode()))
    if figures.is_empty():
        components.info(
            "This section prints nothing to compare: settings and displays are under Tables, "
            "figures in prose under Claims.",
            "notes",
        )
        return
    with st.sidebar:
        figures = _narrowed(figures)
    if figures.is_empty():
        components.info("No figure in this section matches all filters. Clear one of them.", "tune")
        return
    drawn, figures = _drawn(figures)
    _charts(drawn)
    _table(figures)


def _baseline(reader: Reader, document: str, section: str, tables: pl.Series) -> _Baseline:
    """Return the chosen baseline: one that the warehouse stores, or any row of the section."""
    sets = queries.baseline_sets(reader, document, section)
    kept = {name.replace("_", " "): name for name in sets["baseline_set"]}
    default = sets["baseline_set"].item(0) if sets.height else None
    figures = queries.figures(reader, document, section, baseline_set=default).filter(
        pl.col("table_id").is_in(tables.implode())
    )
    if figures.is_empty():
        return _Baseline(None)
    labels = dict(
        figures.filter(pl.col("configuration_id").is_not_null())
        .select("configuration", "configuration_id")
        .unique(maintain_order=True)
        .iter_rows()
    )
    short = short_labels(list(labels))
    rows = {f"row: {short[label]}": identity for label, identity in labels.items()}
    chosen = filters.choice(
        "Baseline",
        [*kept, *rows],
        "baseline",
        help="Each figure is compared with this: a stored baseline, or any row.",
    )
    if chosen in rows:
        return _Baseline(default, rows[chosen])
    described = sets.filter(pl.col("baseline_set") == kept[chosen])
    components.note(described["description"].item())
    return _Baseline(kept[chosen])


def _narrowed(figures: pl.DataFrame) -> pl.DataFrame:
    """Return the figures that match the filters; only factors that differ here have a filter."""
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
    """Return the figures to draw, and all figures, with short configuration names."""
    labels = figures["configuration"].drop_nulls().unique(maintain_order=True).to_list()
    short = short_labels(labels)
    figures = figures.with_columns(pl.col("configuration").replace(short))
    names = list(dict.fromkeys(short.values()))
    first = names[:_DRAWN_AT_FIRST]
    chosen = filters.choices(
        f"Configurations in the charts (of {len(names)})",
        names,
        "drawn",
        default=first,
        most=_MOST_DRAWN,
        placeholder=f"the first {_DRAWN_AT_FIRST}",
    )
    common = _common(labels)
    if common:
        components.note(f"All configurations: {common}.")
    return figures.filter(pl.col("configuration").is_in(chosen or first)), figures


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
        for place, (metric, _, unit) in enumerate(metrics.iter_rows()):
            shown = with_value.filter(pl.col("metric") == metric)
            sized = shown.filter(pl.col("file_size_mb").is_not_null())
            if sized.height:
                title = f"{metric_label(metric)} by file size"
                # The charts of the first row have the legend.
                chart = by_size(
                    sized.with_columns(pl.col("note").fill_null("")),
                    unit=unit_label(unit or ""),
                    order=order,
                    details={"ratio": "ratio to baseline", "note": "note"},
                    key=place < _COLUMNS,
                )
            else:
                title = metric_label(metric)
                chart = bars(
                    _named(shown),
                    name="name",
                    value="value",
                    unit=unit_label(unit or ""),
                    series="configuration",
                    order=order,
                )
            components.panel(title, chart)
    notes = ["In these documents, MB is 2²⁰ bytes and GB 2³⁰ bytes."]
    if with_value["is_suspect"].any():
        notes.append("A dashed ring marks a doubtful figure; its tooltip says why.")
    missing = drawn.filter(
        pl.col("value").is_null(), ~pl.col("metric").is_in(metrics["metric"].to_list())
    )
    for metric, reason in missing.select("metric", "unavailable_reason").unique().iter_rows():
        notes.append(f"{metric_label(metric)}: {reason}.")
    components.note(" ".join(notes))


def _named(figures: pl.DataFrame) -> pl.DataFrame:
    """Add a name that is unique within one configuration and file size."""
    return figures.with_columns(
        name=pl.concat_str(
            pl.col("configuration"),
            pl.col("address_space"),
            pl.col("message_size_bytes").map_elements(units.byte_count, return_dtype=pl.String),
            separator=", ",
            ignore_nulls=True,
        )
    )


def _table(figures: pl.DataFrame) -> None:
    components.section(
        "Compared with the baseline", "Every figure that matches the filters, in the charts or not."
    )
    components.table(
        _named(figures.filter(pl.col("value").is_not_null())).with_columns(
            metric=pl.col("metric").map_elements(metric_label, return_dtype=pl.String),
            unit=pl.col("unit").map_elements(unit_label, return_dtype=pl.String),
            remark=pl.concat_str(
                pl.when("is_baseline").then(pl.lit("baseline")),
                pl.when("is_suspect").then(pl.lit("doubtful")),
                "note",
                separator=": ",
                ignore_nulls=True,
            ),
        ),
        "published_comparison",
        columns={
            "name": "Configuration",
            "file_size_mb": "File, MB",
            "metric": "Metric",
            "value": "Figure",
            "unit": "Unit",
            "baseline_value": "Baseline",
            "ratio": "Ratio to baseline",
            "change_percent": st.column_config.NumberColumn("Change, %", format="%+.1f"),
            "remark": "Remark",
            "table_id": "Table",
        },
    )
