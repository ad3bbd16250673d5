"""From a figure to its formula, the models behind it, its loads and its records.

Code of its own: it follows one figure through models and loads to a record, and draws graphs.
"""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import streamlit as st

from app.dashboard import components, filters, models, session, units
from app.results.labels import issue_label, metric_label
from app.results.queries import catalogue
from app.results.queries import lineage as queries
from app.results.reader import Reader
from ingest.lake.sql import literal

_FIGURE, _ROW, _RECORD, _TABLES = "A figure of a run", "A row of a mart", "A record", "Tables"
_TARGETS = {"cell": _ROW, "mart": _ROW, "source": _RECORD}  # what an address names
_MOST_LINKS = 12
_MOMENT = "YYYY-MM-DD HH:mm:ss"
# What the origin of a metric says: records of SMF, or tools whose outputs have raw tables bench_*.
_SMF = re.compile(r"SMF (\d+)(?: subtype (\d+))?")
_USUAL_SUBTYPES = {"70": "1", "72": "3"}
_TOOLS = re.compile(
    r"amqsrua|DISPLAY|SYSLOG|ioping|harness|\btop\b|free:|docker|^du$|D NET,CSM|given|manifest"
)


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "Lineage", "From a figure to its formula, the models, the loads and the records behind it."
    )
    if not catalogue.any_load(reader):
        components.empty("Nothing is loaded yet, so no figure comes from anywhere.")
        return
    views = {_FIGURE: _figure, _ROW: _row, _RECORD: _record, _TABLES: models.draw_tables}
    # A link of this page leads to another target, so what was followed before does not count.
    target = next((name for name in _TARGETS if name in st.query_params), None)
    if target is None:
        views[filters.switch("Follow", _in_order(), "follow")](reader)
        return
    # Streamlit writes the address after a link to another page only.
    st.query_params[target] = st.query_params[target]
    components.link("lineage", "Follow something else")
    views[_TARGETS[target]](reader)


def _in_order() -> list[str]:
    """Return what can be followed; first what the address asks for."""
    query = st.query_params
    first = (
        _RECORD if "record" in query
        else _TABLES if "table" in query
        else _FIGURE
    )  # fmt: skip
    return [first, *(view for view in (_FIGURE, _ROW, _RECORD, _TABLES) if view != first)]


# --- a figure of a run


def _figure(reader: Reader) -> None:
    run_id = st.query_params.get("run")
    names = queries.runs_like(reader, run_id)
    if not names:
        components.info(
            "No benchmark runs are loaded. A row of a mart, a record or a table can be followed "
            "without them.",
            "sprint",
        )
        return
    if run_id and run_id not in names:
        components.info(f"There is no run {run_id}; this is the latest one.", "search_off")
    with st.container(horizontal=True):
        name = filters.choice("Run", names, "run")
        figures = queries.figure(reader, name)
        metrics = figures["metric"].to_list()
        if not metrics:
            components.info("No loaded record or output has a figure of this run.", "block")
            return
        usual = next((m for m in ("rate", "transactions_per_second") if m in metrics), None)
        metric = filters.choice("Figure", metrics, "metric", default=usual, shown=metric_label)
    row = queries.run(reader, name)
    assert row is not None  # it is among the names
    figure = figures.row(by_predicate=pl.col("metric") == metric, named=True)
    _say_figure(figure, figures, row)
    kinds, leaves = _kinds_of(figure, figures)
    if "transfers" in kinds:
        _transfers(reader, row)
    records = queries.records_of_run(reader, name, tuple(kinds))
    _records(reader, records)
    _loads(reader, tuple(dict.fromkeys([*(row["source_ids"] or ()), *records["source_id"]])))
    models.draw_chain(reader, "marts.fct_measurement", leaves)


