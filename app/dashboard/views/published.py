"""The published documents: their tables as printed, claims and errors, and our figures.

Code of its own: tables are as printed, beside runs or predictions.
"""

from __future__ import annotations

from shlex import quote

import polars as pl
import streamlit as st

from app.dashboard import components, filters, session
from app.dashboard.published import prose, tables
from app.pipeline.places import FILES
from app.results.queries import published as queries
from app.results.reader import Reader
from app.results.words import counted


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
        document, location = _place(reader, places)
    row = places.filter(pl.col("document_id") == document, pl.col("place") == location)
    components.header("Published figures", row["citation"].item(), "published")
    views = {
        "Tables": tables.draw,
        "Claims": prose.draw_claims,
        "Slips": prose.draw_slips,
    }
    views[filters.switch("Show", list(views), "show")](reader, document, location)


def _place(reader: Reader, places: pl.DataFrame) -> tuple[str, str]:
    """Return the chosen document and section; by default, the one with most rates and costs."""
    best = places.sort("has_rate_and_cost", "figures", descending=True)
    if (cell_id := filters.asked_number("cell")) is not None:
        cell_place = queries.place_of(reader, cell_id)
        best = pl.concat([places.join(cell_place, on=["document_id", "place"], how="semi"), best])
    document = filters.choice(
        "Document",
        places["document_id"].unique(maintain_order=True).to_list(),
        "document",
        default=best["document_id"].item(0),
    )
    of_document = pl.col("document_id") == document
    components.note(places.filter(of_document)["title"].item(0) or "")
    place_name = filters.choice(
        "Section",
        places.filter(of_document)["place"].to_list(),
        "section",
        default=best.filter(of_document)["place"].item(0),
    )
    of_place = places.filter(of_document, pl.col("place") == place_name)
    components.note(
        ", ".join(
            counted(of_place[noun].item(), noun[:-1])
            for noun in ("tables", "figures", "claims")
            if of_place[noun].item()
        )
    )
    return document, place_name


if __name__ == "__main__":
    draw(session.reader())
