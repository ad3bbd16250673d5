"""A published table drawn with the runs of its configurations, and what the models predict."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.charts.published import SOURCES, beside_by_name, beside_by_size
from app.dashboard import components, filters
from app.results.labels import metric_label, short_labels, unit_label
from app.results.queries import presets as queries
from app.results.reader import Reader
from models_sim.predict import predict

__all__ = ["draw_preset", "with_predictions"]

_DRAWN_AT_FIRST = 6
_MOST_DRAWN = 24
_NEAR = 0.1  # percent: figures that are nearer are the same within any noise
_BARS = "Bars: printed from-to values, 95 % intervals of runs, the models' 10-90 % bands."
_ON_ITS_OWN = ("display", "setting")  # metrics that nothing is compared with
_SIZES = {"file_size_mb": "file size, MB (log scale)",
          "message_size_bytes": "message size, bytes (log scale)"}  # fmt: skip


def draw_preset(reader: Reader, table: dict[str, Any]) -> None:
    """Draw the charts and the figures of a table: a row of `app.results.queries.presets.tables`."""
    components.note(f"{_place(table)} {table['citation']}.")
    figures = with_predictions(reader, table["document_id"], table["table_id"])
    numbers = figures.filter(
        pl.col("value").is_not_null(), ~pl.col("metric_kind").is_in(_ON_ITS_OWN)
    )
    if numbers.is_empty():
        components.info(
            "Nothing is compared with this table: it shows what a display or the settings of a "
            "system were. It is here as printed.",
            "text_snippet",
        )
    else:
        components.note(_said(figures))
        _charts(_drawn(numbers))
    _table(figures)


def _place(table: dict[str, Any]) -> str:
    """Say what a table shows and where it is printed."""
    name = table["table_id"]
    where = name if name.startswith("Table") else f"table {name}"
    section = table["section"] or ""
    place = f"section {section}" if section[:1].isdigit() else section
    found = f"{place}, {where}" if place else where
    return f"{table['title']}: {found}." if table["title"] else f"{found[:1].upper()}{found[1:]}."


def with_predictions(reader: Reader, document: str, table: str) -> pl.DataFrame:
    """Return the cells of a table with their runs, and predicted, predicted_low and _high.

    Also `configuration`, a name; and the differences of measured, simulated and predicted from the
    figure: in percent of it, or in points, if the figure itself is a change in percent.
    """
    answers = predict(queries.cells_of(reader, document, table)).select(
        "cell_id", "predicted", predicted_low="low", predicted_high="high"
    )
    figures = queries.figures(reader, document, table).join(answers, on="cell_id", how="left")
    stated = pl.col("metric_kind").is_in(_ON_ITS_OWN)  # a model only repeats these
    return figures.with_columns(
        pl.when(~stated).then(pl.col(name)).alias(name)
        for name in ("predicted", "predicted_low", "predicted_high")
    ).with_columns(
        pl.coalesce("configuration_label", "row_label", "metric").alias("configuration"),
        *(
            pl.when(metric_kind="change")
            .then(pl.col(source) - pl.col("value"))
            .when(pl.col("value") != 0)
            .then(100 * (pl.col(source) / pl.col("value") - 1))
            .alias(f"{source}_difference")
            for source in SOURCES
            if source != "published"
        ),
    )


def _drawn(numbers: pl.DataFrame) -> pl.DataFrame:
    """Return the figures of the configurations to draw, with short names."""
    labels = numbers["configuration"].unique(maintain_order=True).to_list()
    short = short_labels(labels)
    numbers = numbers.with_columns(pl.col("configuration").replace(short))
    names = list(dict.fromkeys(short.values()))
    if len(names) <= _DRAWN_AT_FIRST:
        return numbers
    chosen = filters.choices(
        f"Configurations in the charts (of {len(names)})", names, "drawn",
        default=names[:_DRAWN_AT_FIRST], most=_MOST_DRAWN,
        placeholder=f"the first {_DRAWN_AT_FIRST}",
    )  # fmt: skip
    return numbers.filter(pl.col("configuration").is_in(chosen or names[:_DRAWN_AT_FIRST]))


def _said(figures: pl.DataFrame) -> str:
    """Say how many figures have runs and predictions, and how far these are from them."""
    known = figures.filter(pl.col("value").is_not_null())
    told = [f"{figures.height} figures."]
    for source, what in (
        ("measured", "have measured runs"),
        ("simulated", "have simulated runs"),
        ("predicted", "are predicted by the models, which are fitted to them"),
    ):
        there = known.filter(pl.col(source).is_not_null())
        if there.height:
            apart = there[f"{source}_difference"].abs().median()
            if apart is None:
                near = ""
            elif apart == 0:
                near = ", at least half of them exactly"
            else:
                most = float(apart)  # type: ignore[arg-type]
                shown = f"{most:.1f}" if most >= _NEAR else f"less than {_NEAR}"
                near = f": half of these within {shown} {_unit(known)}"
            told.append(f"{there.height} {what}{near}.")
    if not (figures["measured_runs"] + figures["simulated_runs"] > 0).any():
        unpredicted = known["predicted"].is_null().all()
        told.append(
            "No run is loaded that has one of these configurations"
            + (", and no model predicts them." if unpredicted else ".")
        )
    return " ".join(told)


def _unit(figures: pl.DataFrame) -> str:
    """Return the unit of differences."""
    return "points" if (figures["metric_kind"] == "change").all() else "%"


def _long(figures: pl.DataFrame) -> pl.DataFrame:
    """Return one row per figure and source, with value, low and high."""
    unit = _unit(figures)
    return pl.concat(
        figures.with_columns(
            source=pl.lit(source),
            value=pl.col("value" if source == "published" else source),
            low=pl.col("value_low" if source == "published" else f"{source}_low"),
            high=pl.col("value_high" if source == "published" else f"{source}_high"),
            difference=pl.lit(None, pl.String)
            if source == "published"
            else pl.format("{} {}", pl.col(f"{source}_difference").round(1), pl.lit(unit)),
        ).filter(pl.col("value").is_not_null())
        for source in SOURCES
    )


def _charts(drawn: pl.DataFrame) -> None:
    for (metric, unit), rows in drawn.group_by("metric", "unit", maintain_order=True):
        shown = unit_label(str(unit or ""))
        title = metric_label(str(metric))
        size = next((s for s in _SIZES if _is_over(rows, s)), None)
        if size is None:
            named = _in_rows(_long(rows.with_columns(name=_name(rows))), rows)
            components.panel(title, beside_by_name(named, unit=shown), help=_BARS)
            continue
        components.name(title, help=_BARS)
        long = _long(rows)
        ends = long.select(
            low=pl.min_horizontal(pl.col("value").min(), pl.col("low").min()),
            high=pl.max_horizontal(pl.col("value").max(), pl.col("high").max()),
        ).row(0)
        with st.grid(3, min_column_width=260, gap="small"):
            for place, (name, own) in enumerate(
                long.group_by("configuration", maintain_order=True)
            ):
                components.panel(
                    str(name[0]),
                    beside_by_size(
                        own, size=size, title=_SIZES[size], unit=shown, ends=ends, key=place == 0
                    ),
                )


def _is_over(rows: pl.DataFrame, size: str) -> bool:
    """Return whether each configuration has one figure for each of several sizes."""
    return (
        rows[size].null_count() == 0
        and rows[size].n_unique() > 1
        and float(rows[size].min() or 0) > 0  # type: ignore[arg-type]
        and not rows.select("configuration", size).is_duplicated().any()
    )


def _name(rows: pl.DataFrame) -> pl.Series:
    """Return a name for each figure that no other one of the table has."""
    parts = [
        pl.col("configuration"),
        *(
            pl.col(column)
            for column in ("address_space", "message_size", "row_label", "machine")
            if rows[column].n_unique() > 1
            and not (column == "row_label" and rows["address_space"].n_unique() > 1)
        ),
        *([pl.format("{} MB", "file_size_mb")] if rows["file_size_mb"].n_unique() > 1 else []),
    ]
    names = rows.select(pl.concat_str(parts, separator=", ", ignore_nulls=True)).to_series()
    if names.is_duplicated().any():
        numbered = rows.select(pl.concat_str(names, pl.format("cell {}", "cell_id"),
                                             separator=", "))  # fmt: skip
        return numbered.to_series()
    return names


def _in_rows(named: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    place = {cell: i for i, cell in enumerate(rows["cell_id"])}
    return named.sort(pl.col("cell_id").replace_strict(place), maintain_order=True)


def _table(figures: pl.DataFrame) -> None:
    unit = _unit(figures)
    components.section(
        "The table",
        None
        if figures["metric_kind"].is_in(_ON_ITS_OWN).all()
        else "Differences are in percent of the printed figure."
        if unit == "%"
        else "Differences are in points, as the figures are changes in percent.",
    )
    shown = figures.with_columns(
        pl.col("configuration").replace(short_labels(figures["configuration"].to_list())),
        size=pl.coalesce(
            pl.format("{} MB", pl.col("file_size_mb").cast(pl.Int64, strict=False)),
            pl.col("message_size"),
        ),
        remark=pl.concat_str(
            pl.when("is_suspect").then(pl.lit("doubtful")), "note", separator=": ",
            ignore_nulls=True,
        ),
    ).with_columns(pl.col("measured_runs", "simulated_runs").replace(0, None))  # fmt: skip
    columns: dict[str, Any] = {
        "configuration": ("Configuration", 170),
        "size": ("Size", 70),
        "address_space": ("Address space", 110),
        "metric": ("Metric", 110),
        "printed": ("Published", 80),
        "unit": ("Unit", 75),
    }
    for source in ("measured", "simulated", "predicted"):
        columns |= {
            source: (source.capitalize(), 80),
            f"{source}_difference": st.column_config.NumberColumn(
                f"Difference, {unit}", format="%+.1f", width=95 if unit == "%" else 120
            ),
        }
        if source != "predicted":
            columns[f"{source}_runs"] = ("Runs", 50)
    columns["remark"] = "Remark"
    components.table(shown, "published_table", columns=columns)
