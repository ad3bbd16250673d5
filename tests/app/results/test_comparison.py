"""Two sets of runs compared by the marts: how sides are named, matched and judged."""

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from app.cli.main import main
from app.results.comparison import SelectionError, compare_runs

# configuration: its factors and labels
CONFIGURATIONS = {
    "a1": ("xLinux", "1Gb", 10.0, "z15", "9.2"),
    "a2": ("xLinux", "1Gb", 100.0, "z15", "9.2"),
    "a3": ("xLinux", "10Gb", 10.0, "z15", "9.2"),
    "b1": ("xLinux", "1Gb", 10.0, "z16", "9.2"),
    "b2": ("xLinux", "1Gb", 100.0, "z16", "9.2"),
}
# campaign, build, configuration, origin, complete, rates by repetition, costs by repetition
RUNS = [
    ("may", "build1", "a1", "measured", True, (100, 101, 99, 100.5), (10, 10.1, 9.9, 10)),
    ("may", "build1", "a2", "measured", True, (200, 202, 198, 201), (8, 8.1, 7.9, 8)),
    ("may", "build1", "a3", "measured", True, (300, 303, 297, 301), (9, 9.1, 8.9, 9)),
    ("june", "build2", "a1", "measured", True, (100.2, 100.9, 99.2, 100.6), (12, 12.1, 11.9, 12)),
    ("june", "build2", "a2", "measured", True, (220, 222, 218, 221), (8, 8.05, 7.95, 8)),
    ("june", "build2", "a2", "measured", False, (1,), (99,)),
    ("few", "build3", "a1", "measured", True, (90,), (11,)),
    ("z16", "build2", "b1", "measured", True, (130, 131, 129, 130.5), (8, 8.1, 7.9, 8)),
    ("z16", "build2", "b2", "measured", True, (260, 262, 258, 261), (7, 7.1, 6.9, 7)),
    ("made", "build9", "a1", "simulated", True, (100, 101, 99, 100), (10, 10.1, 9.9, 10)),
    ("may", "build9", "a1", "simulated", True, (100, 101, 99, 100), (10, 10.1, 9.9, 10)),
]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("compared") / "w.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute(
            "CREATE SCHEMA marts;"
            "CREATE TABLE marts.dim_configuration (configuration_id VARCHAR, configuration VARCHAR,"
            " origin VARCHAR, machine VARCHAR, mq_level VARCHAR, source VARCHAR, network VARCHAR,"
            " file_size_mb DOUBLE, x_factors MAP(VARCHAR, VARCHAR));"
            "CREATE TABLE marts.fct_run (origin VARCHAR, run_id VARCHAR, campaign VARCHAR,"
            " git_revision VARCHAR, configuration_id VARCHAR, mq_level VARCHAR, machine VARCHAR,"
            " start_utc TIMESTAMP);"
            "CREATE TABLE marts.fct_address_space_measurement (origin VARCHAR, run_id VARCHAR,"
            " campaign VARCHAR, configuration_id VARCHAR, start_utc TIMESTAMP,"
            " git_revision VARCHAR, metric VARCHAR, value DOUBLE, unit VARCHAR,"
            " more_is_better BOOLEAN, is_compared BOOLEAN, address_space VARCHAR);"
            "CREATE TABLE marts.fct_measurement AS"
            " SELECT * EXCLUDE (address_space) FROM marts.fct_address_space_measurement;"
            "CREATE TABLE marts.fct_system_measurement AS"
            " SELECT *, '' AS system FROM marts.fct_measurement;"
        )
        for key, (source, network, size, machine, level) in CONFIGURATIONS.items():
            text = f"{source}, {network}, {size:g} MB, {machine}"
            row = [key, text, "measured", machine, level, source, network, size]
            db.execute(f"INSERT INTO marts.dim_configuration VALUES ({'?, ' * 8} MAP {{}})", row)
        for n, (campaign, build, key, origin, complete, *values) in enumerate(RUNS):
            for i, (rate, cost) in enumerate(zip(*values, strict=True)):
                run = f"{campaign}-{n}-{i}"
                machine = CONFIGURATIONS[key][3]
                db.execute(
                    "INSERT INTO marts.fct_run VALUES (?, ?, ?, ?, ?, '9.2', ?,"
                    " TIMESTAMP '2026-01-01' + to_days(?))",
                    [origin, run, campaign, build, key, machine, n],
                )
                for metric, part, value, unit, more in (
                    ("rate", None, rate, "MB/s", True),
                    ("cost_per_GB", None, cost, "CPU seconds/GB", False),
                    ("cost_per_GB", "AGNT1", cost / 2, "CPU seconds/GB", False),
                    ("files", None, 4, "files", None),
                ):
                    of_space = {"address_space": part} if part else {}
                    row = {"origin": origin, "run_id": run, "metric": metric, "value": value,
                           "unit": unit, "more_is_better": more, "is_compared": complete,
                           **of_space}  # fmt: skip
                    mart = "fct_address_space_measurement" if part else "fct_measurement"
                    db.execute(
                        f"INSERT INTO marts.{mart} ({', '.join(row)})"
                        f" VALUES ({', '.join('?' * len(row))})",
                        list(row.values()),
                    )
    return file


@pytest.fixture
def db(warehouse: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(warehouse), read_only=True) as opened:
        yield opened


MAY = "campaign=may,origin=measured"


def verdicts(db: duckdb.DuckDBPyConnection, a: str, b: str, **given: object) -> dict[str, str]:
    found = compare_runs(db, a, b, **given)  # type: ignore[arg-type]
    return {f"{p.configuration[-13:-5]} {p.metric} {p.part}".strip(): p.judged.verdict
            for p in found.pairs}  # fmt: skip


