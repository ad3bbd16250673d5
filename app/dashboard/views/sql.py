"""SQL on the published warehouse: tables with descriptions, an editor and the result.

Code of its own: the query is the reader's.
"""

from __future__ import annotations

import io
import shlex
import time
from pathlib import Path

import polars as pl
import streamlit as st

from app.charts.chosen import KINDS, chosen
from app.dashboard import components, filters, session, units
from app.pipeline.places import FILES
from app.results.queries import catalogue
from app.results.reader import Reader, Version
from app.results.statement import Statement, StatementError, prepare
from app.results.words import counted

_FIRST = (
    "SELECT origin, campaign, metric, unit, count(*) AS runs, median(value) AS median\n"
    "FROM marts.fct_measurement\nGROUP BY ALL\nORDER BY ALL"
)
_STEP = 0.1  # seconds between looks at a query under way
_NONE = "none"
_MOST_DRAWN = 5000  # rows in a chart


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "SQL",
        "Query the published warehouse. Queries can only read, within limits on memory and time.",
    )
    if not catalogue.any_load(reader):
        components.empty("Nothing is loaded yet, so no query finds anything.")
        return
    with st.expander("Tables and columns", icon=":material/table_chart:"):
        _tables(reader)
    _documented()
    sql = filters.text(
        "Query", _FIRST, "sql", height=220, changed=lambda: _ask(reader),
        help="Ctrl+Enter runs what you changed. The address holds the query: send it to a "
        "colleague.",
    )  # fmt: skip
    if st.button("Run", type="primary", icon=":material/play_arrow:"):
        _ask(reader)
    text = st.session_state.get("_asked")
    if text == (reader.version, sql):
        _answer(reader.file, text)
    st.markdown("The same on the command line:")
    components.code(f"sql {shlex.quote(sql)}")
    prepare()  # for the next query; this one has its process


def _ask(reader: Reader) -> None:
    """Let the query in the editor be answered."""
    st.session_state["_asked"] = (reader.version, st.session_state["sql"])


def _documented() -> None:
    """Offer the queries of docs/queries.md; the chosen one takes the place of the query."""
    queries = catalogue.documented(FILES / "docs" / "queries.md")

    def take() -> None:
        st.session_state["sql"] = queries[st.session_state["question"]].strip()

    st.menu_button(
        "Start from a question", list(queries), key="question", on_click=take,
        icon=":material/help:",
    )  # fmt: skip


def _tables(reader: Reader) -> None:
    """Draw the tables of a schema, and the columns of one."""
    tables = catalogue.tables(reader)
    schemas = tables["schema"].unique(maintain_order=True).to_list()
    schema = filters.switch("Schema", schemas, "schema")
    of_schema = tables.filter(pl.col("schema") == schema)
    table = filters.choice("Table", of_schema["name"].to_list(), "table")
    description = of_schema.filter(pl.col("name") == table)["description"].item()
    if description:
        components.note(description)
    components.table(
        catalogue.columns(reader, schema, table),
        f"columns_of_{table}",
        columns={
            "name": "Column",
            "type": "Type",
            "description": "Description",
        },
    )


def _answer(file: Path, asked: tuple[Version, str]) -> None:
    """Draw the answer to a query, and run it first unless its answer is kept."""
    kept = st.session_state.get("_answered")
    if kept is None or kept[0] != asked:
        st.session_state["_answered"] = kept = (asked, _run(file, asked[1]))
    statement = kept[1]
    try:
        rows = statement.answer()
    except StatementError as error:
        st.error("The query failed.", icon=":material/error:")
        st.code(str(error), language=None)
        return
    text = counted(rows.height, "row")
    if statement.is_cut:
        text = f"The first {text}"
    ending = " The command line gives all with --limit 0." if statement.is_cut else ""
    components.note(f"{text} in {statement.seconds:.2g} s.{ending}")
    if rows.is_empty():
        return
    shown, drawn = st.tabs(["Table", "Chart"])
    with shown:
        components.table(rows, "answer")
        _parquet(rows)
    with drawn:
        _chart(rows)


def _run(file: Path, sql: str) -> Statement:
    """Run a query to its end; a click on anything stops it."""
    statement = Statement(file, sql)
    waiting = st.empty()
    try:
        statement.start()
        with waiting.container(horizontal=True, vertical_alignment="center"):
            clock = st.empty()
            st.button("Stop", icon=":material/stop:", on_click=_forget)
        began = time.monotonic()
        while not statement.is_done(_STEP):
            clock.caption(f"Running for {time.monotonic() - began:.0f} s")
        waiting.empty()
    finally:
        statement.stop()
    return statement


def _forget() -> None:
    st.session_state["_asked"] = None


def _parquet(rows: pl.DataFrame) -> None:
    def written() -> bytes:
        out = io.BytesIO()
        rows.write_parquet(out)
        return out.getvalue()

    st.download_button(
        "Parquet",
        data=written,
        file_name="answer.parquet",
        mime="application/vnd.apache.parquet",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )


def _chart(rows: pl.DataFrame) -> None:
    numbers = [n for n, kind in rows.schema.items() if kind.is_numeric()]
    if not numbers or rows.width < 2:
        components.info("A chart needs a column of numbers and another one.", "bar_chart")
        return
    moments = [n for n, kind in rows.schema.items() if kind.is_temporal()]
    with st.container(horizontal=True):
        first = moments[0] if moments else next(n for n in rows.columns if n != numbers[-1])
        x = filters.choice("Across", rows.columns, "x", default=first)
        y = filters.choice("Up", numbers, "y", default=numbers[-1])
        series = filters.choice("Colour", [_NONE, *rows.columns], "series", default=_NONE)
        kind = filters.switch("Kind", list(KINDS) if moments else list(KINDS)[::-1], "kind")
    if rows.height > _MOST_DRAWN:
        components.note(f"The first {units.number(_MOST_DRAWN)} rows are drawn.")
    chart = chosen(
        rows.head(_MOST_DRAWN), KINDS[kind], x=x, y=y, series=None if series == _NONE else series,
    )  # fmt: skip
    components.panel(f"{y} by {x}", chart)


if __name__ == "__main__":
    draw(session.reader())
