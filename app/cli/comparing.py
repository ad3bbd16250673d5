"""compare: two sets of runs."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from app.cli import results
from app.cli.common import (
    Command,
    UsageError,
    add_json,
    complain,
    console,
    print_json,
    warehouse_of,
)
from app.results.words import counted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from app.results.compared import ComparedRuns, Pair
    from app.results.sides import Side

__all__ = ["add"]

FORMATS = ("table", "json", "markdown")
_STYLES = {"worse": "red", "better": "green", "changed": "cyan", "differs": "cyan",
           "undecided": "yellow", "not judged": "dim", "same": "dim", "agrees": "dim"}  # fmt: skip
_FIRST = 10  # rows that are listed unless all are wanted
_QUESTIONS = ("builds", "change")
_TOLERANCE, _BUILD_NOISE = 0.02, 0.05
_FILES = ("baseline", "candidate")  # the options that name files instead of runs
_UNCHANGED = ("same", "agrees")
_LISTED = 5  # configurations named per side that only this side has


def add(command: Command) -> None:
    """Declare the command."""
    compare = command(
        "compare",
        _compare,
        "compare two sets of runs",
        examples="""
            compare machine=z15 machine=z16
            compare 'campaign=may,network=10Gb' 'campaign=june,network=10Gb' --parts
            compare published predicted --json
            compare --baseline main.json --candidate branch.json --format markdown
        """,
        one="something is worse, or missing in a build",
    )
    add_json(compare, formats=True)
    compare.add_argument(
        "baseline",
        nargs="?",
        metavar="BASELINE",
        help="a campaign, build (git_revision), MQ level, machine or run; a range of builds "
        "FIRST..LAST; published or predicted; or comma-separated terms NAME=LEVEL, of a label, a "
        "factor, since or until a date, published or predicted of a document; a LEVEL with a comma "
        "stands in double quotes",
    )
    compare.add_argument(
        "candidate", nargs="?", metavar="CANDIDATE", help="the runs to judge, named the same way"
    )
    for side in _FILES:
        compare.add_argument(
            f"--{side}",
            dest=f"{side}_files",
            nargs="+",
            default=[],
            metavar="FILE",
            help=f"files of results with the {side}'s runs, instead of runs of a warehouse",
        )
    results.add_mapping(compare.add_argument_group("files of results (docs/your-results.md)"))
    compare.add_argument(
        "--format",
        choices=FORMATS,
        default="table",
        help="table (default), json, or markdown: a summary for a pull request",
    )
    compare.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME",
        help="compare only this metric (repeatable)",
    )
    compare.add_argument(
        "--parts", action="store_true", help="also compare address spaces and systems"
    )
    compare.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="NAME",
        help="match runs that differ in this factor or label (repeatable)",
    )
    compare.add_argument(
        "--held",
        action="append",
        default=[],
        metavar="NAME=LEVEL",
        help="compare only runs of this level of a factor or label (repeatable)",
    )
    compare.add_argument(
        "--one-speed",
        action="store_true",
        help="convert CPU time to one speed by the service units per second of each system "
        "(SU_SEC), so that runs on machines of several speeds are compared",
    )
    compare.add_argument(
        "--all", action="store_true", help="list every figure, not only the ten largest differences"
    )
    compare.add_argument(
        "--why",
        action="store_true",
        help="with published figures: also say what keeps each configuration from the figures "
        "nearest to it, and what is assumed of those that have some",
    )
    compare.add_argument(
        "--tolerance",
        type=_percent,
        default=_TOLERANCE,
        metavar="PERCENT",
        help="ignore differences up to this (default 2)",
    )
    compare.add_argument(
        "--question",
        choices=_QUESTIONS,
        default="",
        help="builds: do these builds differ, by the noise of their runs alone (default for files "
        "of one build a side); change: does the change differ in any build of it, with the noise "
        "between builds (default otherwise)",
    )
    compare.add_argument(
        "--build-noise",
        type=_percent,
        default=_BUILD_NOISE,
        metavar="PERCENT",
        help="how much builds vary by themselves where there are fewer than six to tell (default "
        "5), for --question change",
    )


def _percent(text: str) -> float:
    value = float(text)
    if not 0 <= value < 100:
        raise argparse.ArgumentTypeError("not between 0 and 100")
    return value / 100


def _compare(arguments: argparse.Namespace) -> int:
    from app.results.comparison import compare_runs
    from app.results.sides import parse_terms

    with _sides(arguments) as db:
        of_files = bool(arguments.baseline_files)
        held: dict[str, list[str | None]] = {}
        for text in arguments.held:
            for name, level in parse_terms(db, text).items():
                held.setdefault(name, []).append(level)
        comparison = compare_runs(
            db,
            *(
                {"campaign": side} if of_files else parse_terms(db, getattr(arguments, side))
                for side in _FILES
            ),
            metrics=arguments.metric,
            parts=arguments.parts,
            ignore=arguments.ignore,
            held=held,
            one_speed=arguments.one_speed,
            tolerance=arguments.tolerance,
            question=arguments.question or _QUESTIONS[not (of_files and _is_one_each(db))],
            build_noise=arguments.build_noise,
        )
    if arguments.format == "json":
        print_json(asdict(comparison))
    elif arguments.format == "markdown":
        from app.pipeline.places import dashboard_address
        from app.results.summary import summary

        sys.stdout.write(
            summary(comparison, _command(arguments), "" if of_files else dashboard_address())
        )
    else:
        _print(comparison, everything=arguments.all, why=arguments.why)
    return int(comparison.is_worse)


def _is_one_each(db: DuckDBPyConnection) -> bool:
    """Return whether no side has several builds, which would show how much builds vary."""
    builds = "SELECT count(DISTINCT git_revision) AS builds FROM marts.fct_run GROUP BY campaign"
    return db.execute(f"SELECT max(builds) <= 1 FROM ({builds})").fetchall() == [(True,)]


@contextmanager
def _sides(arguments: argparse.Namespace) -> Iterator[DuckDBPyConnection]:
    """Yield a database with the runs to compare: a warehouse's, or those of files."""
    named = [arguments.baseline, arguments.candidate]
    files = {side: getattr(arguments, f"{side}_files") for side in _FILES}
    if any(named) == any(files.values()) or not (all(named) or all(files.values())):
        raise UsageError("give BASELINE and CANDIDATE, or --baseline FILE and --candidate FILE")
    if arguments.parts and not any(named):
        raise UsageError("--parts: files of results have figures of whole runs only")
    if any(named) and (arguments.map or arguments.time_zone):
        raise UsageError(
            "--map and --time-zone say how files of --baseline and --candidate are read"
        )
    if all(named):
        from app.pipeline.publication import reading

        with reading(warehouse_of(arguments)) as db:
            yield db
        return
    from app.pipeline.result_files import database

    results.set_given(arguments)
    db, left_out = database(files)
    for part in left_out[:_LISTED]:
        complain(f"{part.file}:{part.line}: {part.reason}")
    if len(left_out) > _LISTED:
        complain(f"{len(left_out) - _LISTED:,} more parts are left out")
    with db:
        yield db


