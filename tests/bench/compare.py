"""How well comparisons judge builds when builds differ for no reason.

Each configuration has 60 earlier builds (or 12), then two more to compare. Noise of 1 % within a
build, and some between builds, both of one kind. The tolerance is 2 %, the level 5 %.

    with history      the noise between the earlier builds counts, as in `perfhouse compare`
    without history   Welch's t and permutations of the runs of the two builds, and 5 % between
                      builds, which `perfhouse compare` assumes where it knows nothing better
    these builds      the same with the noise of their runs alone, as files are compared; only where
                      builds do not vary, as what they vary by is a difference of these builds

`outlier`: one run of the candidate is 1.5 times as large. `AR`: what a build is above or below the
next one is autocorrelated (0.7 from one build to the next). `one run a build`: each earlier build
was run once.

Families are 300 comparisons of which 30 are 10 % apart, judged together: the false discovery rate
is the share of equal builds among those called different. The page's speed is that of
`compare_runs` on ten million measurements. The figures are also written to
docs/developers/comparison-figures.md, unless --quick.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from app.results.comparison import compare_runs
from expectations.detector import Noise, noise_of
from expectations.verdicts.measure import Measure
from expectations.verdicts.samples import Between, compare, compare_many
from expectations.verdicts.verdict import BUILD_NOISE, Verdict
from tests.bench.detector import noise
from tests.kit.nights import SESSIONS

PAGE = Path(__file__).parents[2] / "docs" / "developers" / "comparison-figures.md"
KINDS = ("Gaussian", "Student t3", "bimodal", "outlier", "AR", "one run a build")
OUTLIER, CORRELATION = 1.5, 0.7
BETWEEN, WITHIN = (0.0, 0.01, 0.02, 0.05), 0.01
RUNS, BUILDS = (1, 3, 5), (60, 12)
APART = 1.1
FAMILY, CHANGED = 300, 30
_MORE = 10  # times as many families of the largest noise, where a family has one discovery at most
_FEWEST = 6  # builds of a history
_DIFFERENT = {"better", "worse"}
_RATE = Measure(more_is_better=True)
_HISTORIES = ("with history", "without history", "these builds")

Floats = NDArray[np.float64]


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures, and whether equal builds are different in 5 %."""
    repeats, families = (40, 2) if quick else (1_000, 20)
    random = np.random.default_rng(20260401)
    cases = [
        (kind, between, runs, builds)
        for kind in KINDS
        for between in (BETWEEN if kind == "Gaussian" else (0.0, 0.02))
        for runs in (RUNS[1:] if kind == "outlier" else RUNS)
        for builds in (BUILDS if between == 0.02 else BUILDS[:1])
    ]
    alone = {
        case: _alone(*case, repeats, random)
        for case in track(cases, "compare", console=console, transient=True)
    }
    together = {
        (name, between, runs): _together(
            between, runs, families * (_MORE if between == BETWEEN[-1] else 1), random, name
        )
        for name in _HISTORIES
        for between in (BETWEEN if name != _HISTORIES[-1] else BETWEEN[:1])
        for runs in RUNS
    }
    speed = _speed(folder, 1_000_000 if quick else 10_000_000)
    page = _page(alone, together, speed, repeats, families)
    console.print(page, markup=False, highlight=False)
    if not quick:
        PAGE.write_text(page)
    target = [
        figures["with history"]["equal, called different"]
        for (kind, between, _, builds), figures in alone.items()
        if kind == "Gaussian" and between == 0.02 and builds == BUILDS[0]
    ]
    figures = {
        "alone": {", ".join(map(str, case)): of for case, of in alone.items()},
        "together": {", ".join(map(str, case)): of for case, of in together.items()},
        "speed": speed,
    }
    error = (0.05 * 0.95 / repeats) ** 0.5
    return figures, max(target) <= 0.05 + 2 * error


