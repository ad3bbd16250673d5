"""The tables of a section as printed, each figure with ours or the model's beside it."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import polars as pl
import streamlit as st

from app.charts.published import beside_by_name, beside_by_size
from app.dashboard import components, filters, units
from app.results.labels import factor_label, metric_label, short_labels, unit_label
from app.results.queries import published as queries
from app.results.reader import Reader
from app.results.words import counted, listed
from models_sim.predict import predict

__all__ = ["draw"]

_PRINTED = "printed"
_MOST_DRAWN = 12  # configurations
_BARS = "Bars: printed from-to values, and the models' 10-90 % bands."
_ON_ITS_OWN = ("display", "setting")  # kinds of metrics that nothing is compared with
_SIZES = {"file_size_mb": "file size, MB (log scale)",
          "message_size_bytes": "message size, bytes (log scale)"}  # fmt: skip
_OURS, _MODEL, _NOTHING = "our runs", "the model", "nothing"
_PINNED = 3  # headings that stay in sight on a narrow page
_HALF = 520  # pixels that a table may take beside another
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Factors as the documents head their columns; the others are called what they are anywhere.
_HEADINGS = {
    "row_label": "Row",
    "source_system": "Source",
    "target_system": "Target",
    "target_printed": "Target",
    "compression": "COMPMSG",
    "put_to_waiting_getter": "P2WG",
    "batch_interval_ms": "BATCHINT",
    "file_size_mb": "File size",
    "latency_km": "Latency, km",
    "loss_percent": "Loss, %",
    "message_size": "Size",
    "transfer": "Transfer",
    "cpus": "CPUs",
    "metric": "Figure",
}
# Factors that a table may have throughout, and that name no row or column of it.
_COMMON = (
    "mode", "source_system", "target_system", "network", "queue_type", "tls", "ams", "compression",
    "protocol", "connection", "chunk_size_printed", "machine", "compared_with_machine",
    "message_size",
)  # fmt: skip


def draw(reader: Reader, document: str, place: str) -> None:
    """Draw the tables of a section, each figure with ours beside it, and all figures as a list."""
    layouts = queries.tables(reader, document, place)
    if layouts.is_empty():
        components.info(
            "This section prints no table. What it claims in prose is under Claims.", "notes"
        )
        return
    cells = queries.cells(reader, document, place)
    answers = _predictions(reader, reader.version, document)
    cells = cells.join(answers, on="cell_id", how="left", maintain_order="left")
    if filters.switch("As", [_PRINTED, "charts"], "as") != _PRINTED:
        for layout in layouts.iter_rows(named=True):
            components.section(f"{layout['table_id']}: {layout['title']}")
            _charts(cells.filter(pl.col("table_id") == layout["table_id"]))
        return
    second_figure = filters.switch("Beside each figure", [_OURS, _MODEL, _NOTHING], "beside")
    _say_beside(cells, second_figure)
    grid = components.panels()
    for layout in layouts.iter_rows(named=True):
        of_table = cells.filter(pl.col("table_id") == layout["table_id"])
        if of_table.is_empty():
            continue
        printed = _laid_out(of_table, layout, second_figure)
        wide = sum(_width(name, printed[name]) for name in printed.columns) > _HALF
        with st.container() if wide else grid:
            _printed(of_table, layout, printed)
    _footnotes(reader, cells)
    _every_figure(cells, document)


@lru_cache(maxsize=16)
def _predictions(reader: Reader, version: object, document: str) -> pl.DataFrame:
    """Return what the models predict for the cells of a document: cell_id, predicted, low, high."""
    del version  # the answer belongs to it
    rows = queries.raw_cells(reader, document)
    return predict(rows).select(
        pl.col("cell_id").cast(pl.Int64), "predicted", predicted_low="low", predicted_high="high"
    )


def _say_beside(cells: pl.DataFrame, beside: str) -> None:
    if beside == _OURS:
        compared = cells.drop_nulls("ours")
        origins = listed(sorted(set(compared["ours_origin"])))
        if compared.is_empty():
            components.note(
                "No complete run that is loaded has the configuration of a figure here."
            )
        else:
            components.note(
                f"After the dot: the mean of our {origins} runs with that configuration, and its "
                "difference from the printed figure, of a percentage in points "
                f"({compared.height} of {cells.height} figures)."
            )
    elif beside == _MODEL:
        predicted = cells["predicted"].count()
        components.note(
            "After the dot: what the model expects, and its difference from the printed figure, of "
            f"a percentage in points ({predicted} of {cells.height} figures). The models are "
            "fitted to these documents."
        )


def _charts(cells: pl.DataFrame) -> None:
    """Draw the figures of a table beside those of our runs and of the models."""
    name = pl.coalesce("configuration_label", "row_label", "metric")
    numbers = cells.filter(
        pl.col("value").is_not_null(), ~pl.col("metric_kind").is_in(_ON_ITS_OWN)
    ).with_columns(configuration=name)
    if numbers.is_empty():
        components.note("Nothing is compared with this table: a display or settings of a system.")
        return
    labels = numbers["configuration"].unique(maintain_order=True).to_list()
    if len(labels) > _MOST_DRAWN:
        components.note(f"The first {_MOST_DRAWN} of {len(labels)} configurations.")
    numbers = numbers.filter(pl.col("configuration").is_in(labels[:_MOST_DRAWN])).with_columns(
        pl.col("configuration").replace(short_labels(labels[:_MOST_DRAWN]))
    )
    for (metric, unit), rows in numbers.group_by("metric", "unit", maintain_order=True):
        shown, title = unit_label(str(unit or "")), metric_label(str(metric))
        size = next((s for s in _SIZES if _is_over(rows, s)), None)
        if size is None:
            drawn = _sources(rows.with_columns(name=_names(rows)).with_row_index("place"))
            components.panel(title, beside_by_name(drawn.sort("place"), unit=shown), help=_BARS)
            continue
        components.name(title, help=_BARS)
        drawn = _sources(rows)
        ends = drawn.select(
            low=pl.min_horizontal(pl.col("value", "low").min()),
            high=pl.max_horizontal(pl.col("value", "high").max()),
        ).row(0)
        with st.grid(3, min_column_width=260, gap="small"):
            for index, ((configuration,), own) in enumerate(
                drawn.group_by("configuration", maintain_order=True)
            ):
                chart = beside_by_size(
                    own, size=size, title=_SIZES[size], unit=shown, ends=ends, key=index == 0
                )
                components.panel(str(configuration), chart)


def _is_over(rows: pl.DataFrame, size: str) -> bool:
    """Return whether each configuration has one figure for each of several sizes."""
    return (
        rows[size].null_count() == 0
        and rows[size].n_unique() > 1
        and float(rows[size].min() or 0) > 0  # type: ignore[arg-type]
        and not rows.select("configuration", size).is_duplicated().any()
    )


def _names(rows: pl.DataFrame) -> pl.Series:
    """Return a name for each figure that no other one of the table has."""
    several = ("address_space", "message_size", "row_label", "machine", "file_size_mb", "cell_id")
    parts = [pl.col("configuration").cast(pl.String)]
    names = rows.select(pl.concat_str(parts)).to_series()
    for column in several:
        if names.is_duplicated().any() and rows[column].n_unique() > 1:
            parts.append(pl.format("{} MB" if column == "file_size_mb" else "{}", column))
            names = rows.select(pl.concat_str(parts, separator=", ", ignore_nulls=True)).to_series()
    return names


def _sources(rows: pl.DataFrame) -> pl.DataFrame:
    """Return one row per figure and where it comes from, with value, low and high."""
    is_change = (rows["metric_kind"] == "change").all()
    none = pl.lit(None, pl.Float64)
    captions = []
    for source, value, low, high in (
        (pl.lit("published"), "value", pl.col("value_low"), pl.col("value_high")),
        (pl.col("ours_origin"), "ours", none, none),
        (pl.lit("predicted"), "predicted", pl.col("predicted_low"), pl.col("predicted_high")),
    ):
        apart = pl.col(value) - pl.col("value")
        apart = apart if is_change else 100 * apart / pl.col("value")
        words = pl.format("{} {}", apart.round(1), pl.lit("points" if is_change else "%"))
        captions.append(
            rows.with_columns(
                source=source, value=pl.col(value).cast(pl.Float64),
                low=low.cast(pl.Float64), high=high.cast(pl.Float64),
                difference=words if value != "value" else pl.lit(None, pl.String),
            ).drop_nulls("value")
        )  # fmt: skip
    return pl.concat(captions)


def _laid_out(cells: pl.DataFrame, layout: dict[str, Any], beside: str) -> pl.DataFrame:
    """Return a table as it is printed: a row per row, with headings, and a text per figure."""
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    headings = [_heading(factor) for factor in layout["row_factors"]]
    columns: dict[str, None] = {}
    one_unit = cells["unit"].n_unique() == 1
    shared = _shared_footnotes(cells)
    for cell in cells.iter_rows(named=True):
        key = tuple(_said(factor, cell, one_unit) for factor in layout["row_factors"])
        named = [_said(factor, cell, one_unit) for factor in layout["column_factors"]]
        column = ", ".join(part for part in named if part) or "Value"
        columns[column] = None
        rows.setdefault(key, {})[column] = _cell_text(cell, beside, shared)
    return pl.DataFrame(
        [
            {**dict(zip(headings, key, strict=True)), **{c: texts.get(c) for c in columns}}
            for key, texts in rows.items()
        ],
        infer_schema_length=None,
    )


def _heading(factor: str) -> str:
    return _HEADINGS.get(factor) or factor_label(factor)


def _said(factor: str, cell: dict[str, Any], one_unit: bool) -> str:
    """Return the setting of a factor as a table shows it."""
    value = cell[factor]
    if factor == "metric":
        has_unit = one_unit or cell["unit"] in (None, "count") or "%" in value + cell["printed"]
        return (
            metric_label(value)
            if has_unit
            else f"{metric_label(value)}, {unit_label(cell['unit'])}"
        )
    if factor == "is_after_ziip_offload":
        return "after zIIP offload" if value else ""
    if factor == "zhpf" and cell["table_id"] == "ioping":
        return "with zHPF" if value else "without zHPF"
    if factor == "file_size_mb" and value is not None:
        return f"{value / 1024:g} GB" if value >= 1024 else f"{value} MB"
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Y" if value else "N"
    if value == "none":
        return "N"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shared_footnotes(cells: pl.DataFrame) -> set[int]:
    """Return the slips that concern all figures of a table: they are marked at its title."""
    return set.intersection(*(set(numbers) for numbers in cells["anomaly_ids"].to_list()))


def _marks(numbers: Collection[int]) -> str:
    return " ".join(str(number).translate(_SUPERSCRIPT) for number in sorted(numbers))


def _cell_text(cell: dict[str, Any], beside: str, shared: set[int]) -> str:
    """Return a printed figure with its own footnotes, and what stands beside it."""
    marks = _marks(set(cell["anomaly_ids"]) - shared)
    text = f"{cell['printed']} {marks}".strip()
    other = {_OURS: cell["ours"], _MODEL: cell["predicted"]}.get(beside)
    if other is None or cell["value"] is None:
        return text
    if not cell["value"]:
        return f"{text} · {units.number(other)}"
    if cell["unit"] == "%":
        return f"{text} · {units.number(other)} ({other - cell['value']:+.1f})"
    apart = round(100 * (other / cell["value"] - 1))
    return f"{text} · {units.number(other)} ({f'{apart:+d}' if apart else '0'} %)"


def _printed(cells: pl.DataFrame, layout: dict[str, Any], printed: pl.DataFrame) -> None:
    stated = [unit for unit in cells["unit"].unique(maintain_order=True) if unit]
    unit = f", {unit_label(stated[0])}" if cells["unit"].n_unique() == 1 and stated else ""
    name = layout["table_id"]
    with st.container(gap="xxsmall"):
        marks = _marks(_shared_footnotes(cells))
        with st.container(horizontal=True, vertical_alignment="center"):
            components.name(f"{name}: {layout['title']}{unit} {marks}".strip())
        components.note(_throughout(cells, layout))
        headings = len(layout["row_factors"])
        components.table(
            printed,
            f"table_{name}",
            is_whole=True,
            columns={
                column: st.column_config.TextColumn(
                    column,
                    alignment="left" if position < headings else "right",
                    width=_width(column, printed[column]),
                    pinned=position < headings <= _PINNED,
                )
                for position, column in enumerate(printed.columns)
            },
        )


def _width(heading: str, texts: pl.Series) -> int:
    """Return how many pixels a column needs, so that no figure is cut off."""
    longest = max(len(heading), int(texts.str.len_chars().max() or 0))  # type: ignore[arg-type]
    return round(20 + 5.9 * longest)


def _throughout(cells: pl.DataFrame, layout: dict[str, Any]) -> str:
    """Say which factors all figures of a table have in common and its headings do not name."""
    named = {*layout["row_factors"], *layout["column_factors"]}
    if "target_printed" in named:
        named.add("target_system")
    remarks = []
    for factor in _COMMON:
        if factor in named or cells[factor].n_unique() != 1 or cells[factor].item(0) is None:
            continue
        value = str(cells[factor].item(0))
        if value == "none":
            value = f"no {_heading(factor) if factor != 'compression' else 'compression'}"
        elif factor == "chunk_size_printed":
            value = f"chunk size {value} B"
        elif factor == "compared_with_machine":
            value = f"against {value}"
        remarks.append(f"{_heading(factor)} {value}" if factor in ("source_system", "target_system")
                    else value)  # fmt: skip
    lines = sorted(set(cells["source_line"].to_list()))
    where = f"Lines {lines[0]} to {lines[-1]}." if len(lines) > 1 else f"Line {lines[0]}."
    return f"All: {', '.join(remarks)}. {where}" if remarks else where


def _footnotes(reader: Reader, cells: pl.DataFrame) -> None:
    numbers = set(cells["anomaly_ids"].explode().drop_nulls())
    if not numbers:
        return
    components.section("Footnotes", "Slips and contradictions of the documents, as found here.")
    for row in (
        queries.slips(reader).filter(pl.col("anomaly_id").is_in(numbers)).iter_rows(named=True)
    ):
        components.note(
            f"{_marks([row['anomaly_id']])} {row['anomaly_kind']}: "
            f"{row['finding'].rstrip('.')}. Treatment: {row['treatment'].rstrip('.')}."
        )


def _every_figure(cells: pl.DataFrame, document: str) -> None:
    components.section("Every figure", "Click a row for what is known about it.")
    cell_id = filters.asked_number("cell")
    numbers = cells["cell_id"].to_list()
    chosen = numbers.index(cell_id) if cell_id in numbers else None
    row = components.pick(
        cells.with_columns(
            configuration=_full_name(),
            difference=100 * (pl.col("ours") / pl.col("value") - 1),
            error=100 * (pl.col("predicted") / pl.col("value") - 1),
        ),
        "every_figure",
        columns={
            "table_id": "Table",
            "configuration": "Configuration",
            "metric": "Metric",
            "printed": st.column_config.TextColumn("Printed", alignment="right"),
            "unit": "Unit",
            "ours": "Ours",
            "difference": st.column_config.NumberColumn("Ours, %", format="%+.1f"),
            "ours_verdict": "Verdict",
            "runs": "Runs",
            "predicted": "Predicted",
            "error": st.column_config.NumberColumn("Predicted, %", format="%+.1f"),
            "note": "Note",
            "cell_id": "Cell",
        },
        chosen=chosen,
    )
    if row:
        _about(row, document)


def _full_name() -> pl.Expr:
    """Return the configuration of a figure with what tells it from others in its table."""
    label = pl.col("configuration_label")
    return pl.concat_str(
        pl.when(label != "no factors").then(label).otherwise("row_label"),
        pl.when(pl.col("configuration_label") != "no factors").then("row_label"),
        pl.when(pl.col("file_size_mb").is_not_null()).then(pl.format("{} MB", "file_size_mb")),
        separator=", ",
        ignore_nulls=True,
    )


def _about(row: dict[str, Any], document: str) -> None:
    """Draw what is known about one figure, and the ways to its evidence."""
    with st.container(border=True):
        components.name(
            f"{metric_label(row['metric'])} {row['printed']}, {row['configuration']}",
        )
        unit = unit_label(row["unit"] or "")
        remarks = [f"Document {document}, table {row['table_id']}, line {row['source_line']}"]
        if row["ours"] is not None:
            remarks.append(
                f"ours {units.quantity(row['ours'], unit)}, the mean of "
                f"{counted(row['runs'], row['ours_origin'] + ' run')}: "
                f"{row['ours_verdict']} ({row['ours_reason']})"
            )
        if row["predicted"] is not None:
            remarks.append(
                f"the model expects {units.quantity(row['predicted'], unit)}, and "
                f"eight of ten between {units.number(row['predicted_low'])} and "
                f"{units.number(row['predicted_high'])}"
            )
        components.note("; ".join(remarks) + ".")
        if row["anomaly_note"]:
            components.info(row["anomaly_note"], "report")
        with st.container(horizontal=True):
            components.link("lineage", "Where it comes from", cell=str(row["cell_id"]))
            if row["run_id"]:
                components.link("run", "The latest such run", run=row["run_id"])
