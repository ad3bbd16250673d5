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
        document, place = _place(reader, places)
    row = places.filter(pl.col("document_id") == document, pl.col("place") == place)
    components.header("Published figures", row["citation"].item(), "published")
    views = {
        "Tables": tables.draw,
        "Claims": prose.draw_claims,
        "Slips": prose.draw_slips,
    }
    views[filters.switch("Show", list(views), "show")](reader, document, place)


def _place(reader: Reader, places: pl.DataFrame) -> tuple[str, str]:
    """Return the chosen document and section; by default, the one with most rates and costs."""
    best = places.sort("has_rate_and_cost", "figures", descending=True)
    if (asked := filters.asked_number("cell")) is not None:
        own = queries.place_of(reader, asked)
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
            counted(found[what].item(), what[:-1])
            for what in ("tables", "figures", "claims")
            if found[what].item()
        )
    )
    return document, place


if __name__ == "__main__":
    draw(session.reader())
