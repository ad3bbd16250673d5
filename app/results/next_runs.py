"""Which builds to run next, and how often, to find the build that a change came with.

The runs that are there give each build of the interval of a regression, from its
`onset_first_build` to its `onset_last_build`, a probability of being the first bad one: a run of a
build is nearer to the level before the change or to the one after it. Builds without a complete run
share what their neighbours leave open. The next build to run is the one that divides the
probability into halves, and it runs so often that the mean of its runs is on the wrong side of the
middle between the two levels in one case of a hundred.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import duckdb

from app.results.regressions import series_of
from expectations.detector.dating import SURE, likely_places
from expectations.detector.history import noise_of
from expectations.regressions.finding import LEVEL, PAIR
from expectations.regressions.series import SESSIONS
from expectations.regressions.states import CONFIRMED, NEW
from expectations.regressions.store import Row

__all__ = ["NextRuns", "Suspect", "bisect_command", "in_words", "next_runs"]

_LOOKED_FOR = (NEW, CONFIRMED, "acknowledged")
_WRONG = 2.326  # one-sided 1 % of a normal distribution
_MOST_OFF = 3.0  # distance of a run from a level, in deviations, beyond which it says no more
_MOST_RUNS = 100
_LEAST_FREEDOM = 4  # of the noise within builds


@dataclass(frozen=True, slots=True)
class Suspect:
    """A build that the change may have come with: its probability, and its complete runs so far."""

    build: str
    probability: float
    runs: int


@dataclass(frozen=True, slots=True)
class NextRuns:
    """What to run next.

    suspects: the builds in order of time that have 95 % of the probability, all in one stretch;
    good, bad: the builds before the first and at the last suspect, '' if unknown; build: the one to
    run next, '' if only one is suspected; times: how often each build is run, None if no number of
    runs of one build decides; noise_percent, change_percent: of a run and of the change, relative
    to the level before; between_percent: noise between builds, None if it is not known.
    """

    suspects: tuple[Suspect, ...]
    good: str
    bad: str
    build: str
    times: int | None
    noise_percent: float
    change_percent: float
    between_percent: float | None

    @property
    def steps(self) -> int:
        """How many builds have to be run one after another."""
        return math.ceil(math.log2(len(self.suspects)))


def next_runs(db: duckdb.DuckDBPyConnection, row: Row) -> NextRuns | None:
    """Return what to run next for a regression, as in meta.regression.

    None for what has no first bad build (drifts, missing data, a level outside a model's band), for
    what needs none (fixed, expected, a false alarm), and if its runs are not in the warehouse.
    """
    before, after, effect = row["before"], row["after"], row["effect"]
    if row["state"] not in _LOOKED_FOR:
        return None
    if row["kind"] not in {LEVEL, PAIR} or not before or after is None or not effect:
        return None
    runs = series_of(db, row)
    values: dict[str, list[float]] = {}
    for run in runs.iter_rows(named=True):
        values.setdefault(run["build"], []).append(run["value"])
    last_good, builds = _builds(db, row)
    if row["onset_run_id"] not in set(runs["run_id"]) or not builds:
        return None
    noise = abs(after - before) / effect
    suspects = _suspects(builds, values, (before, after), noise)
    index = builds.index(suspects[0].build)
    good = builds[index - 1] if index else last_good
    earlier = runs.filter(runs["start_utc"] < row["onset_utc"])
    of_builds, times = None, _times(abs(after - before), noise)
    history = None
    if (earlier["value"] > 0).all():
        history = noise_of(earlier["value"].to_numpy(), earlier["build"].to_list())
    # With one run per build, the noise of builds cannot be separated from that of runs.
    if history and history.within_freedom >= _LEAST_FREEDOM:
        of_builds = 100 * history.between
        left = (abs(after / before - 1) / 2 / _WRONG) ** 2 - history.between**2
        times = _at_most(history.within**2 / left) if left > 0 else None
    return NextRuns(
        suspects=suspects,
        good=good,
        bad=suspects[-1].build,
        build=_middle(suspects),
        times=times,
        noise_percent=100 * noise / abs(before),
        change_percent=100 * (after / before - 1),
        between_percent=of_builds,
    )


def in_words(hint: NextRuns) -> list[str]:
    """Return in sentences what is suspected, what to run next, and why so often."""
    between = (
        f"; builds differ by {hint.between_percent:.2g} % for no reason"
        if hint.between_percent is not None
        else ""
    )
    noise = f"a run has a noise of {hint.noise_percent:.2g} %{between}"
    sentences = [_suspicion(hint)]
    if hint.times is None:
        sentences.append(
            "However often one build is run, its runs do not decide: run more builds before and "
            "after the change."
        )
    else:
        each = "once" if hint.times == 1 else f"{hint.times} times"
        in_row = (
            "That decides."
            if hint.steps == 1
            else f"Halving the range each time takes {hint.steps} builds."
        )
        sentences.append(
            f"Run {hint.build} next, {each}. {in_row}"
            if hint.build
            else f"To find the commit, bisect what lies between the two builds and run each {each}."
        )
    sentences.append(f"The change is {hint.change_percent:+.1f} %, and {noise}.")
    return sentences


def bisect_command(hint: NextRuns) -> str:
    """Return what begins the search for the commit; '' if the builds are no Git revisions."""
    revisions = [hint.bad, hint.good]
    return f"git bisect start {' '.join(revisions)}" if all(map(_is_revision, revisions)) else ""


def _is_revision(build: str) -> bool:
    return re.fullmatch("[0-9a-f]{7,64}", build) is not None


def _suspicion(hint: NextRuns) -> str:
    if len(hint.suspects) > 1:
        listed = ", ".join(f"{s.build} ({100 * s.probability:.0f} %)" for s in hint.suspects)
        return f"The first bad build is one of {len(hint.suspects)}: {listed}."
    (only,) = hint.suspects
    likely = f"{only.build} is the first bad build ({100 * only.probability:.0f} %)"
    return f"{likely}, {hint.good} the last good one." if hint.good else f"{likely}."


def _builds(db: duckdb.DuckDBPyConnection, row: Row) -> tuple[str, list[str]]:
    """Return the build of the last good run ('' if unknown), and those that may be the first bad.

    All builds of the campaign count, in their order, whether this configuration was run or not.
    """
    names = [row[name] or row["onset_build"] for name in ("onset_first_build", "onset_last_build")]
    rows = db.execute(
        f"""
        SELECT build, bool_or(run_id = $3) AS is_good FROM {SESSIONS}
        WHERE origin = $1 AND campaign = $2 GROUP BY build, build_no ORDER BY build_no, build
        """,
        [row["origin"], row["campaign"], row["last_good_run_id"] or ""],
    ).fetchall()
    builds, good = [build for build, _ in rows], [is_good for _, is_good in rows]
    if not set(names) <= set(builds):
        return "", []
    first, last = map(builds.index, names)
    if True not in good[:first]:
        return "", builds[first : last + 1]
    last_good = good.index(True)  # it did not run in those since
    return builds[last_good], builds[last_good + 1 : last + 1]


def _suspects(
    builds: Sequence[str],
    values: dict[str, list[float]],
    levels: tuple[float, float],
    noise: float,
) -> tuple[Suspect, ...]:
    """Return the stretch of builds that has 95 % of the probability.

    All of them together have 95 %, as the interval of a regression does.
    """
    good, bad = (
        [
            sum(min(abs(value - level) / noise, _MOST_OFF) ** 2 for value in values.get(build, ()))
            for build in builds
        ]
        for level in levels
    )
    # Of build i as the first bad one: those before it are good, the rest is bad.
    costs = [sum(good[:i]) + sum(bad[i:]) for i in range(len(builds))]
    _, first, last = likely_places(costs)
    weights = [math.exp(-(cost - min(costs)) / 2) for cost in costs]
    return tuple(
        Suspect(builds[i], SURE * weights[i] / sum(weights), len(values.get(builds[i], ())))
        for i in range(first, last + 1)
    )


def _middle(suspects: Sequence[Suspect]) -> str:
    """Return the build whose runs divide the probability into halves; '' of a single one."""
    if len(suspects) == 1:
        return ""
    shares = list(accumulate(suspect.probability for suspect in suspects))
    return min(zip(shares[:-1], suspects, strict=False),
               key=lambda pair: abs(pair[0] - shares[-1] / 2))[1].build  # fmt: skip


def _times(change: float, noise: float) -> int | None:
    """Return how often a build is run, for a change and a noise in the same unit."""
    return _at_most((2 * _WRONG * noise / change) ** 2)


def _at_most(runs: float) -> int | None:
    return max(1, math.ceil(runs)) if runs <= _MOST_RUNS else None
