"""The comparison page starts with two sides whose runs can decide something."""

from collections.abc import Iterable
from pathlib import Path

import duckdb
import pytest

from app.results.queries.comparison import best_pair, best_range, ranges_around, sides_of
from app.results.reader import Reader
from tests.kit.cases import cases

# day, campaign, build, MQ level, machine, factors, complete
RUNS = [
    (1, "old", "b1", "9.9", "z15", "f", True),
    (2, "mid", "b2", "9.10", "z15", "f", True),
    (3, "mid", "b2", "9.10", "z15", "g", True),
    (4, "next", "b3", "9.10", "z16", "f", True),
    (5, "new", "b4", "9.10", "z16", "h", True),
    (6, "half", "b5", "9.10", "z16", "f", False),
]


Run = tuple[float, str, str, str, str, str, bool]


def with_runs(folder: Path, runs: Iterable[Run]) -> Reader:
    """Return the reader of a warehouse with these runs."""
    file = folder / "w.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute(
            "CREATE SCHEMA marts;"
            "CREATE TABLE marts.fct_run (origin VARCHAR, start_utc TIMESTAMP, campaign VARCHAR,"
            " git_revision VARCHAR, mq_level VARCHAR, machine VARCHAR, configuration_id VARCHAR,"
            " is_compared BOOLEAN);"
            "CREATE TABLE marts.dim_configuration (configuration_id VARCHAR, factors_id VARCHAR);"
        )
        for day, campaign, build, level, machine, factors, complete in runs:
            configuration = f"{factors} {machine} {level}"
            db.execute(
                "INSERT INTO marts.fct_run VALUES ('measured',"
                " TIMESTAMP '2026-01-01' + to_minutes((1440 * ?)::INT), ?, ?, ?, ?, ?, ?)",
                [day, campaign, build, level, machine, configuration, complete],
            )
            db.execute(
                "INSERT INTO marts.dim_configuration SELECT $1, $2 WHERE $1 NOT IN"
                " (SELECT configuration_id FROM marts.dim_configuration)",
                [configuration, factors],
            )
    return Reader(file)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return with_runs(tmp_path_factory.mktemp("runs"), RUNS)


@cases
def test_latest_comparable_levels_come_first(
    label: str, pair: tuple[str, str] | None, reader: Reader
) -> None:
    found = best_pair(reader, "measured", label)
    assert (found and (*found.candidate, *found.baseline)) == pair


@cases
def test_levels_with_enough_runs_come_before_the_latest(
    machines: list[tuple[str, int]], pair: tuple[str, str] | None, tmp_path: Path
) -> None:
    """Machines are in order of time, with their runs of each configuration."""
    reader = with_runs(
        tmp_path,
        (
            (day + n / 100, "c", "b", "9.4", machine, factors, True)
            for day, (machine, runs) in enumerate(machines)
            for factors in ("f", "g")
            for n in range(runs)
        ),
    )
    found = best_pair(reader, "measured", "machine")
    assert (found and (*found.candidate, *found.baseline)) == pair
    assert found is None or found.can_decide == (dict(machines)[pair[0]] > 1 if pair else False)


@cases
def test_the_latest_builds_are_compared_with_as_many_before_them(
    builds: list[str], sides: tuple[tuple[str, ...], tuple[str, ...], bool] | None, tmp_path: Path
) -> None:
    """Builds are those of a campaign in order of time, one run each."""
    reader = with_runs(
        tmp_path,
        ((day, "nightly", build, "9.4", "z16", "f", True) for day, build in enumerate(builds)),
    )
    found = best_range(reader, "measured")
    assert (found and (found.baseline, found.candidate, found.can_decide)) == sides


@cases
def test_ranges_end_and_begin_with_two_builds(
    before: str, after: str, ranges: tuple[tuple[str, ...], tuple[str, ...]] | None, tmp_path: Path
) -> None:
    """Of builds b0 to b29, in order of time, these are the last good and the first bad one."""
    nights: list[Run] = [(day, "nightly", f"b{day}", "9.4", "z16", "f", True) for day in range(30)]
    reader = with_runs(tmp_path, [*nights, (10.5, "weekly", "other", "9.4", "z16", "f", True)])
    found = ranges_around(reader, "measured", before, after)
    assert (found and (found.baseline, found.candidate)) == ranges


def test_ranges_are_of_one_campaign(tmp_path: Path) -> None:
    """Both campaigns run every build; that of the afternoon has the latest run of four."""
    reader = with_runs(
        tmp_path,
        [
            (day + hour, campaign, f"b{day}", "9.4", "z16", "f", True)
            for campaign, hour in (("morning", 0.2), ("afternoon", 0.6))
            for day in range(8)
        ],
    )
    found = best_range(reader, "measured")
    assert found is not None
    assert (found.campaign, found.baseline, found.candidate) == (
        "afternoon", ("b0", "b3"), ("b4", "b7"))  # fmt: skip
    for side in sides_of(found, "measured"):
        assert side["campaign"] == "afternoon"
    around = ranges_around(reader, "measured", "b3", "b4")
    assert around is not None
    assert (around.campaign, around.candidate) == ("afternoon", ("b4", "b7"))


def test_origins_are_not_mixed(reader: Reader) -> None:
    assert best_pair(reader, "simulated", "campaign") is None
    assert best_range(reader, "simulated") is None