def _builds(
    kind: str, between: float, builds: int, runs: int, random: np.random.Generator
) -> Floats:
    """Return the runs of builds (builds x runs) around 100."""
    like = kind if kind in {"Student t3", "bimodal"} else "Gaussian"
    of_builds = noise(like, 1, builds, random)[0]
    if kind == "AR":
        for build in range(1, builds):
            of_builds[build] *= (1 - CORRELATION**2) ** 0.5
            of_builds[build] += CORRELATION * of_builds[build - 1]
    of_runs = WITHIN * noise(like, builds, runs, random)
    made = np.asarray(100 * np.exp(between * of_builds[:, None] + of_runs))
    if kind == "outlier":
        made[-1, 0] *= OUTLIER
    return made


def _pair(
    kind: str, between: float, builds: int, runs: int, random: np.random.Generator
) -> tuple[Floats, Floats, Noise]:
    """Return the runs of the last two builds, and the noise of those before."""
    rows = _builds(kind, between, builds + 2, runs, random)
    before = rows[:-2, : 1 if kind == "one run a build" else runs]
    names = [str(build) for build in range(builds) for _ in range(before.shape[1])]
    history = noise_of(before.ravel(), names)
    assert history is not None
    return rows[-2], rows[-1], history


def _alone(
    kind: str, between: float, runs: int, builds: int, repeats: int, random: np.random.Generator
) -> dict[str, dict[str, float]]:
    pairs = [_pair(kind, between, builds, runs, random) for _ in range(repeats)]
    return {
        name: _shares(
            [compare(x, y, _RATE, between=_between(name, of)) for x, y, of in pairs],
            [compare(x, APART * y, _RATE, between=_between(name, of)) for x, y, of in pairs],
        )
        for name in _HISTORIES
    }


def _between(name: str, history: Noise) -> Between:
    known, assumed, _ = _HISTORIES
    return Between(history if name == known else None, assumed=BUILD_NOISE * (name == assumed))


def _shares(equal: Sequence[Verdict], apart: Sequence[Verdict]) -> dict[str, float]:
    count = len(equal)
    return {
        "equal, called different": sum(c.verdict in _DIFFERENT for c in equal) / count,
        "equal, called same": sum(c.verdict == "same" for c in equal) / count,
        "equal, interval contains 1": sum(c.low <= 0 <= c.high for c in equal) / count,
        "10 % apart, called better": sum(c.verdict == "better" for c in apart) / count,
        "10 % apart, interval contains 1.1": sum(c.low <= 10 <= c.high for c in apart) / count,
    }


def _together(
    between: float, runs: int, families: int, random: np.random.Generator, name: str
) -> dict[str, float]:
    """Return the false discovery rate and the power of families."""
    rates, found = [], []
    for _ in range(families):
        before = BUILDS[0] if name == _HISTORIES[0] else _FEWEST
        pairs = [_pair("Gaussian", between, before, runs, random) for _ in range(FAMILY)]
        judged = compare_many(
            [x for x, _, _ in pairs],
            [y * (APART if i < CHANGED else 1) for i, (_, y, _) in enumerate(pairs)],
            [_RATE] * FAMILY,
            between=[_between(name, history) for _, _, history in pairs],
        )
        different = [i for i, c in enumerate(judged) if c.verdict in _DIFFERENT]
        false = sum(i >= CHANGED for i in different)
        rates.append(false / max(len(different), 1))
        found.append((len(different) - false) / CHANGED)
    return {"false discovery rate": float(np.mean(rates)), "found": float(np.mean(found))}


