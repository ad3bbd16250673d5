"""The outputs of tools: a folder per run, readable as their kind, and all different."""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from itertools import islice
from pathlib import Path

import polars as pl
import pytest

from ingest.formats.parsers import find_parser
from models_sim.simulator.campaigns import Campaign, simulate
from models_sim.simulator.campaigns.files import run_outputs
from models_sim.simulator.campaigns.scenarios.mft_linux import REPEATED, REPETITIONS

#: Scenario -> file -> its kind, and the number of runs that have it.
FILES: dict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
with Path(__file__).with_name("outputs.csv").open(newline="") as _file:
    for _scenario, _name, _kind, _runs in islice(csv.reader(_file), 1, None):
        FILES[_scenario][_name] = _kind, int(_runs)


@pytest.fixture(scope="module", params=list(FILES))
def campaign(request: pytest.FixtureRequest) -> Campaign:
    return simulate(request.param)


def test_each_run_has_a_folder_with_its_outputs(campaign: Campaign) -> None:
    made = dict(run_outputs(campaign))
    names = pl.Series([Path(path).name for path in made])
    wanted = FILES[campaign.scenario]
    assert dict(names.value_counts().iter_rows()) == {n: count for n, (_, count) in wanted.items()}
    folders = {Path(path).parts[:2] for path in made}
    assert folders <= {("bench", run_id) for run_id in campaign.runs["run_id"]}
    # The same content is loaded only once, so equal files would be lost.
    assert len({hashlib.sha256(content).digest() for content in made.values()}) == len(made)
    for name, (kind, _) in wanted.items():
        content = next(content for path, content in made.items() if path.endswith(name))
        parser, found = find_parser(content)
        assert found == kind
        assert parser.parse(content).rejected == []


def test_transfers_with_md5_show_both_states() -> None:
    """A stalled run takes about 88 s regardless of the files (see models.linux)."""
    runs = simulate("mft-linux").runs
    assert runs.height < 220
    connection, mode, md5, chunk, transfer = REPEATED
    ten = runs.filter(connection=connection, mode=mode, md5=md5, chunk_size=chunk,
                      transfer=transfer)  # fmt: skip
    assert ten["file_size_mb"].value_counts().sort("file_size_mb")["count"].to_list() == (
        [REPETITIONS] * 3
    )
    assert set(ten["label_stalled"]) == {"Y", "N"}
    stalled, others = (ten.filter(pl.col("label_stalled") == s) for s in ("Y", "N"))
    assert stalled["seconds"].is_between(84, 92).all()
    assert others["seconds"].max() < 0.8 * stalled["seconds"].min()
    first = pl.col("agents_cpu").arr.first()
    large = ten.filter(pl.col("file_size_mb") == 100)
    by_state = dict(large.group_by("label_stalled").agg(first.mean()).iter_rows())
    assert by_state["Y"] < 0.5 * by_state["N"]
    assert runs.filter(transfer="single")["label_stalled"].null_count() == 96
