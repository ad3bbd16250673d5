"""Each layout against every source that has its fields; docs/layouts.md shows the result."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest.formats.names.smf_explorer import explorer_names
from scripts import evidence
from scripts import layout_pages as explorer
from scripts.evidence import EVIDENCE, Claim, claims, confirms, contradicts
from tests.kit.cases import cases

TABLES = evidence.layouts()
FILES = sorted(set(EVIDENCE.glob("*.csv")) - {
    EVIDENCE / f"{name}.csv" for name in ("sources", "differences", "unconfirmed")
})  # fmt: skip


def rows(name: str) -> list[dict[str, str]]:
    with (EVIDENCE / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_page_is_as_the_tables_are() -> None:
    written = evidence.PAGE.read_text(encoding="utf-8")
    assert written == evidence.page(), f"run: {evidence.COMMAND}"


def test_the_page_of_names_is_as_the_views_and_models_are() -> None:
    assert explorer.PAGE.read_text() == explorer.page(), f"run: python -m {explorer.__name__}"


def test_names_of_smf_explorer_are_those_of_fields_and_say_more_than_these() -> None:
    known = {f.name for layout in TABLES.values() for f in layout.fields}
    assert set(explorer_names()) <= known
    assert not [
        field
        for field, name in explorer_names().items()
        if field.replace("_", "").endswith(name.replace("_", ""))
    ]


def test_every_source_is_described_and_claims_something() -> None:
    described = evidence.sources()
    claimed = Counter(claim.source for claim in claims())
    assert set(claimed) == set(described)
    assert {file.stem for file in FILES} <= set(described)
    assert all(
        source.title and source.kind and source.real_records for source in described.values()
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_claim_is_about_a_field_or_a_byte_of_flags(file: Path) -> None:
    for row in rows(file.stem):
        layout = TABLES[row["table"]]
        if not row["offset"]:  # only of its unit
            assert layout.by_name[row["field"]].kind == "ticks"
            assert row["tick_us"]
            continue
        first = int(row["offset"])
        flags = {f.offset + (f.bit or 0) // 8 for f in layout.fields if f.bit is not None}
        is_byte_of_flags = bool(flags & set(range(first, first + int(row["length"]))))
        assert row["field"] in layout.by_name or is_byte_of_flags, row


def test_no_field_is_claimed_twice() -> None:
    claimed = ((file.stem, row["table"], row["field"]) for file in FILES for row in rows(file.stem))
    assert [field for field, n in Counter(claimed).items() if n > 1] == []


def test_every_difference_is_listed_with_its_reason() -> None:
    listed = {(r["source"], r["table"], r["field"], r["what"]) for r in rows("differences")}
    assert set(evidence.differences()) == listed
    assert all(row["reason"] for row in rows("differences"))


def test_every_field_that_no_source_places_is_listed_with_its_reason() -> None:
    listed = {(row["table"], row["field"]) for row in rows("unconfirmed")}
    assert {place for place, by in evidence.confirmations().items() if not by} == listed
    assert all(row["reason"] for row in rows("unconfirmed"))


def test_editions_of_one_manual_do_not_confirm_each_other() -> None:
    by = evidence.confirmations()
    again = {(c.table, c.field) for c in claims() if c.source == "smf_manual"}
    of_42 = [by[place] for place in again if place[0].startswith("smf42_6_")]
    assert len(of_42) >= 20
    assert {tuple(sources) for sources in of_42} == {("manual_3_2", "smfformatter_42")}


@cases
def test_a_claim_about_a_number(said: dict[str, Any], confirmed: bool, contradicted: str) -> None:
    """A claim about SMF30CPT (offset 4, length 4, unit 10 ms)."""
    field = TABLES["smf30_processor_accounting"].by_name["smf30cpt"]
    claim = Claim("x", "smf30_processor_accounting", "smf30cpt", **said)
    assert confirms(claim, field) == confirmed
    assert contradicts(claim, field) == contradicted


@cases
def test_a_claim_about_a_flag(
    offset: int, bits: tuple[int, int] | None, confirmed: bool, contradicted: str
) -> None:
    field = TABLES["smf70_1_cpu_control"].by_name["smf70sts"]
    claim = Claim("x", "smf70_1_cpu_control", "smf70sts", offset, 1, bits)
    assert confirms(claim, field) == confirmed
    assert contradicts(claim, field) == contradicted


@pytest.mark.parametrize("table", ["smf30_storage", "smf70_1_cpu_control", "smf42_6_job_header"])
def test_fields_that_move_by_a_byte_are_confirmed_by_no_source(table: str) -> None:
    moved = {f.name: replace(f, offset=f.offset + 1) for f in TABLES[table].fields}
    of_table = [claim for claim in claims() if claim.table == table]
    assert of_table
    assert not [claim for claim in of_table if confirms(claim, moved[claim.field])]