def _speed(folder: Path, measurements: int) -> dict[str, float]:
    """Return seconds of a comparison of two builds; 20 configurations, 40 metrics, 5 runs."""
    file = folder / "measurements.duckdb"
    builds = measurements // (20 * 40 * 5)
    with duckdb.connect(str(file)) as db:
        db.execute(
            "CREATE SCHEMA marts;"
            "CREATE TABLE marts.dim_configuration AS SELECT 'c' || c AS configuration_id,"
            " 'configuration ' || c AS configuration, 'simulated' AS origin, 'z16' AS machine,"
            " '9.4' AS mq_level, c::DOUBLE AS file_size_mb, MAP{}::MAP(VARCHAR, VARCHAR)"
            " AS x_factors FROM range(20) t(c);"
            "CREATE TABLE marts.fct_run AS SELECT 'simulated' AS origin,"
            " b || '-' || c || '-' || k AS run_id, 'nights' AS campaign, 'r' || b AS git_revision,"
            " 'c' || c AS configuration_id, '9.4' AS mq_level, 'z16' AS machine, TIMESTAMP"
            " '2020-01-01' + to_hours((b * 24)::INT) + to_minutes((c * 5 + k)::INT) AS start_utc,"
            f" true AS is_compared FROM range({builds}) t(b), range(20) u(c), range(5) v(k)"
            " ORDER BY start_utc;"
            "CREATE TABLE marts.fct_measurement AS SELECT origin, run_id, campaign,"
            " configuration_id, start_utc, git_revision, is_compared, 'm' || m AS metric,"
            " 'MB/s' AS unit, true AS more_is_better, 100 + hash(run_id, m) % 500 / 100"
            " AS value, NULL::DOUBLE AS value_low, NULL::DOUBLE AS value_high,"
            " 'derived' AS value_source"
            " FROM marts.fct_run, range(40) t(m) ORDER BY start_utc;"
        )
        db.execute(SESSIONS.replace("CREATE VIEW", "CREATE TABLE"))
        (count,) = db.execute("SELECT count(*) FROM marts.fct_measurement").fetchall()[0]
        load, begun = os.getloadavg()[0], time.perf_counter()
        sides = ({"git_revision": f"r{builds - 2}"}, {"git_revision": f"r{builds - 1}"})
        pairs = compare_runs(db, *sides).pairs
        seconds = time.perf_counter() - begun
    file.unlink()
    return {"measurements": count, "pairs": len(pairs), "seconds": seconds, "load_average": load}


def _page(
    alone: dict[tuple[str, float, int, int], dict[str, dict[str, float]]],
    together: dict[tuple[str, float, int], dict[str, float]],
    speed: dict[str, float],
    repeats: int,
    families: int,
) -> str:
    columns = list(next(iter(alone.values()))["with history"])
    lines = [
        "# Figures of comparisons",
        "",
        "Written by `python -m tests.bench compare`; [detector.md](../detector.md) describes the",
        "method, tests/bench/compare.py the simulation. Noise of 1 % within a build, and between",
        f"builds as said; a tolerance of 2 %, a level of 5 %. Each row: {repeats:,} comparisons.",
        "",
    ]
    for name in _HISTORIES:
        of_history = name == "with history"
        heads = ["noise", "between builds", "runs a side"] + ["builds before"] * of_history
        lines += [
            f"Each comparison alone, {name}:",
            "",
            f"| {' | '.join([*heads, *columns])} |",
            "|---|" + "---:|" * (len(heads) - 1 + len(columns)),
        ]
        for (kind, between, runs, builds), figures in alone.items():
            if (of_history or builds == BUILDS[0]) and (name != _HISTORIES[-1] or not between):
                cells = [kind, f"{100 * between:.0f} %", str(runs)] + [str(builds)] * of_history
                cells += [f"{figures[name][column]:.1%}" for column in columns]
                lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    lines += [
        f"{families} families of {FAMILY} comparisons, {CHANGED} of them 10 % apart, and",
        f"{families * _MORE} with {BETWEEN[-1]:.0%} between builds, where hardly any is found:",
        "",
        "| history | between builds | runs a side | false discovery rate | 10 % apart, found |",
        "|---|---:|---:|---:|---:|",
        *(
            f"| {name} | {100 * between:.0f} % | {runs} | {of['false discovery rate']:.1%} "
            f"| {of['found']:.1%} |"
            for (name, between, runs), of in together.items()
        ),
        "",
        f"A comparison of two builds, {speed['pairs']:,} pairs of {speed['measurements']:,}",
        f"measurements, takes {speed['seconds']:.2f} s (two processors, load average",
        f"{speed['load_average']:.1f}).",
    ]
    return "\n".join(lines) + "\n"
