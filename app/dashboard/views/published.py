"""The published documents: their tables as printed, charts, claims and slips, with ours beside."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from shlex import quote
from typing import Any, NamedTuple

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.charts.sizes import by_size
from app.dashboard import components, filters, session, units
from app.pipeline.places import FILES
from app.results.labels import metric_label, short_labels, unit_label
from app.results.queries import published as queries
from app.results.reader import Reader
from models_sim.calibration.claims import predicted as predicted_claims
from models_sim.predict import predict

_MOST_DRAWN = 8  # as many colours as a chart can tell apart
_DRAWN_AT_FIRST = 6
_FACTORS_IN_VIEW = 4
_COLUMNS = 2
_KINDS = ("rate", "cost", "time", "utilisation", "ratio", "change", "capacity")
_ALL = "all"
_OURS, _MODEL, _NOTHING = "our runs", "the model", "nothing"
_TALL = 60  # rows that a page shows at once
_PINNED = 3  # headings that stay in sight on a narrow page
_HALF = 520  # pixels that a table may take beside another
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Factors as the documents head their columns; the others as the filters call them.
_HEADINGS = {
    "row_label": "Row",
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


def draw(reader: Reader) -> None:
    """Draw the page."""
    places = queries.places(reader)
    if places.is_empty():
        components.header("Published figures")
        components.empty(
            "No published figures are loaded.", f"run {quote(str(FILES))}/data/published"
        )
        return
    with st.sidebar:
        document, place = _place(reader, places)
    row = places.filter(pl.col("document_id") == document, pl.col("place") == place)
    components.header("Published figures", row["citation"].item(), "published")
    views = {"Tables": _section, "Charts": _charted, "Claims": _claims, "Slips": _slips}
    views[filters.switch("Show", list(views), "show")](reader, document, place)


def _place(reader: Reader, places: pl.DataFrame) -> tuple[str, str]:
    """Return the chosen document and section; by default, the one with most rates and costs."""
    best = places.sort("has_rate_and_cost", "figures", descending=True)
    if (asked := st.query_params.get("cell", "")).isdigit():
        own = queries.place_of(reader, int(asked))
        best = pl.concat([places.join(own, on=["document_id", "place"], how="semi"), best])
    document = filters.choice(
        "Document",
        places["document_id"].unique(maintain_order=True).to_list(),
        "document",
        default=best["document_id"].item(0),
    )
    here = pl.col("document_id") == document
    components.note(places.filter(here)["title"].item(0) or "")
    place = filters.choice(
        "Section",
        places.filter(here)["place"].to_list(),
        "section",
        default=best.filter(here)["place"].item(0),
    )
    found = places.filter(here, pl.col("place") == place)
    components.note(
        ", ".join(
            units.quantity(found[what].item(), what if found[what].item() != 1 else what[:-1])
            for what in ("tables", "figures", "claims")
            if found[what].item()
        )
    )
    return document, place


# --- tables as printed


def _section(reader: Reader, document: str, place: str) -> None:
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
    beside = filters.switch("Beside each figure", [_OURS, _MODEL, _NOTHING], "beside")
    _say_beside(cells, beside)
    grid = components.panels()
    for layout in layouts.iter_rows(named=True):
        here = cells.filter(pl.col("table_id") == layout["table_id"])
        if here.is_empty():
            continue
        printed = _laid_out(here, layout, beside)
        wide = sum(_width(name, printed[name]) for name in printed.columns) > _HALF
        with st.container() if wide else grid:
            _printed(here, layout, printed)
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
        found = cells.drop_nulls("ours")
        origins = components.listed(sorted(set(found["ours_origin"])))
        if found.is_empty():
            components.note(
                "No complete run that is loaded has the configuration of a figure here."
            )
        else:
            components.note(
                f"After the dot: the median of our {origins} runs with that configuration, and its "
                f"difference from the printed figure, of a percentage in points ({found.height} of "
                f"{cells.height} figures)."
            )
    elif beside == _MODEL:
        known = cells["predicted"].count()
        components.note(
            "After the dot: what the model expects, and its difference from the printed figure, of "
            f"a percentage in points ({known} of {cells.height} figures). The models are fitted to "
            "these documents."
        )


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
    return _HEADINGS.get(factor) or queries.FACTORS.get(factor) or factor.replace("_", " ")


def _said(factor: str, cell: dict[str, Any], one_unit: bool) -> str:
    """Return the setting of a factor as a table shows it."""
    value = cell[factor]
    if factor == "metric":
        told = one_unit or cell["unit"] in (None, "count") or "%" in value + cell["printed"]
        return metric_label(value) if told else f"{metric_label(value)}, {unit_label(cell['unit'])}"
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
    found = [unit for unit in cells["unit"].unique(maintain_order=True) if unit]
    unit = f", {unit_label(found[0])}" if cells["unit"].n_unique() == 1 and found else ""
    name = layout["table_id"]
    with st.container(gap="xxsmall"):
        marks = _marks(_shared_footnotes(cells))
        with st.container(horizontal=True, vertical_alignment="center"):
            components.name(f"{name}: {layout['title']}{unit} {marks}".strip())
            document = cells["document_id"].item(0)
            components.link("comparison", "Chart with our runs", preset=f"{document} {name}")
        components.note(_throughout(cells, layout))
        headings = len(layout["row_factors"])
        components.tall(
            printed,
            f"table_{name}",
            columns={
                column: st.column_config.TextColumn(
                    column,
                    alignment="left" if place < headings else "right",
                    width=_width(column, printed[column]),
                    pinned=place < headings <= _PINNED,
                )
                for place, column in enumerate(printed.columns)
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
    said = []
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
        said.append(f"{_heading(factor)} {value}" if factor in ("source_system", "target_system")
                    else value)  # fmt: skip
    lines = sorted(set(cells["source_line"].to_list()))
    where = f"Lines {lines[0]} to {lines[-1]}." if len(lines) > 1 else f"Line {lines[0]}."
    return f"All: {', '.join(said)}. {where}" if said else where


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
    asked = st.query_params.get("cell", "")
    numbers = cells["cell_id"].to_list()
    chosen = numbers.index(int(asked)) if asked.isdigit() and int(asked) in numbers else None
    row = components.pick(
        cells.with_columns(
            metric=pl.col("metric").map_elements(metric_label, return_dtype=pl.String),
            unit=pl.col("unit").map_elements(unit_label, return_dtype=pl.String),
            configuration=_full_name(),
            difference=100 * (pl.col("ours") / pl.col("value") - 1),
            error=100 * (pl.col("predicted") / pl.col("value") - 1),
        ),
        "every_figure",
        columns={
            "table_id": st.column_config.TextColumn("Table", width="small"),
            "configuration": st.column_config.TextColumn("Configuration", width="large"),
            "metric": st.column_config.TextColumn("Metric"),
            "printed": st.column_config.TextColumn("Printed", alignment="right"),
            "unit": st.column_config.TextColumn("Unit", width="small"),
            "ours": st.column_config.NumberColumn("Ours", format="%,.4g"),
            "difference": st.column_config.NumberColumn("Ours, %", format="%+.1f"),
            "runs": components.count("Runs"),
            "predicted": st.column_config.NumberColumn("Predicted", format="%,.4g"),
            "error": st.column_config.NumberColumn("Predicted, %", format="%+.1f"),
            "note": st.column_config.TextColumn("Note"),
            "cell_id": st.column_config.NumberColumn("Cell", format="%d", width="small"),
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
            f"{row['metric']} {row['printed']}, {row['configuration']}",
        )
        said = [f"Document {document}, table {row['table_id']}, line {row['source_line']}"]
        if row["ours"] is not None:
            said.append(
                f"ours {units.quantity(row['ours'], row['unit'] or '')}, the median of "
                f"{row['runs']} {row['ours_origin']} {'run' if row['runs'] == 1 else 'runs'}"
            )
        if row["predicted"] is not None:
            said.append(
                f"the model expects {units.quantity(row['predicted'], row['unit'] or '')}, and "
                f"eight of ten between {units.number(row['predicted_low'])} and "
                f"{units.number(row['predicted_high'])}"
            )
        components.note("; ".join(said) + ".")
        if row["anomaly_note"]:
            components.info(row["anomaly_note"], "report")
        with st.container(horizontal=True):
            components.link("lineage", "Where it comes from", cell=str(row["cell_id"]))
            if row["run_id"]:
                components.link("run", "The latest such run", run=row["run_id"])


# --- charts, each figure next to a baseline


class _Baseline(NamedTuple):
    """A stored set of baselines, and the row chosen instead, if any."""

    kept: str | None
    configuration: str | None = None


def _charted(reader: Reader, document: str, place: str) -> None:
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
            "name": st.column_config.TextColumn("Configuration", width="medium"),
            "file_size_mb": st.column_config.NumberColumn("File, MB", format="localized"),
            "metric": st.column_config.TextColumn("Metric"),
            "value": st.column_config.NumberColumn("Figure", format="%,.2f"),
            "unit": st.column_config.TextColumn("Unit", width="small"),
            "baseline_value": st.column_config.NumberColumn("Baseline", format="%,.2f"),
            "ratio": st.column_config.NumberColumn("Ratio to baseline", format="%.2f"),
            "change_percent": st.column_config.NumberColumn("Change, %", format="%+.1f"),
            "remark": st.column_config.TextColumn("Remark", width="medium"),
            "table_id": st.column_config.TextColumn("Table", width="small"),
        },
    )


# --- claims and slips


_VERDICTS = {
    "holds": "the printed figures bear it out",
    "does not hold": "the printed figures contradict it",
    "as predicted": "no printed figure bears on it; the model expects as much",
    "unlike predicted": "no printed figure bears on it; the model expects something else",
    "not held against anything": "no printed figure bears on it, and no model covers it",
}


def _claims(reader: Reader, document: str, place: str) -> None:
    """Draw the figures that stand in prose, and what is held against each."""
    claims = _judged(queries.claims(reader))
    components.note("Figures in the prose of the documents, and what perfhouse holds against each.")
    with st.container(horizontal=True):
        documents = sorted(set(claims["document_id"]))
        of = filters.choices("Documents", documents, "of", default=[document])
        verdicts = filters.choices("Verdict", list(_VERDICTS), "verdict")
        where = filters.switch("Section", [_ALL, place], "where")
    if of:
        claims = claims.filter(pl.col("document_id").is_in(of))
    if where != _ALL:
        claims = claims.filter(pl.col("place") == place)
    counted = dict(claims.group_by("verdict").len().iter_rows())
    components.tiles(
        {
            verdict.capitalize(): (units.number(counted.get(verdict, 0)), meaning)
            for verdict, meaning in _VERDICTS.items()
        }
    )
    if verdicts:
        claims = claims.filter(pl.col("verdict").is_in(verdicts))
    if claims.is_empty():
        components.info("No claim matches these filters. Clear one of them.", "tune")
        return
    draw = components.tall if claims.height <= _TALL else components.table
    draw(
        claims,
        "published_claims",
        columns={
            "claim_id": st.column_config.NumberColumn("Claim", format="%d", width="small"),
            "document_id": st.column_config.TextColumn("Document", width="small"),
            "place": st.column_config.TextColumn("Section"),
            "said": st.column_config.TextColumn("Claimed", width="medium"),
            "conditions": st.column_config.TextColumn("Of what", width="medium"),
            "verdict": st.column_config.TextColumn("Verdict"),
            "computed": st.column_config.TextColumn("From printed figures"),
            "basis": st.column_config.TextColumn("Which", width="medium"),
            "expected": st.column_config.TextColumn("Model, 10 to 90 %"),
            "runs": components.count("Our runs of these figures"),
            "why_not": st.column_config.TextColumn("Remark", width="large"),
            "slips": st.column_config.TextColumn("Slips", width="small"),
            "source_line": st.column_config.NumberColumn("Line", format="%d", width="small"),
        },
    )


def _judged(claims: pl.DataFrame) -> pl.DataFrame:
    """Add what is said, computed and expected as texts, and the verdict."""
    answers = (
        predicted_claims()
        .group_by("claim", "end", maintain_order=True)
        .agg(
            pl.col("predicted").min().alias("expected_low"),
            pl.col("predicted").max().alias("expected_high"),
            pl.col("low").min(),
            pl.col("high").max(),
            fitted=(pl.col("use") == "fitted").all(),
            remark=pl.col("remark").first(),
        )
        .unique("claim", keep="first", maintain_order=True)
    )
    rows = claims.join(
        answers, left_on="claim_id", right_on="claim", how="left", maintain_order="left"
    )
    stated = pl.when(pl.col("end") == "high").then("claimed_high").otherwise("claimed_low")
    stated = pl.coalesce(stated, "claimed_low", "claimed_high")
    verdict = (
        pl.when(pl.col("is_within_claim")).then(pl.lit("holds"))
        .when(~pl.col("is_within_claim")).then(pl.lit("does not hold"))
        .when(stated.is_between("low", "high")).then(pl.lit("as predicted"))
        .when(pl.col("low").is_not_null()).then(pl.lit("unlike predicted"))
        .otherwise(pl.lit("not held against anything"))
    )  # fmt: skip
    texts = [
        {
            "said": _claimed(row),
            "computed": _between(row["computed_low"], row["computed_high"], row["unit"]),
            "expected": _between(row["low"], row["high"], row["unit"]),
            "why_not": "; ".join(
                text for text in (
                    row["not_computed_reason"],
                    "the model is fitted to it" if row["fitted"] else None,
                    row["remark"],
                    "rests on a doubtful figure" if row["rests_on_suspect"] else None,
                ) if text
            ),
            "slips": ", ".join(map(str, row["anomaly_ids"])),
        }
        for row in rows.iter_rows(named=True)
    ]  # fmt: skip
    order = ("said", "computed", "expected", "why_not", "slips")
    return rows.with_columns(verdict=verdict).hstack(
        pl.DataFrame(texts, schema=dict.fromkeys(order, pl.String))
    )


def _claimed(row: dict[str, Any]) -> str:
    low, high = row["claimed_low"], row["claimed_high"]
    sign = {"=": "", "range": "", "~": "about "}.get(row["comparator"], f"{row['comparator']} ")
    return f"{metric_label(row['metric'])}: {sign}{_between(low, high, row['unit'])}"


def _between(low: float | None, high: float | None, unit: str | None) -> str:
    """Return a figure or a range with its unit."""
    ends = dict.fromkeys(units.number(end) for end in (low, high) if end is not None)
    return f"{' to '.join(ends)} {unit_label(unit or '')}".strip() if ends else ""


def _slips(reader: Reader, document: str, place: str) -> None:
    """Draw the slips of the document."""
    del place
    slips = queries.slips(reader).filter(pl.col("document_ids").list.contains(document))
    components.note(
        "Misprints, contradictions and noise of this document, and how each is treated. The "
        "printed figures stay as they are."
    )
    if slips.is_empty():
        components.info("No slip of this document is known.", "verified")
        return
    components.table(
        slips.with_columns(
            doubtful=pl.when("affects_value").then(pl.lit("yes")).otherwise(pl.lit("no"))
        ),
        "published_slips",
        columns={
            "anomaly_id": st.column_config.NumberColumn("Footnote", format="%d", width="small"),
            "place": st.column_config.TextColumn("Place"),
            "anomaly_kind": st.column_config.TextColumn("Kind"),
            "finding": st.column_config.TextColumn("What is wrong", width="large"),
            "treatment": st.column_config.TextColumn("How it is treated", width="large"),
            "cells": components.count("Figures"),
            "claims": components.count("Claims"),
            "doubtful": st.column_config.TextColumn("Makes figures doubtful", width="small"),
        },
    )


if __name__ == "__main__":
    draw(session.reader())
