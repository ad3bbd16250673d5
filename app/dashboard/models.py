"""Tables and the models that make them: a list, and a graph of what each is made of."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl
import streamlit as st

from app.charts import graph
from app.dashboard import components, filters
from app.results.queries import catalogue
from app.results.queries import lineage as queries
from app.results.reader import Reader

__all__ = ["draw_chain", "draw_tables"]

_NOT_SHRUNK = """<style>
[data-testid="stGraphVizChart"] { overflow: visible; }  /* the page scrolls, by keyboard too */
[data-testid="stGraphVizChart"] svg { max-width: none; }
</style>"""
_COLUMNS = {
    "name": st.column_config.TextColumn("Table", pinned=True), "layer": "Layer", "kind": "Made as",
    "description": "Rows", "rows": "Number of rows", "made_of": "Made of", "path": "Model",
}  # fmt: skip
_MOST_NODES = 40  # in a graph that can still be read


def draw_tables(reader: Reader) -> None:
    """Draw all tables, and one of them with its columns and its graph."""
    models = queries.models(reader)
    components.note(
        f"{models.height} tables: raw records, the models of dbt and the marts that pages read."
    )
    words = filters.text("Search", "", "search", placeholder="a word of a name or description")
    if words:
        said = pl.concat_str("name", pl.col("description").fill_null(""), separator=" ")
        for word in words.lower().split():
            models = models.filter(said.str.to_lowercase().str.contains(word, literal=True))
        if models.is_empty():
            components.info("No table matches. Try fewer words.", "search_off")
            return
    components.table(
        models.with_columns(made_of=pl.col("parents").list.len()),
        "tables",
        columns=_COLUMNS,
    )
    names = models["name"].to_list()
    usual = next((name for name in names if name == "marts.fct_run"), None)
    name = filters.choice("Table", names, "table", default=usual)
    everything = queries.models(reader)
    row = everything.row(by_predicate=pl.col("name") == name, named=True)
    components.section(name, row["description"])
    columns = catalogue.columns(reader, *name.split(".", 1))
    if columns.is_empty() and row["columns"]:
        columns = pl.DataFrame(row["columns"]).with_columns(type=pl.lit(None, pl.String))
    if not columns.is_empty():
        components.table(
            columns,
            "columns",
            columns={
                "name": st.column_config.TextColumn("Column", pinned=True),
                "type": "Type",
                "description": "What it is",
            },
        )
    draw_chain(reader, name, None)


def draw_chain(reader: Reader, name: str, leaves: Collection[str] | None) -> None:
    """Draw the tables that a table is made of, and list them.

    `leaves`: how the names of the raw tables begin that the path should lead to.
    """
    all_models = queries.models(reader)
    parents = dict(all_models.select("name", "parents").iter_rows())
    if name not in parents:
        return
    layers = dict(all_models.select("name", "layer").iter_rows())
    ends = None
    if leaves:
        ends = [
            parent for parent in parents
            if parent.startswith(tuple(f"raw.{leaf}" for leaf in leaves))
        ]  # fmt: skip
    path = graph.ancestors(name, parents, ends)
    children = graph.descendants(name, parents) if leaves is None else []
    components.section(
        "Models",
        "What it is made of stands on its right, what is made of it on its left."
        if leaves is None
        else "From the mart on the left back to the raw tables of its records on the right.",
    )
    drawn = path[:_MOST_NODES]
    shown = {model_name: parents[model_name] for model_name in [*drawn, *children]}
    if name not in shown:
        shown[name] = parents[name]
    _drawn(
        graph.dot(shown, layers, marked=[name], is_backwards=True), f"Tables that {name} is made of"
    )
    if len(path) > len(drawn):
        components.note(f"The nearest {len(drawn)} of {len(path)} tables are drawn.")
    listed = pl.DataFrame({"name": path}, schema={"name": pl.String}).join(
        all_models, on="name", how="left", maintain_order="left"
    )
    components.table(
        listed.with_columns(made_of=pl.col("parents").list.len()),
        "models",
        columns=_COLUMNS,
    )


def _drawn(dot: str, what: str) -> None:
    """Draw a graph at its own size, with a scroll bar where the page is too narrow for it.

    Streamlit would shrink it until its names cannot be read.
    """
    st.html(_NOT_SHRUNK)
    st.graphviz_chart(dot, width="content", alt=what)