def _say_figure(own: dict[str, Any], figures: pl.DataFrame, run: dict[str, Any]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.metric(
            units.plain(metric_label(own["metric"])),
            units.plain(units.measured(own["metric"], own["value"], own["unit"] or "")),
        )
        components.origin_badge(run["origin"])
        components.link("run", "The run", run=run["run_id"])
        if own["more_is_better"] is not None and run["campaign"]:
            components.link(
                "noise", "Its noise", origin=run["origin"], campaign=run["campaign"],
                metric=own["metric"],
            )  # fmt: skip
    components.section("Formula")
    components.name(f"{own['metric']} = {own['formula'] or 'as given'}")
    parts = _parts(own, figures)
    if parts:
        components.note(
            "Here: "
            + "; ".join(
                f"{name} {units.measured(name, part['value'], part['unit'] or '')}"
                for part in parts
                for name in [part["metric"]]
            )
            + "."
        )
    components.note(f"From: {own['derived_from'] or 'the manifest'}.")


def _parts(own: dict[str, Any], figures: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the figures of the run that a formula, or the origin of a metric, names."""
    words = set(re.findall(r"\w+", f"{own['formula']} {own['derived_from']}")) - {own["metric"]}
    return figures.filter(pl.col("metric").is_in(list(words))).to_dicts()


def _kinds_of(own: dict[str, Any], figures: pl.DataFrame) -> tuple[list[str], list[str]]:
    """Return the kinds of records behind a figure, and how the raw tables with them begin."""
    levels, seen = [own], {own["metric"]}
    for item in levels:
        more = [part for part in _parts(item, figures) if part["metric"] not in seen]
        seen |= {part["metric"] for part in more}
        levels += more
    kinds: list[str] = []
    leaves: list[str] = []
    for text in (item["derived_from"] or "" for item in levels):
        for number, given in _SMF.findall(text):
            subtype = given or _USUAL_SUBTYPES.get(number, "")
            kinds += [f"SMF {number}", f"SMF {number}-{subtype}"]
            is_split = number in ("70", "72", "74")
            leaves.append(f"smf{number}_{subtype}" if is_split else f"smf{number}")
        if "MFT transfer log" in text:
            kinds, leaves = [*kinds, "transfers"], [*leaves, "bench_mft"]
        if _TOOLS.search(text):
            kinds, leaves = [*kinds, "outputs"], [*leaves, "bench_"]
    return list(dict.fromkeys(kinds)), list(dict.fromkeys(leaves))


def _transfers(reader: Reader, run: dict[str, Any]) -> None:
    """Draw the messages of the transfer log that a figure is made of."""
    moved = queries.transfers(
        reader, tuple(run["source_ids"] or ()), run["start_utc"], run["stop_utc"]
    )
    if moved.is_empty():
        return
    components.section(
        "Transfers", "Messages of the transfer log at the time of the run; click one for its "
        "record.",
    )  # fmt: skip
    chosen = components.pick(
        moved,
        "transfers",
        columns={
            "time_utc": "Time",
            "message": "Message",
            "action": "Action",
            "actual_start_utc": "Began",
            "files": "Files",
            "bytes_sent": "Bytes",
            "record_no": "Record",
        },
    )
    _go_to_record(chosen)


def _records(reader: Reader, records: pl.DataFrame) -> None:
    components.section("Records", "Of its LPARs at its time; click one to see all its fields.")
    if records.is_empty():
        components.note("No mart holds a row of a single record behind this figure.")
        return
    paths = queries.loads(reader, tuple(set(records["source_id"]))).select("source_id", "path")
    chosen = components.pick(
        records.join(paths, on="source_id", how="left", maintain_order="left").with_columns(
            file=pl.col("path").str.extract(r"([^/]*)$")
        ),
        "records",
        columns={
            "kind": "Kind",
            "system_id": "System",
            "start_utc": "From",
            "end_utc": "To",
            "file": "File",
            "record_no": "Record",
        },
    )
    _go_to_record(chosen)


def _go_to_record(row: dict[str, Any] | None) -> None:
    if row:
        components.link(
            "lineage",
            f"Record {row['record_no']} of {row['source_id'][:12]}",
            follow=_RECORD, source=row["source_id"], record=str(row["record_no"]),
        )  # fmt: skip


def _loads(reader: Reader, sources: tuple[str, ...]) -> None:
    components.section("Loads", "The files that the records come from.")
    components.table(
        queries.loads(reader, sources).with_columns(
            pl.col("kind").map_elements(issue_label, return_dtype=pl.String)
        ),
        "loads",
        columns={
            "path": "File",
            "kind": "Kind",
            "origin": "Origin",
            "loaded_at_utc": "Loaded",
            "decoder_version": "Decoder",
            "records": "Records",
            "status": "Status",
            "source_id": "ID (SHA-256)",
        },
    )


# --- a row of a mart


def _row(reader: Reader) -> None:
    cell_id = filters.asked_number("cell")
    if cell_id is not None:
        record = queries.cell_record(reader, cell_id)
        if record is None:
            components.info(f"There is no published figure {cell_id}.", "search_off")
            return
        table, (source, number) = "fct_published_measurement", record
    else:
        with st.container(horizontal=True):
            table = filters.choice(
                "Mart", queries.marts_of_records(reader), "mart", default="fct_run"
            )
            source, number = _place(reader)
    columns = catalogue.columns(reader, "marts", table)
    rows = queries.mart_row(reader, table, source, number)
    components.section(f"marts.{table}")
    if rows.is_empty():
        components.info(f"No row of {table} comes from this record.", "search_off")
    else:
        _fields(rows, columns, f"row_of_{table}")
    behind = queries.records_of_row(reader, table, source, number)
    with st.container(horizontal=True):
        for row in behind.head(_MOST_LINKS).iter_rows(named=True):
            _go_to_record(row)
    _loads(reader, tuple(behind["source_id"].unique()))
    stored = queries.record(reader, source, number)
    leaves = (
        [f"smf{stored['record_type']}_"] if stored and stored["record_type"] not in (70, 72, 74)
        else [f"smf{stored['record_type']}_{stored['record_subtype']}"] if stored
        else []
    )  # fmt: skip
    models.draw_chain(reader, f"marts.{table}", leaves)


def _place(reader: Reader) -> tuple[str, int]:
    """Draw the choice of a file and a record; return the identity of its load, and its number."""
    labels = {
        f"{path.rpartition('/')[2]} ({source[:12]})": source
        for path, source in queries.files(reader).select("path", "source_id").iter_rows()
    }
    source_id = st.query_params.get("source")
    label_ = next((label for label, source in labels.items() if source == source_id), None)
    if source_id and label_ is None:
        loads = queries.loads(reader, (source_id,))
        if loads.is_empty():
            components.info(f"No load of the published build is {source_id}.", "search_off")
        else:  # an old one
            label_ = f"{loads['path'].item(0).rpartition('/')[2]} ({source_id[:12]})"
            labels = {label_: source_id} | labels
    file = filters.choice("File", list(labels), "file", default=label_)
    number = filters.amount("Record", 1.0, "record", least=1.0)
    return labels[file], int(number)


def _fields(rows: pl.DataFrame, columns: pl.DataFrame, name: str) -> None:
    """Draw rows on their side: a line per column, with what it means."""
    meaning = dict(columns.select("name", "description").iter_rows())
    table = rows.transpose(
        include_header=True, header_name="column",
        column_names=[f"row {i + 1}" if rows.height > 1 else "value" for i in range(rows.height)],
    ).with_columns(
        meaning=pl.col("column").replace_strict(meaning, default="", return_dtype=pl.String)
    )  # fmt: skip
    components.table(
        table.filter(~pl.all_horizontal(pl.exclude("column", "meaning").is_null())),
        name,
        columns={
            "column": st.column_config.TextColumn("Column", pinned=True),
            **{c: c.capitalize() for c in table.columns[1:-1]},
            "meaning": "What it is",
        },
    )
    empty = (
        table.height
        - table.filter(~pl.all_horizontal(pl.exclude("column", "meaning").is_null())).height
    )
    if empty:
        components.note(f"{empty} columns without a value are left out.")


# --- a record


def _record(reader: Reader) -> None:
    with st.container(horizontal=True):
        source, number = _place(reader)
    _loads(reader, (source,))
    load = queries.loads(reader, (source,)).row(0, named=True)
    header = queries.record(reader, source, number)
    if load["kind"] == "smf":
        if header is None:
            components.info(
                f"Record {number} is not among those that are loaded from this file: it has "
                f"{load['records']:,} records. Loads lists those in quarantine.",
                "search_off",
            )
            return
        _say_header(header, number)
        prefixes: tuple[str, ...] = (f"smf{header['record_type']}_",)
        if header["record_type"] in (42, 70, 72, 74, 113):
            prefixes = (f"smf{header['record_type']}_{header['record_subtype']}_",)
        prefixes += ("smf_opaque",)
    else:
        prefixes = ("published_",) if load["kind"].startswith("published") else ("rmf_", "bench_")
    _raw(reader, source, number, prefixes)


def _say_header(header: dict[str, Any], number: int) -> None:
    subtype = "" if header["record_subtype"] is None else f"-{header['record_subtype']}"
    components.tiles(
        {
            "Record": (units.number(number), f"SMF {header['record_type']}{subtype}"),
            "System": (header["system_id"] or units.MISSING, header["subsystem_id"] or ""),
            "SMF time, local": (
                f"{header['smf_time']:%H:%M:%S}" if header["smf_time"] else units.MISSING,
                f"{header['smf_time']:%Y-%m-%d}" if header["smf_time"] else "",
            ),
            "Offset": (units.number(header["file_offset"]), "bytes from the start of the file"),
            "Length": (units.number(header["length"]), "bytes"),
        }
    )


def _raw(reader: Reader, source: str, number: int, prefixes: tuple[str, ...]) -> None:
    """Draw the rows of a record in each raw table, with the manual's names of the fields."""
    rows_shown = 0
    for table in catalogue.tables(reader).filter(schema="raw")["name"]:
        if not table.startswith(prefixes):
            continue
        rows = queries.raw_rows(reader, table, source, number)
        if rows.is_empty():
            continue
        rows_shown += 1
        with st.expander(f"raw.{table} ({rows.height})", expanded=rows_shown <= 2):
            _fields(rows, catalogue.columns(reader, "raw", table), f"raw_{table}")
            where = f"source_id = {literal(source)} AND record_no = {number}"
            components.code(f'sql "FROM raw.{table} WHERE {where}"')
    if not rows_shown:
        components.info("No raw table has a row of this record.", "search_off")


if __name__ == "__main__":
    draw(session.reader())