def test_a_rise_of_cost_is_worse_and_a_rise_of_rate_is_better(
    db: duckdb.DuckDBPyConnection,
) -> None:
    found = compare_runs(db, MAY, "june")
    told = {(p.configuration, p.metric): (p.judged.verdict, round(p.judged.ratio, 2))
            for p in found.pairs}  # fmt: skip
    assert told == {
        ("xLinux, 1Gb, 10 MB, z15", "cost_per_GB"): ("worse", 1.2),
        ("xLinux, 1Gb, 10 MB, z15", "rate"): ("same", 1.0),
        ("xLinux, 1Gb, 100 MB, z15", "cost_per_GB"): ("same", 1.0),
        ("xLinux, 1Gb, 100 MB, z15", "rate"): ("better", 1.1),
    }
    assert found.only_baseline == ["xLinux, 10Gb, 10 MB, z15"]
    assert found.only_candidate == []
    assert found.incomplete == 1  # whose rate of 1 MB/s is not counted


def test_a_name_is_looked_for_among_campaigns_builds_levels_and_machines(
    db: duckdb.DuckDBPyConnection,
) -> None:
    assert compare_runs(db, "build1", "june").baseline.terms == {"git_revision": "build1"}
    machines = compare_runs(db, "machine=z15,origin=measured", "z16")
    assert machines.candidate.terms == {"campaign": "z16"}  # campaigns come first
    assert {p.configuration for p in machines.pairs} == {
        "xLinux, 1Gb, 10 MB, z15",
        "xLinux, 1Gb, 100 MB, z15",
    }


def test_runs_are_matched_on_all_factors_but_those_that_tell_the_sides_apart(
    db: duckdb.DuckDBPyConnection,
) -> None:
    found = compare_runs(db, f"network=1Gb,file_size_mb=10,{MAY}", f"network=10Gb,{MAY}")
    assert [(p.metric, p.judged.verdict) for p in found.pairs] == [
        ("cost_per_GB", "better"),
        ("rate", "better"),
    ]


def test_one_run_against_four_is_not_enough_runs(db: duckdb.DuckDBPyConnection) -> None:
    found = compare_runs(db, MAY, "few")
    assert {p.judged.verdict for p in found.pairs} == {"not enough runs"}


def test_address_spaces_are_compared_when_asked_for(db: duckdb.DuckDBPyConnection) -> None:
    found = compare_runs(db, MAY, "june", parts=True, metrics=["cost_per_GB"])
    assert sorted({(p.part, p.metric) for p in found.pairs}) == [
        ("", "cost_per_GB"),
        ("AGNT1", "cost_per_GB"),
    ]


@pytest.mark.parametrize(
    ("baseline", "candidate", "reason"),
    [
        ("april", "june", "there are campaign=may, campaign=made, campaign=z16"),
        ("may", "june", "choose with ,origin=measured"),
        ("june", "june", "name the same runs"),
        ("june", "colour=red", "no factor or label is named 'colour'"),
        ("june", "campaign=april", "no run has campaign=april"),
        (MAY, "campaign=z16", "differ in machine (z15 against z16): try --ignore NAME"),
        (MAY, "june,campaign=june", "--metric"),
    ],
)
def test_sides_that_cannot_be_compared_are_rejected_with_a_reason(
    db: duckdb.DuckDBPyConnection, baseline: str, candidate: str, reason: str
) -> None:
    metrics = ["nettime"] if reason == "--metric" else []
    with pytest.raises(SelectionError) as error:
        compare_runs(db, baseline, candidate, metrics=metrics)
    assert (reason if not metrics else "have no metric nettime in common") in str(error.value)


def test_exit_status_1_means_that_something_is_worse(
    warehouse: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["--warehouse", str(warehouse)]
    assert main(["compare", MAY, "june", "--format", "json", *at]) == 1
    told = json.loads(capsys.readouterr().out)
    assert {p["judged"]["verdict"] for p in told["pairs"]} == {"worse", "better", "same"}
    assert main(["compare", MAY, "june", "--metric", "rate", *at]) == 0
    assert "1 better, 1 same" in capsys.readouterr().out
    assert main(["compare", MAY, "z16", "--ignore", "machine", *at]) == 0
    capsys.readouterr()
    assert main(["compare", "few", "june", "--metric", "rate", "--format", "json", *at]) == 0
    told = json.loads(capsys.readouterr().out)  # no NaN, which is no JSON
    assert told["pairs"][0]["judged"]["verdict"] == "not enough runs"
    assert main(["compare", "nothing", "june", *at]) == 2
    assert capsys.readouterr().err.count("\n") == 1


VERDICTS = ("worse", "better", "same")


def test_the_table_shows_what_differs_and_all_on_demand(
    warehouse: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["compare", MAY, "june", "--warehouse", str(warehouse)]
    shown, verdicts = {}, {}
    for option in ([], ["--all"]):
        main([*command, *option])
        lines = capsys.readouterr().out.splitlines()
        shown[len(option)] = sum(" to " in line for line in lines)
        verdicts[len(option)] = [line.strip() for line in lines if line.strip() in VERDICTS]
        # each configuration has a number in the tables, and its name below them
        rows = {line.split()[0] for line in lines if " to " in line}
        named = {line.split()[0] for line in lines if " MB, " in line and "only" not in line}
        assert named == rows
    assert shown[0] < shown[1]
    assert [*verdicts[0], "same"] == verdicts[1]
