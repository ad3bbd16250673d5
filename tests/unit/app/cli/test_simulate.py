"""`perfhouse simulate`, and that its files are ingested as simulated."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.main import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("simulated") / "smoke"
    assert main(["simulate", "smoke", "--out", str(made)]) == 0
    return made


def test_simulated_files_are_ingested_as_simulated(folder: Path, tmp_path: Path, capfd) -> None:
    warehouse = str(tmp_path / "w.duckdb")
    assert main(["ingest", str(folder), "--warehouse", warehouse]) == 0
    query = "SELECT origin, status, count(*) AS files FROM raw.ledger GROUP BY ALL"
    assert main(["sql", query, "--format", "csv", "--warehouse", warehouse]) == 0
    printed = capfd.readouterr()
    assert printed.err == ""
    assert "simulated,loaded,9" in printed.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["smoke"], "--out is required"),
        (["nothing", "--out", "x"], "no scenario 'nothing'; known: smoke, mft-zos"),
        (["smoke", "--out", "x", "--seed", "-1"], "a seed is 0 or more"),
        (["smoke", "--out", "x", "--days", "2"], "--days is for estate only"),
        (["estate", "--out", "x", "--lpars", "0"], "--lpars is from 1 to 99"),
    ],
)
def test_wrong_usage_is_reported_in_one_line(arguments, complaint, capsys) -> None:
    assert main(["simulate", *arguments]) == 2
    assert complaint in capsys.readouterr().err


def test_a_folder_that_is_not_empty_is_rejected(folder: Path, capsys) -> None:
    assert main(["simulate", "smoke", "--out", str(folder)]) == 2
    printed = capsys.readouterr().err
    assert printed == f"perfhouse: {folder} is not empty\n"


def test_scenarios_are_listed(capsys) -> None:
    assert main(["simulate", "--list"]) == 0
    printed = capsys.readouterr().out
    assert [line.split()[0] for line in printed.splitlines()][:3] == [
        "smoke",
        "mft-zos",
        "mft-features",
    ]


def test_an_estate_has_a_dump_for_each_lpar_and_day(tmp_path: Path, capsys) -> None:
    out = tmp_path / "estate"
    assert main(["simulate", "estate", "--lpars", "2", "--days", "1", "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith("2 LPARs, 1 days, 3 files")
    assert sorted(file.name for file in out.rglob("*.smf")) == ["LP01.smf", "LP02.smf"]
    assert (out / "ORIGIN").read_text() == "simulated\n"
