"""The comparison page starts with two sides whose runs can decide something."""

from collections.abc import Iterable
from pathlib import Path

import duckdb

from app.results.queries.comparison import best_pair, best_range, ranges_around, sides_of
from app.results.reader import Reader
from tests.kit.cases import cases

# day, campaign, build
Run = tuple[float, str, str]
# kind, level before, level, day of its last run, verdict
Pair = tuple[str, str, str, int, str]
SAME: list[Pair] = [("campaign", "may", "june", 9, "same")]


def with_runs(folder: Path, runs: Iterable[Run], pairs: Iterable[Pair] = ()) -> Reader:
    """Return the reader of a warehouse with these runs and compared pairs."""
    file = folder / "w.duckdb"
    day = "TIMESTAMP '2026-01-01' + to_minutes((1440 * ?)::INT)"
    with duckdb.connect(str(file)) as db:
        db.execute(
            "CREATE SCHEMA marts;"
            "CREATE TABLE marts.fct_run (origin VARCHAR, start_utc TIMESTAMP, campaign VARCHAR,"
            " git_revision VARCHAR);"
            "CREATE TABLE marts.fct_comparison (origin VARCHAR, kind VARCHAR, level_before VARCHAR,"
            " level_after VARCHAR, until_utc TIMESTAMP, verdict VARCHAR);"
        )
        for run in runs:
            db.execute(f"INSERT INTO marts.fct_run VALUES ('measured', {day}, ?, ?)", run)
        for pair in pairs:
            db.execute(
                f"INSERT INTO marts.fct_comparison VALUES ('measured', ?, ?, ?, {day}, ?)", pair
            )
    return Reader(file)


@cases
def test_the_latest_levels_come_first_of_which_most_pairs_are_decided(
    pairs: list[Pair], label: str, pair: tuple[str, str] | None, tmp_path: Path
) -> None:
    found = best_pair(with_runs(tmp_path, (), pairs), "measured", label)
    assert (found and (*found.candidate, *found.baseline)) == pair


@cases
def test_the_latest_builds_are_compared_with_as_many_before_them(
    builds: list[str], sides: tuple[tuple[str, ...], tuple[str, ...], bool] | None, tmp_path: Path
) -> None:
    """Builds are those of a campaign in order of time, one run each."""
    reader = with_runs(
        tmp_path,
        ((day, "nightly", build) for day, build in enumerate(builds)),
    )
    found = best_range(reader, "measured")
    assert (found and (found.baseline, found.candidate, found.can_decide)) == sides


@cases
def test_ranges_end_and_begin_with_two_builds(
    before: str, after: str, ranges: tuple[tuple[str, ...], tuple[str, ...]] | None, tmp_path: Path
) -> None:
    """Of builds b0 to b29, in order of time, these are the last good and the first bad one."""
    nights: list[Run] = [(day, "nightly", f"b{day}") for day in range(30)]
    reader = with_runs(tmp_path, [*nights, (10.5, "weekly", "other")])
    found = ranges_around(reader, "measured", before, after)
    assert (found and (found.baseline, found.candidate)) == ranges


def test_ranges_are_of_one_campaign(tmp_path: Path) -> None:
    """Both campaigns run every build; that of the afternoon has the latest run of four."""
    reader = with_runs(
        tmp_path,
        [
            (day + hour, campaign, f"b{day}")
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


def test_origins_are_not_mixed(tmp_path: Path) -> None:
    reader = with_runs(tmp_path, [(n, "c", f"b{n}") for n in range(8)], SAME)
    assert best_pair(reader, "simulated", "campaign") is None
    assert best_range(reader, "simulated") is None
