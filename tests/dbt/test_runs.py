"""The marts of runs give back what simulated campaigns were given; the ten questions answer."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from duckdb import DuckDBPyConnection

from app.bundled import CAMPAIGNS, SAMPLES_SEED
from models_sim.campaign import truth
from tests.conftest import ROOT

QUESTIONS = sorted((ROOT / "docs/questions").glob("*.sql"))
# The bundled campaigns have one build each, and nothing is missing of their runs.
UNANSWERED = {"04-what-changed-since-the-build-before", "06-incomplete-runs"}
# Type 30 counts each kind of CPU time in hundredths of a second.
HUNDREDTHS = 0.03


@pytest.fixture(scope="module")
def marts(full: Path) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(full), read_only=True) as db:
        yield db


def found(marts: DuckDBPyConnection, campaign: str) -> pl.DataFrame:
    """What was put into a campaign beside what comes out: a row for each of both."""
    shown = marts.execute(
        "SELECT run_id, metric, address_space, system_id, value AS shown, is_complete "
        "FROM marts.fct_measurement WHERE campaign = $1",
        [campaign],
    ).pl()
    key = ["run_id", "metric", "address_space", "system_id"]
    # where no file is moved the marts have no number of files
    made = truth(campaign, SAMPLES_SEED).filter(
        (pl.col("metric") != "files") | (pl.col("value") > 0)
    )
    return made.join(shown, on=key, how="left", nulls_equal=True)


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_whole_runs_give_back_what_was_put_in(campaign: str, marts: DuckDBPyConnection) -> None:
    whole = found(marts, campaign).filter(pl.col("address_space").is_null())
    costs = {"cost_per_GB", "rate"} if campaign == "smoke" else {"cost_per_transaction"}
    assert {*costs, "ziip_share", "cpu_seconds"} <= set(whole["metric"])
    assert whole["shown"].null_count() == 0
    assert whole["is_complete"].all()
    gap = (whole["shown"] - whole["value"]).abs()
    assert (gap <= 1e-3 * whole["value"].abs()).all()


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_address_spaces_give_back_what_was_put_in(campaign: str, marts: DuckDBPyConnection) -> None:
    spaces = found(marts, campaign).filter(
        pl.col("address_space").is_not_null() & pl.col("metric").str.ends_with("_seconds")
    )
    assert spaces.height > 100
    assert spaces["shown"].null_count() == 0
    assert (spaces["shown"] - spaces["value"]).abs().max() <= HUNDREDTHS


def test_there_are_ten_questions() -> None:
    assert [file.name[:3] for file in QUESTIONS] == [f"{n:02}-" for n in range(1, 11)]


@pytest.mark.parametrize("file", QUESTIONS, ids=lambda file: file.stem)
def test_a_question_has_a_heading_and_an_answer(file: Path, marts: DuckDBPyConnection) -> None:
    heading, query = file.read_text().split("\n", 1)
    assert heading.startswith("-- ")
    assert heading.endswith("?")
    assert "marts." in query
    rows = marts.execute(query).pl()
    assert "origin" in rows.columns
    assert (rows.height == 0) == (file.stem in UNANSWERED)


def test_the_run_reckoned_by_hand_is_that_of_the_marts(marts: DuckDBPyConnection) -> None:
    text = (ROOT / "docs/cost-method.md").read_text()
    rows = re.findall(r"^\|.*\| `(\w+)` \| ([\d.]+) \|$", text, re.MULTILINE)
    assert len(rows) == 10
    shown = dict(
        marts.execute(
            "SELECT metric, value FROM marts.fct_measurement WHERE campaign = 'smoke' "
            "AND address_space IS NULL AND system_id IS NULL AND configuration_id IN "
            "(SELECT configuration_id FROM marts.dim_configuration WHERE file_size_mb = 10)"
        ).fetchall()
    )
    for metric, value in rows:
        decimals = len(value.partition(".")[2])
        assert f"{shown[metric]:.{decimals}f}" == value, metric