def _command(arguments: argparse.Namespace) -> str:
    """Return the command line of a comparison, without the warehouse and the format."""
    words = ["perfhouse", "compare"]
    for side in _FILES:
        files = getattr(arguments, f"{side}_files")
        words += [f"--{side}", *files] if files else [getattr(arguments, side)]
    for name in ("map", "metric", "ignore", "held"):
        words += [word for given in getattr(arguments, name) for word in (f"--{name}", given)]
    words += ["--time-zone", arguments.time_zone] if arguments.time_zone else []
    words += ["--parts"] if arguments.parts else []
    if arguments.tolerance != _TOLERANCE:
        words += ["--tolerance", f"{100 * arguments.tolerance:g}"]
    words += ["--question", arguments.question] if arguments.question else []
    if arguments.build_noise != _BUILD_NOISE:
        words += ["--build-noise", f"{100 * arguments.build_noise:g}"]
    return shlex.join(words)


def _print(comparison: ComparedRuns, *, everything: bool, why: bool) -> None:
    from app.results.queries.comparison import (
        missing_figures,
        noise_between_builds,
        parts_of_intervals,
        pooled_changes,
        sources_that_differ,
    )

    baseline, candidate = comparison.baseline, comparison.candidate
    console.print(f"{_side(candidate)} against {_side(baseline)}", style="bold", highlight=False)
    counts = Counter(pair.judged.verdict for pair in comparison.pairs)
    console.print(", ".join(f"{counts[v]:,} {v}" for v in _STYLES if counts[v]))
    for text in pooled_changes(comparison):
        console.print(f"over all configurations: {text}", highlight=False)
    # What is worse, all that differs, then the rest.
    order = {verdict: rank and max(rank - 2, 1) for rank, verdict in enumerate(_STYLES)}
    pairs = sorted(comparison.pairs, key=lambda pair: (order[pair.judged.verdict], -pair.size))
    shown = (
        pairs if everything else [p for p in pairs if p.judged.verdict not in _UNCHANGED][:_FIRST]
    )
    for pair in shown:
        _print_pair(pair)
    if more := len(pairs) - len(shown):
        console.print(f"{more:,} more: --all lists them", highlight=False)
    for side, only in (
        (baseline, comparison.only_baseline),
        (candidate, comparison.only_candidate),
    ):
        if only:
            rest = f" and {len(only) - _LISTED} more" if len(only) > _LISTED else ""
            console.print(
                f"only in {side.name}: {'; '.join(only[:_LISTED])}{rest}", highlight=False
            )
    if why:
        if comparison.assumed:
            console.print(f"assumed of runs: {', '.join(comparison.assumed)}", highlight=False)
        for name, obstacle in comparison.obstacles.items():
            console.print(f"no figure of {name}: {obstacle}", highlight=False)
    remarks = (missing_figures, noise_between_builds, parts_of_intervals, sources_that_differ)
    for remark in (remarked(comparison) for remarked in remarks):
        if remark:
            console.print(remark.strip(), highlight=False)
    if comparison.incomplete:
        console.print(f"{comparison.incomplete} runs left out because records or files are missing")


def _side(side: Side) -> str:
    if side.is_reference:
        return side.name
    return f"{side.name} ({counted(side.runs, f'{side.origin} run')}{side.of_builds}, {side.days})"


def _print_pair(pair: Pair) -> None:
    """Print a verdict with its key, and below it what it rests on."""
    from app.results.compared import difference_of
    from app.results.queries.comparison import bounds_of
    from expectations.metrics import four_digits

    judged = pair.judged
    name = ", ".join(filter(None, (pair.metric, pair.part, pair.figure, pair.configuration)))
    line = f"{judged.verdict:<10} {name}"
    console.print(line, style=_STYLES[judged.verdict], highlight=False)
    ends = difference_of(judged, with_interval=True)
    parts = [
        f"{four_digits(judged.baseline)} to {four_digits(judged.candidate)} {pair.unit}".strip()
        + f": {difference_of(judged)} ({ends})",
        f"{judged.baseline_runs} and {judged.candidate_runs} runs",
        *([f"bounds {bounds_of(pair)} %"] if pair.bounds else []),
        *([f"{judged.more_runs} more would decide"] if judged.more_runs else []),
        *([judged.reason] if "left out" in judged.reason or "every" in judged.reason else []),
    ]
    console.print(", ".join(parts), indent="           ", highlight=False)
