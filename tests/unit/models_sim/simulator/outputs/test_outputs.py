"""What campaigns write as text is read as the output of its tool, with nothing rejected."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import duckdb
import pytest

from ingest.formats.parsers import find_parser
from models_sim.simulator.campaigns import simulate
from models_sim.simulator.campaigns.files import run_outputs
from models_sim.simulator.campaigns.manifest import manifest
from models_sim.simulator.campaigns.transfers import transfers

with Path(__file__).with_name("outputs.csv").open(newline="") as _file:
    CASES = list(csv.DictReader(_file))


@cache
def written(scenario: str) -> dict[str, bytes]:
    """The first file of each name."""
    campaign = simulate(scenario, limit=4 if scenario == "mft-linux" else None)
    texts: dict[str, bytes] = {}
    for path, content in run_outputs(campaign):
        texts.setdefault(Path(path).name, content)
    return texts | {
        "manifest.json": manifest(campaign.runs),
        "transfers.xml": transfers(campaign.runs),
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['scenario']} {case['file']}")
def test_an_output_is_read_as_what_its_tool_printed(case: dict[str, str]) -> None:
    content = written(case["scenario"])[case["file"]]
    parser, kind = find_parser(content)
    parsed = parser.parse(content)
    assert (kind, parsed.rejected) == (case["kind"], [])
    rows = parsed.tables[case["table"]]  # noqa: F841 (the query reads it)
    shown = duckdb.sql(f"SELECT {case['holds']} FROM rows WHERE {case['where']}").fetchall()
    assert set(shown) == {(True,)}
