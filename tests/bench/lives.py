"""What becomes of a regression: how often each kind of life is told right, night after night.

A trial is a campaign of six series, one of which lives through a change; all have Gaussian noise,
of 2 % if nothing else is said. Regressions are judged every third night, as if a check ran that
morning. The figures are also written to docs/developers/lives-figures.md, unless --quick (few
trials).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console

from expectations.limits import read_limits
from expectations.regressions.faults import NO_MORE_RUNS
from expectations.regressions.finding import ENVIRONMENT
from expectations.regressions.judge import judge_build
from expectations.regressions.states import CONFIRMED, NEW, OPEN, SURE, SUSPECTED, WITHDRAWN
from expectations.regressions.store import Row, read_current, write_events
from tests.kit.nights import MARTS

__all__ = ["LIVES", "Life", "lived", "run"]

PAGE = Path(__file__).parents[2] / "docs" / "developers" / "lives-figures.md"
TRIALS, QUICK = 100, 20
SERIES, NOISE, MANY = 6, 0.02, 30
GOAL = 0.95
_ON_Z16 = 0.8  # of the cost
_FEW = 10  # nights of a life
SIGMAS, WAIT = (3.0, 5.0, 20.0), 14  # sizes of a step, and nights in which it is awaited
Floats = NDArray[np.float64]
Story = list[Row]  # all events of one trial, in order
Right = Callable[[Story], bool]


@dataclass(frozen=True, slots=True)
class Life:
    """A course of one cost, and what must be reported about it.

    level: of each night, 1 is usual; nights: numbers of nights at which it is judged; is_right: of
    the events of a trial; forgotten: the first of the nights whose runs the last check no longer
    has; usual: the usual cost if it is counted in whole units, else None; noise: of a run; series,
    moved: of a trial, and how many of them live through the change; stops: the night from which on
    the changed series has no runs; goes_on: whether another machine has them instead, at four
    fifths of the cost; again: builds that are run again on a day, so many times each; of_day: what
    all runs of a day have, whatever their build; late: nights whose runs are not there before
    another one.
    """

    title: str
    level: Callable[[NDArray[np.int64]], Floats]
    nights: Sequence[int]
    is_right: Right
    forgotten: int | None = None
    usual: int | None = None
    noise: float = NOISE
    series: int = SERIES
    moved: int = 1
    stops: int | None = None
    goes_on: bool = False
    again: tuple[tuple[int, range, int], ...] = ()
    of_day: Callable[[NDArray[np.int64]], Floats] = np.ones_like
    late: tuple[range, int] = (range(0), 0)
    often: tuple[int, float, float] = (0, 0.0, 0.0)
    source: int | None = None
    runs: int = 1
    of_night: float = 0.0
    memory: float = 0.0
    answer: tuple[int, str] = (0, "")


def marts(costs: Floats, life: Life) -> duckdb.DuckDBPyConnection:
    """Return the marts of runs with these costs: trials, series of a trial, nights."""
    nights = costs.shape[-1]
    trial, one, night = (axis.ravel() for axis in np.indices(costs.shape))
    figures = {"trial": trial, "one": one, "night": night, "value": costs.ravel()}
    runs = pl.DataFrame(figures).with_columns(day="night", times=0)
    random = np.random.default_rng(2)
    for n in range(1, life.runs):
        more = random.normal(0, life.noise, (*costs.shape[:2], life.nights[-1]))[..., :nights]
        same = runs.filter(pl.col("times") == 0).with_columns(times=pl.lit(n))
        same = same.with_columns(pl.col("value") * np.exp(more.ravel()))
        runs = pl.concat([runs, same], how="vertical_relaxed")
    runs = pl.concat([runs, *(_again(runs, life, *of) for of in life.again if of[0] < nights)])
    day = life.of_day(runs["day"].to_numpy()) ** (runs["one"].to_numpy() < life.moved)
    runs = runs.with_columns(pl.col("value") * day)
    if nights < life.late[1]:
        runs = runs.filter(~pl.col("night").is_in(life.late[0]))
    db = duckdb.connect()
    db.execute(MARTS)
    db.register("drawn", runs.to_arrow())
    source = nights if life.source is None else life.source
    db.execute(
        f"""
        CREATE TABLE run AS
        SELECT
            't' || trial AS campaign,
            one = 0 AND night >= {life.stops or nights} AS stopped,
            format('t{{}}-{{}}-{{:03}}', trial, one, night)
                || if(times > 0, '.' || day || '.' || times, '') AS run_id,
            campaign || 'c' || one || if(stopped, 'h', '') AS configuration_id,
            if(stopped, 'z16', 'z15') AS machine,
            TIMESTAMP '2026-01-01 22:00' + to_minutes(1440 * day + one - 60 * times) AS start_utc,
            format('g{{:03}}', night) AS git_revision,
            if(stopped, {_ON_Z16}, 1) * value AS value,
            if(night >= {source}, 'another', 'derived') AS value_source,
            one AS file_size_mb, 'simulated' AS origin, true AS is_compared,
            'cost_per_GB' AS metric, 'CPU seconds per GB' AS unit, false AS more_is_better
        FROM drawn WHERE {life.goes_on} OR NOT stopped;
        INSERT INTO marts.dim_configuration BY NAME
        SELECT DISTINCT configuration_id, configuration_id AS configuration, machine, file_size_mb
        FROM run;
        INSERT INTO marts.fct_run BY NAME
        SELECT origin, run_id, campaign, configuration_id, start_utc, git_revision, is_compared,
            []::VARCHAR[] AS issues
        FROM run;
        INSERT INTO marts.fct_measurement BY NAME
        SELECT * EXCLUDE (stopped, machine, file_size_mb) FROM run
        """
    )
    return db


def _again(runs: pl.DataFrame, life: Life, day: int, builds: range, times: int) -> pl.DataFrame:
    """Return the runs of builds that are run again on a day."""
    random, same = np.random.default_rng(day), runs.filter(pl.col("night").is_in(builds))
    level = life.level(same["night"].to_numpy()) ** (same["one"].to_numpy() < life.moved)
    return pl.concat(
        same.with_columns(
            value=level * np.exp(random.normal(0, life.noise, same.height)),
            day=pl.lit(day, pl.Int64),
            times=pl.lit(n + 1, pl.Int32),
        )
        for n in range(times)
    )


def lived(life: Life, trials: int, seed: int, every: int = 1) -> list[Story]:
    """Return what is told in each trial.

    every: of many nights of a life, the last of so many are judged.
    """
    judged = life.nights if len(life.nights) < _FEW else sorted(life.nights[::-every])
    random = np.random.default_rng([seed, *life.title.encode()])
    nights = np.arange(life.nights[-1])
    rest = random.normal(0, life.noise, (trials, life.series, nights.size))
    for night in nights[1:]:
        rest[..., night] *= (1 - life.memory**2) ** 0.5
        rest[..., night] += life.memory * rest[..., night - 1]
    costs = np.exp(rest)
    costs[:, : life.moved] *= life.level(nights)
    first, share, size = life.often
    if life.of_night:
        costs *= np.exp(random.normal(0, life.of_night, (trials, 1, nights.size)))
    dear = (nights >= first) & (random.random((trials, life.moved, nights.size)) < share)
    costs[:, : life.moved] *= 1 + size * dear
    if life.usual:
        costs = np.round(life.usual * costs)
    stories: list[Story] = [[] for _ in range(trials)]
    answered = not life.answer[1]
    with tempfile.TemporaryDirectory() as folder:
        for night in judged:
            with marts(costs[..., :night], life) as db:
                if life.forgotten is not None and night == life.nights[-1]:
                    gone = f"git_revision >= 'g{life.forgotten:03}' AND configuration_id LIKE '%c0'"
                    for table in ("fct_run", "fct_measurement"):
                        db.execute(f"DELETE FROM marts.{table} WHERE {gone}")
                for event in judge_build(db, Path(folder), f"b{night}", read_limits()).events:
                    stories[int(event["campaign"][1:])].append(event)
            if not answered and night >= life.answer[0]:
                answered = True
                said = {"state": life.answer[1], "by": "ann", "note": "it is known"}
                known = read_current(Path(folder))
                write_events([row | said for row in known if row["state"] in OPEN], Path(folder))
    return stories


def _last(story: Story) -> Row | None:
    """Return the last event of the changed series."""
    events = [row for row in story if _of_change(row)]
    return events[-1] if events else None


def _states(story: Iterable[Row]) -> set[str]:
    return {row["state"] for row in story}


def _is(*states: str) -> Right:
    """Return whether the last event of the changed series has one of these states."""
    return lambda story: (_last(story) or {"state": ""})["state"] in states


def _are(
    *percents: float, states: Collection[str] = SURE, of: str = "", apart: float = 0.5
) -> Right:
    """Return whether changes of about these sizes were told, and nothing else.

    states: of each of them at last, if any; of: end of the names of their configurations; apart:
    the largest distance of a size, as a share of it.
    """

    def is_right(story: Story) -> bool:
        told = _told(story)
        return len(told) == len(percents) and all(
            row["state"] in (states or row["state"])
            and row["configuration_id"].endswith(of)
            and abs(row["change_percent"] - percent) <= apart * percent
            for row, percent in zip(told, percents, strict=True)
        )

    return is_right


def _told(story: Story) -> list[Row]:
    """Return the last event of each regression that was not withdrawn, in order of onsets."""
    last = {row["regression_id"]: row for row in story if row["state"] != WITHDRAWN}
    return sorted(last.values(), key=lambda row: row["onset_utc"])


def _nothing(story: Story) -> bool:
    return not story


def _half_left(story: Story) -> bool:
    last = _last(story)
    is_half = last is not None and abs(last["change_percent"] - 3) < 1.5
    return is_half and _is(*OPEN)(story) and "fixed" not in _states(filter(_of_change, story))


def _of_kind(kind: str) -> Right:
    """Return whether one change of about 6 % is open, and of this kind."""
    return lambda story: _are(6)(story) and _told(story)[0]["kind"] == kind


def _near_60(row: Row) -> bool:
    return abs(int(row["onset_run_id"][-3:]) - 60) <= 2


def _stop(of: str, *states: str) -> Right:
    """Return whether the end of the runs was said once, and a change of about 6 % is open."""

    def is_right(story: Story) -> bool:
        stops = [row for row in story if row["metric"] == NO_MORE_RUNS]
        rest = [row for row in story if row["metric"] != NO_MORE_RUNS]
        is_once = len({row["regression_id"] for row in stops}) == 1
        return is_once and stops[-1]["state"] in states and _are(6, of=of)(rest)

    return is_right


def _none_open(story: Story) -> bool:
    """Whether no more than suspicions were told, and they were withdrawn."""
    last = {row["regression_id"]: row["state"] for row in story}
    return OPEN.isdisjoint(last.values()) and not _sure_of(story)


def _sure_of(story: Story) -> set[str]:
    """Return what was told as more than a suspicion."""
    return {row["regression_id"] for row in story if row["state"] in SURE}


def _source_is_told(*percents: float) -> Right:
    """Return whether another source was told once, and besides it changes of about these sizes."""

    def is_right(story: Story) -> bool:
        groups = {row["group_id"] for row in story if row["metric"] == "source"}
        return len(groups) == 1 and _are(*percents)(
            [row for row in story if row["metric"] != "source"]
        )

    return is_right


def _one_ramp(story: Story) -> bool:
    """Whether one group is told, with at least half of the change in what is open of it."""
    told = _told(story)
    left = sum(row["change_percent"] for row in told if row["state"] in OPEN)
    return len({row["group_id"] for row in told}) == 1 and left > 4


def _back(story: Story) -> bool:
    """Whether two changes were told, of which the first is fixed, and the second is back."""
    told = _told(story)
    if [row["state"] in OPEN for row in told] != [False, True]:
        return False
    first, second = told
    notes = [row["note"] for row in story if row["regression_id"] == second["regression_id"]]
    is_back = any(note.startswith(f"back: {first['regression_id']}") for note in notes)
    return first["state"] == "fixed" and is_back


def _one_story(story: Story) -> bool:
    """Whether one group was told the next morning, has most of the members, and its date."""
    told = [row for row in _told(story) if row["state"] in OPEN]
    return (
        len({row["group_id"] for row in story}) == 1
        and {row["build_id"] for row in story} >= {"b61"}
        and len(told) >= 0.75 * MANY
        and any(row["leads"] and _near_60(row) for row in told)
    )


def _step(size: float, first: int, end: int | None = None) -> Callable[[NDArray[np.int64]], Floats]:
    return lambda n: 1 + size * ((n >= first) & (n < (end or n.size + 1)))


def _in_turns(n: NDArray[np.int64]) -> Floats:
    """Return whether a night is of the dearer of two modes, kept for five nights on average."""
    switches = np.random.default_rng(5).random(n.size) < 1 / 5
    return np.cumsum(switches) % 2.0


LIVES = {
    "half": Life(
        "6 % more from night 60 on, half of it gone from night 90 on: open, with its new size",
        lambda n: 1 + 0.06 * (n >= 60) - 0.03 * (n >= 90),
        range(66, 130, 3),
        _half_left,
    ),
    "whole": Life(
        "6 % more from night 60 to 89, then as before: fixed",
        _step(0.06, 60, 90),
        range(66, 130, 3),
        _is("fixed"),
    ),
    "dip": Life(
        "6 % less for three nights, then as before: nothing is told",
        _step(-0.06, 60, 63),
        range(60, 100, 3),
        _nothing,
    ),
    "forgotten": Life(
        "6 % more, then its runs are forgotten: withdrawn",
        _step(0.06, 60),
        (72, 78, 81),
        _is(WITHDRAWN),
        forgotten=60,
    ),
    "units": Life(
        "20 ms, in whole ms, are 21 from night 60 on (1 % noise): told once",
        _step(0.05, 60),
        range(60, 100, 3),
        _are(5),
        usual=20,
        noise=0.01,
    ),
    "same units": Life(
        "20 ms, in whole ms, unchanged (1 % noise): nothing is told",
        _step(0, 60),
        range(30, 100, 3),
        _nothing,
        usual=20,
        noise=0.01,
    ),
    "other machine": Life(
        "6 % more from night 60 on, on another machine from night 80 on: said, and carried over",
        _step(0.06, 60),
        range(66, 110, 3),
        _stop("c0h", "fixed"),
        stops=80,
        goes_on=True,
    ),
    "stops": Life(
        "6 % more from night 60 on, no more runs from night 80 on: said once, open",
        _step(0.06, 60),
        range(66, 110, 3),
        _stop("c0", CONFIRMED, NEW),
        stops=80,
    ),
    "ramp": Life(
        "8 % more in 20 nights from night 60 on, then no more: one story",
        lambda n: 1 + 0.08 * np.clip((n - 59) / 20, 0, 1),
        range(60, 130, 3),
        _one_ramp,
    ),
    "leak": Life(
        "0.4 % more every night from night 60 on: one story",
        lambda n: 1 + 0.004 * np.maximum(n - 59, 0),
        range(60, 110, 3),
        _one_ramp,
    ),
    "back": Life(
        "6 % more from night 60 to 79 and again from night 100 on: fixed, then back",
        lambda n: 1 + 0.06 * (((n >= 60) & (n < 80)) | (n >= 100)),
        range(66, 130, 3),
        _back,
    ),
    "worse twice": Life(
        "6 % more from night 60 on, 8 % more again from night 90 on: two, both open",
        lambda n: (1 + 0.06 * (n >= 60)) * (1 + 0.08 * (n >= 90)),
        range(66, 130, 3),
        _are(6, 8),
    ),
    "gain lost": Life(
        "6 % less from night 60 to 99, then as before: told once",
        _step(-0.06, 60, 100),
        range(60, 130, 3),
        _are(6.4),
    ),
    "again": Life(
        "6 % more from build 60 on; builds 58 to 61 are run again three times on day 70: told once",
        _step(0.06, 60),
        range(66, 100, 3),
        _are(6),
        again=((70, range(58, 62), 3),),
    ),
    "good again": Life(
        "6 % more from build 60 on; the last good one is run again on days 70 and 76: told once",
        _step(0.06, 60),
        range(66, 100, 3),
        _are(6),
        again=((70, range(59, 60), 3), (76, range(59, 60), 3)),
    ),
    "bad again": Life(
        "6 % more in builds 60 to 79, of which five are run again on day 95: once, fixed",
        _step(0.06, 60, 80),
        range(66, 110, 3),
        _are(6, states={"fixed"}),
        again=((95, range(62, 67), 2),),
    ),
    "environment": Life(
        "6 % more from day 60 on in all runs, builds 40 to 49 are run again on day 75: told once",
        _step(0, 60),
        range(66, 110, 3),
        _of_kind(ENVIRONMENT),
        again=((75, range(40, 50), 1),),
        of_day=_step(0.06, 60),
    ),
    "environment, gain": Life(
        "6 % more from build 60 on, 6 % less from day 80 on in all runs, builds 40 to 49 are run "
        "again on day 82: open",
        _step(0.06, 60),
        range(66, 110, 3),
        _are(6),
        again=((82, range(40, 50), 1),),
        of_day=_step(-0.06, 80),
    ),
    "reference": Life(
        "a build is run again every fifth night (2 % noise): nothing is left open",
        _step(0, 60),
        range(30, 130, 4),
        _none_open,
        again=tuple((day, range(7, 8), 1) for day in range(10, 130, 5)),
    ),
    "late": Life(
        "6 % more from night 60 on; nights 57 to 64 arrive after night 75: told once, its date",
        _step(0.06, 60),
        range(68, 100, 3),
        lambda story: _are(6)(story) and _near_60(_told(story)[0]),
        late=(range(57, 65), 75),
    ),
    "short": Life(
        "6 % more for three nights, then as before: nothing is left open",
        _step(0.06, 60, 63),
        range(60, 100, 3),
        lambda story: not _is(*OPEN)(story),
    ),
    "bad nights": Life(
        "25 % more on every twentieth night: nothing is left open",
        lambda n: 1 + 0.25 * (n % 20 == 19),
        range(60, 130, 3),
        lambda story: not _is(*OPEN)(story),
    ),
    "modes": Life(
        "8 % more for some nights at a time, five on average, from the start on: nothing is told",
        lambda n: 1 + 0.08 * _in_turns(n),
        range(60, 200, 3),
        lambda story: _states(story) <= {SUSPECTED, WITHDRAWN},
    ),
    "often": Life(
        "10 % more on three nights in ten from night 60 on: told once, within 70 nights",
        _step(0, 60),
        range(66, 132, 3),
        lambda story: len(_sure_of(story)) == 1,
        often=(60, 0.3, 0.1),
    ),
    "source": Life(
        "another tool measures from night 60 on, 20 % more: that is said, and no regression",
        _step(0.2, 60),
        range(60, 110, 3),
        _source_is_told(),
        moved=SERIES,
        source=60,
    ),
    "source, worse": Life(
        "another tool measures from night 60 on, and 8 % more from night 90 on: both are told once",
        lambda n: (1 + 0.2 * (n >= 60)) * (1 + 0.08 * (n >= 90)),
        range(60, 130, 3),
        _source_is_told(8),
        source=60,
    ),
    "small": Life(
        "3 % more from night 60 on: told once, within 60 nights",
        _step(0.03, 60),
        range(66, 122, 3),
        _are(3),
    ),
    "large": Life(
        "40 % more from night 60 on: told after two nights",
        _step(0.4, 60),
        (60, 61, 62),
        _is(*OPEN),
    ),
    "better": Life(
        "6 % less from night 60 on: nothing is told",
        _step(-0.06, 60),
        range(60, 130, 3),
        _nothing,
    ),
    "half a gain lost": Life(
        "10 % less from night 60 on, half of it from night 90 on: told once",
        lambda n: 1 - 0.1 * (n >= 60) + 0.05 * (n >= 90),
        range(60, 130, 3),
        _are(5.5),
    ),
    "five runs": Life(
        "five runs a night, 4 % of noise between nights: nothing is told",
        _step(0, 60),
        range(20, 100, 4),
        _none_open,
        runs=5,
        of_night=0.04,
    ),
    "five runs, worse": Life(
        "five runs a night, 1 % of noise between nights, 6 % more from night 60 on: told once",
        _step(0.06, 60),
        range(60, 100, 3),
        _are(6),
        runs=5,
        of_night=0.01,
    ),
    "accepted": Life(
        "6 % more from night 60 on, accepted after night 75: not told again",
        _step(0.06, 60),
        range(66, 130, 3),
        _are(6, states=()),
        answer=(75, "acknowledged"),
    ),
    "accepted, worse": Life(
        "6 % more from night 60 on, accepted after night 75, 8 % more from night 95 on: told too",
        lambda n: (1 + 0.06 * (n >= 60)) * (1 + 0.08 * (n >= 95)),
        range(66, 130, 3),
        _are(6, 8, states=()),
        answer=(75, "expected"),
    ),
    "false alarm": Life(
        "6 % more from night 60 on, called a false alarm after night 75: not told again",
        _step(0.06, 60),
        range(66, 130, 3),
        _are(6, states=()),
        answer=(75, "false alarm"),
    ),
    "rare nights": Life(
        "15 % more on one night in twenty, from the start on: nothing is left open",
        _step(0, 60),
        range(60, 130, 3),
        _none_open,
        often=(0, 0.05, 0.15),
    ),
    "memory": Life(
        "noise with a memory of 0.3: nothing is left open",
        _step(0, 60),
        range(30, 130, 4),
        _none_open,
        memory=0.3,
    ),
    "weekends": Life(
        "5 % less at weekends: nothing is left open",
        lambda n: 1 - 0.05 * (n % 7 > 4),
        range(40, 130, 4),
        _none_open,
    ),
    "weekends, worse": Life(
        "5 % less at weekends, and 6 % more from night 60 on: told once",
        lambda n: (1 - 0.05 * (n % 7 > 4)) * (1 + 0.06 * (n >= 60)),
        range(66, 110, 3),
        _are(6),
    ),
    "taken back": Life(
        "6 % more from night 60 to 71, good for five nights, and again: open, told once or twice",
        lambda n: 1 + 0.06 * (((n >= 60) & (n < 72)) | (n >= 77)),
        range(66, 120, 3),
        lambda story: len(_sure_of(story)) <= 2 and _is(*OPEN)(story),
    ),
    "together": Life(
        f"5 % more in {MANY} configurations (3 % noise): one story, the next morning",
        _step(0.05, 60),
        (60, 61, 62, 63, 65, 70, 75),
        _one_story,
        noise=0.03,
        series=MANY,
        moved=MANY,
    ),
    "apart": Life(
        f"{MANY} configurations without a change (3 % noise): nothing is told",
        _step(0, 60),
        (*range(40, 60, 4), *range(60, 76)),
        _nothing,
        noise=0.03,
        series=MANY,
    ),
}


def nights_until_told(sigma: float, trials: int, seed: int) -> tuple[list[int], list[int]]:
    """Return the nights after which a step is suspected, and told as a regression, per trial.

    sigma: its size in standard deviations of a run. One more than the last night if it is not.
    """
    life = Life(f"{sigma} sigma", _step(sigma * NOISE, 60), range(61, 61 + WAIT), lambda _: True)
    told = [
        [(int(row["build_id"][1:]) - 60, row["state"]) for row in story if _of_change(row)]
        for story in lived(life, trials, seed)
    ]
    first = [min((night for night, _ in of), default=WAIT + 1) for of in told]
    sure = [
        min((night for night, state in of if state in {NEW, CONFIRMED}), default=WAIT + 1)
        for of in told
    ]
    return first, sure


def _of_change(row: Row) -> bool:
    return str(row["configuration_id"]).endswith("c0") and row["metric"] != NO_MORE_RUNS


def _nights(of: Sequence[int]) -> str:
    """Return the median and the 95 % quantile of numbers of nights."""
    median, most = np.quantile(of, [0.5, 0.95], method="higher")
    return " | ".join(f"{n:.0f}" if n <= WAIT else f"over {WAIT}" for n in (median, most))


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the share of right trials, and whether each is at least 95 %."""
    trials = QUICK if quick else TRIALS
    numbers = {name: max(trials * SERIES // life.series, 4) for name, life in LIVES.items()}
    shares = {
        name: float(np.mean([life.is_right(story) for story in lived(life, numbers[name], 1)]))
        for name, life in LIVES.items()
    }
    waits = {sigma: nights_until_told(sigma, trials, 1) for sigma in SIGMAS}
    page = "\n".join([
        "# Figures of the lives of regressions",
        "",
        "Written by `python -m tests.bench lives`; tests/bench/lives.py has the lives, and",
        "[regressions.md](../regressions.md) the rules.",
        f"Campaigns of {SERIES} series with {100 * NOISE:.0f} % Gaussian noise, or as it is said,",
        "judged every third night.",
        "",
        "| life, and what has to be told | campaigns | told right |",
        "|---|---:|---:|",
        *(f"| {LIVES[name].title} | {numbers[name]} "
          f"| {share:.1%} |" for name, share in shares.items()),
        "",
        f"Nights until a step after 60 nights is told, judged every night; {trials} campaigns",
        f"each, followed for {WAIT} nights: the median, and what 95 % are told in.",
        "",
        "| size, sigma of a run | suspected, median | 95 % | a regression, median | 95 % |",
        "|---:|---:|---:|---:|---:|",
        *(f"| {sigma:.0f} | {_nights(first)} | {_nights(sure)} |"
          for sigma, (first, sure) in waits.items()),
        "",
    ])  # fmt: skip
    console.print(page, markup=False, highlight=False)
    if not quick:
        PAGE.write_text(page)
    figures: dict[str, object] = dict(shares)
    figures |= {
        f"nights until {sigma:.0f} sigma are told, median": float(np.median(first))
        for sigma, (first, _) in waits.items()
    }
    return figures, quick or min(shares.values()) >= GOAL
