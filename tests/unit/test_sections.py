"""The tables of docs/scenarios.md that go through the documents section by section."""

from __future__ import annotations

import re
from typing import NamedTuple

import polars as pl
import pytest
import yaml

from app.pipeline.places import ROOT
from ingest.lake.catalogue import raw_schemas
from models_sim.base.cells import normalise
from models_sim.predict import FAMILIES, predict
from models_sim.simulator.campaigns.scenarios import SCENARIOS

PUBLISHED = ROOT / "data/published"
PAGE = (ROOT / "docs/scenarios.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## The documents, section by section")[2]


class Row(NamedTuple):
    """What became of a section."""

    document: str
    section: str
    figures: str
    claims: str
    predicted: str
    simulated: str
    raw: str
    marts: str


def _rows() -> list[Row]:
    rows = []
    for part in SECTION.split("### Document ")[1:]:
        cells = [line.strip("| ").split(" | ") for line in part.splitlines() if line[:2] == "| "]
        rows += [Row(part[:3], *row) for row in cells[1:]]
    return rows


ROWS = _rows()
NAMED = re.compile(r"`([^`]+)`")


def tables_of(row: Row) -> list[str]:
    """Return the tables of a row; `Table 1` to `Table 3` are three."""
    names = NAMED.findall(row.figures)
    if " to " not in row.figures:
        return names
    first, last = (int(name.split()[1]) for name in names)
    return [f"Table {number}" for number in range(first, last + 1)]


def claims_of(row: Row) -> list[int]:
    numbers = []
    for part in [] if row.claims == "none" else row.claims.split(", "):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def count_of(text: str) -> int:
    return int(text.partition(":")[0]) if text[0].isdigit() else 0


@pytest.fixture(scope="module")
def cells() -> pl.DataFrame:
    return pl.read_csv(PUBLISHED / "cells.csv", infer_schema=False)


@pytest.fixture(scope="module")
def predicted(cells: pl.DataFrame) -> pl.DataFrame:
    """The cells with a number, by the family that predicts them."""
    by_family = pl.lit(None, pl.String)
    normal = normalise(cells)
    for family in reversed(FAMILIES):
        by_family = pl.when(family.covers(normal)).then(pl.lit(family.name)).otherwise(by_family)
    rows = predict(cells).with_columns(family=by_family)
    return rows.filter(pl.col("predicted").is_not_null())


def test_the_page_has_a_table_of_each_document() -> None:
    assert list(dict.fromkeys(row.document for row in ROWS)) == ["000", "001", "002", "003", "004"]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.document} {row.section}" for row in ROWS])
def test_what_a_row_says_is_so(row: Row, cells: pl.DataFrame, predicted: pl.DataFrame) -> None:
    assert all(row)
    mine = (pl.col("document") == row.document) & pl.col("table_id").is_in(tables_of(row))
    assert cells.filter(mine).height == count_of(row.figures)
    counted = dict(re.findall(r"`(\w+)` (\d+)", row.predicted))
    found = predicted.filter(mine)["family"].value_counts()
    assert counted == {family: str(count) for family, count in found.iter_rows()}
    for text in (row.predicted, row.simulated, row.raw, row.marts):
        assert re.search(r"`\w|\*(transfers|CPU)\*", text) or re.match(r"no: \w", text), text
    assert set(NAMED.findall(row.predicted)) <= {family.name for family in FAMILIES}
    assert set(NAMED.findall(row.simulated)) <= set(SCENARIOS)
    assert set(NAMED.findall(row.raw)) <= set(raw_schemas())


def test_every_figure_and_every_claim_is_in_one_row(cells: pl.DataFrame) -> None:
    tables = sorted((row.document, table) for row in ROWS for table in tables_of(row))
    assert tables == sorted(cells.select("document", "table_id").unique().iter_rows())
    assert sum(count_of(row.figures) for row in ROWS) == cells.height
    claims = pl.read_csv(PUBLISHED / "claims.csv").select(
        pl.format("{}", pl.col("document").cast(pl.String).str.zfill(3)), "claim_id"
    )
    listed = sorted((row.document, claim) for row in ROWS for claim in claims_of(row))
    assert listed == sorted(claims.iter_rows())


def test_tables_and_claims_have_the_place_that_the_page_gives() -> None:
    seeds = ROOT / "dbt/seeds/published"
    tables = pl.read_csv(seeds / "published_table.csv", infer_schema=False)
    places = {(row.document, table): row.section for row in ROWS for table in tables_of(row)}
    assert {row[:2]: row[2] for row in tables.iter_rows()} == places
    claims = pl.read_csv(seeds / "published_claim_place.csv")
    assert dict(claims.iter_rows()) == {n: row.section for row in ROWS for n in claims_of(row)}


def test_marts_and_metrics_exist() -> None:
    models = {
        model["name"]
        for file in (ROOT / "dbt/models/marts").rglob("*_models.yml")
        for model in yaml.safe_load(file.read_text(encoding="utf-8"))["models"]
    }
    seeds = ROOT / "dbt/seeds"
    metrics = {
        name
        for file in ("runs/run_metric.csv", "published/published_metric.csv")
        for name in pl.read_csv(seeds / file, infer_schema=False)["metric"]
    }
    assert len(models) > 60
    for row in ROWS:
        for name in NAMED.findall(row.marts):
            assert name in (models if name.startswith(("fct_", "dim_")) else metrics), row
