"""compare: two sets of runs."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.table import Table

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

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from app.results.compared import ComparedRuns, Pair
    from app.results.sides import Side

__all__ = ["add"]

FORMATS = ("table", "json", "markdown")
_STYLES = {"worse": "red", "better": "green", "changed": "cyan", "figure above": "cyan",
           "figure below": "cyan", "not enough runs": "yellow", "no interval": "yellow",
           "figure inside": "dim", "not judged": "dim", "same": "dim"}  # fmt: skip
_TITLES = {"not enough runs": "not enough runs (more: additional runs per side that would decide)",
           "not judged": "not judged: totals, which grow with the work of the runs"}  # fmt: skip
_TOLERANCE, _BUILD_NOISE = 0.02, 0.05
_FILES = ("baseline", "candidate")  # the options that name files instead of runs
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
        one="something is worse",
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
    compare.add_argument("--all", action="store_true", help="also list unchanged metrics")
    compare.add_argument(
        "--tolerance",
        type=_percent,
        default=_TOLERANCE,
        metavar="PERCENT",
        help="ignore differences up to this (default 2)",
    )
    compare.add_argument(
        "--build-noise",
        type=_percent,
        default=_BUILD_NOISE,
        metavar="PERCENT",
        help="how much builds vary by themselves where there are fewer than six to tell (default "
        "5); 0: builds that are run in turn on one quiet machine",
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
        found = compare_runs(
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
            build_noise=arguments.build_noise,
        )
    if arguments.format == "json":
        print_json(asdict(found))
    elif arguments.format == "markdown":
        from app.pipeline.places import dashboard_address
        from app.results.summary import summary

        sys.stdout.write(
            summary(found, _command(arguments), "" if of_files else dashboard_address())
        )
    else:
        _print(found, everything=arguments.all)
    return int(any(pair.judged.verdict == "worse" for pair in found.pairs))


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
    if arguments.build_noise != _BUILD_NOISE:
        words += ["--build-noise", f"{100 * arguments.build_noise:g}"]
    return shlex.join(words)


def _print(found: ComparedRuns, *, everything: bool) -> None:
    from app.results.queries.comparison import (
        noise_between_builds,
        parts_of_intervals,
        sources_that_differ,
    )

    baseline, candidate = found.baseline, found.candidate
    console.print(f"{_side(candidate)} against {_side(baseline)}", style="bold", highlight=False)
    numbers: dict[str, int] = {}  # by configuration, whose names are too long for a column
    for verdict in _STYLES if everything else list(_STYLES)[:-1]:
        pairs = sorted((p for p in found.pairs if p.judged.verdict == verdict), key=_difference)
        if pairs:
            _print_pairs(verdict, pairs, numbers)
    for configuration, number in numbers.items():
        console.print(f"{number:>3}  {configuration}", highlight=False, soft_wrap=True)
    counts = Counter(pair.judged.verdict for pair in found.pairs)
    console.print(", ".join(f"{counts[v]} {v}" for v in _STYLES if counts[v]))
    for side, only in ((baseline, found.only_baseline), (candidate, found.only_candidate)):
        if only:
            more = f" and {len(only) - _LISTED} more" if len(only) > _LISTED else ""
            console.print(
                f"only in {side.name}: {'; '.join(only[:_LISTED])}{more}", highlight=False
            )
    remarks = (noise_between_builds, parts_of_intervals, sources_that_differ)
    for remark in (remarked(found) for remarked in remarks):
        if remark:
            console.print(remark.strip(), highlight=False)
    if found.incomplete:
        console.print(f"{found.incomplete} runs left out because records or files are missing")


def _side(side: Side) -> str:
    if side.is_reference:
        return side.name
    builds = f" of {side.builds} builds" if side.builds > 1 else ""
    days = " to ".join(dict.fromkeys(f"{t:%Y-%m-%d}" for t in (side.first_utc, side.last_utc) if t))
    return f"{side.name} ({side.runs} {side.origin} runs{builds}, {days})"


def _print_pairs(verdict: str, pairs: list[Pair], numbers: dict[str, int]) -> None:
    """Print the pairs of one verdict: in columns, if no name has to be broken for them."""
    table = _table(verdict, pairs, numbers)
    anywhere = console.options.update(width=1_000)
    if console.measure(table, options=anywhere).minimum <= console.width:
        console.print(table)
        return
    headings = [str(column.header) for column in table.columns]
    first = headings.index("baseline")  # names stand before it, figures from it on
    console.print(str(table.title), style=table.title_style, highlight=False)
    for number, *cells in zip(*(column.cells for column in table.columns), strict=True):
        names, figures = cells[: first - 1], cells[first - 1 :]
        line = f"{number:>3}  {', '.join(map(str, names))}"
        console.print(line, highlight=False, soft_wrap=True)
        told = map("{} {}".format, headings[first:], figures)
        console.print(", ".join(told), indent="     ", highlight=False)


def _table(verdict: str, pairs: list[Pair], numbers: dict[str, int]) -> Table:
    """Return a table of the pairs of one verdict; new configurations get the next number."""
    from app.results.queries.comparison import bounds_of
    from expectations.metrics import four_digits

    unsure = verdict == "not enough runs"
    table = Table(
        title=_TITLES.get(verdict, verdict),
        title_justify="left",
        title_style=f"bold {_STYLES[verdict]}",
        box=None,
        padding=(0, 1, 0, 0),
    )
    with_parts = any(pair.part for pair in pairs)
    with_figures = any(pair.figure for pair in pairs)
    with_bounds = any(pair.bounds for pair in pairs)
    table.add_column("no.", justify="right", no_wrap=True)
    for heading, is_shown in (("metric", True), ("part", with_parts), ("figure", with_figures)):
        if is_shown:
            table.add_column(heading, overflow="fold")
    for heading in ("baseline", "candidate"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    headings = ["change, %", "95 % interval", *(["bounds"] if with_bounds else []), "runs"]
    for heading in headings + ["more"] * unsure:
        table.add_column(heading, justify="right", no_wrap=True)
    for pair in pairs:
        judged = pair.judged
        table.add_row(
            str(numbers.setdefault(pair.configuration, len(numbers) + 1)),
            pair.metric,
            *([pair.part] if with_parts else []),
            *([pair.figure] if with_figures else []),
            four_digits(pair.baseline),
            four_digits(pair.candidate),
            pair.unit,
            _change(judged.ratio),
            f"{_change(judged.low)} to {_change(judged.high)}",
            *([bounds_of(pair) or ""] if with_bounds else []),
            f"{judged.baseline_runs}, {judged.candidate_runs}",
            *([f"{judged.more_runs or ''}"] if unsure else []),
        )
    return table


def _difference(pair: Pair) -> float:
    """Sort key: the largest difference first."""
    return -abs(math.log(pair.judged.ratio))


def _change(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.1f}" if 0 < ratio < math.inf else "unknown"
