"""compare: a candidate's runs against a baseline's."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.table import Table

from app.commands.common import Command, UsageError, console, warehouse_of

if TYPE_CHECKING:
    from app.comparison import ComparedRuns, Pair

__all__ = ["add"]

FORMATS = ("table", "json")
_ORDER = ("worse", "better", "not enough runs", "same")
_STYLES = {"worse": "red", "better": "green", "not enough runs": "yellow", "same": "dim"}
_LISTED = 5  # configurations of one side alone that are named


def add(command: Command) -> None:
    """Declare the command."""
    compare = command("compare", _compare, "compare two sets of runs; exit status 1 if worse")
    compare.add_argument(
        "baseline",
        metavar="BASELINE",
        help="a campaign, build (git_revision), MQ level, machine or run, or terms name=level "
        "with commas between",
    )
    compare.add_argument("candidate", metavar="CANDIDATE", help="the same, of the runs to judge")
    compare.add_argument("--format", choices=FORMATS, default="table")
    compare.add_argument(
        "--metric", action="append", default=[], metavar="NAME", help="only this; may be repeated"
    )
    compare.add_argument(
        "--parts", action="store_true", help="address spaces and systems too, not whole runs only"
    )
    compare.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="NAME",
        help="match runs whatever their level of this factor or label; may be repeated",
    )
    compare.add_argument(
        "--all", action="store_true", help="show in the table what is the same, too"
    )
    compare.add_argument(
        "--tolerance",
        type=_percent,
        default=0.02,
        metavar="PERCENT",
        help="a difference up to this does not matter (default 2)",
    )


def _percent(text: str) -> float:
    value = float(text)
    if not 0 <= value < 100:
        raise argparse.ArgumentTypeError("is not from 0 to 100")
    return value / 100


def _compare(arguments: argparse.Namespace) -> int:
    from app.comparison import SelectionError, compare_runs

    with warehouse_of(arguments).connect() as db:
        try:
            found = compare_runs(
                db,
                arguments.baseline,
                arguments.candidate,
                metrics=arguments.metric,
                parts=arguments.parts,
                ignore=arguments.ignore,
                tolerance=arguments.tolerance,
            )
        except SelectionError as error:
            raise UsageError(str(error)) from None
    if arguments.format == "json":
        json.dump(_finite(asdict(found)), sys.stdout, indent=1)
        print()
    else:
        _print(found, everything=arguments.all)
    return int(any(pair.judged.verdict == "worse" for pair in found.pairs))


def _finite(value: Any) -> Any:
    """The value with null for what JSON cannot hold."""
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _print(found: ComparedRuns, *, everything: bool) -> None:
    baseline, candidate = found.baseline, found.candidate
    table = Table(
        title=f"{candidate.name} ({candidate.runs} runs) against {baseline.name} "
        f"({baseline.runs} runs), {candidate.origin}",
        title_justify="left",
    )
    table.add_column("configuration", overflow="fold")
    with_parts = any(pair.part for pair in found.pairs)
    for heading in ("metric", "part", "unit")[:: 1 if with_parts else 2]:
        table.add_column(heading)
    for heading in ("baseline", "candidate", "change", "95 % interval", "runs"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    shown = [p for p in found.pairs if everything or p.judged.verdict != "same"]
    for pair in sorted(shown, key=_rank):
        judged = pair.judged
        names = (pair.metric, pair.part, pair.unit)[:: 1 if with_parts else 2]
        table.add_row(
            pair.configuration,
            *names,
            f"{pair.baseline:,.4g}",
            f"{pair.candidate:,.4g}",
            _change(judged.ratio),
            f"{_change(judged.low)} to {_change(judged.high)}",
            f"{judged.baseline_runs}, {judged.candidate_runs}",
            _verdict(pair),
            style=_STYLES[judged.verdict],
        )
    if shown:
        console.print(table)
    counts = Counter(pair.judged.verdict for pair in found.pairs)
    console.print(", ".join(f"{counts[v]} {v}" for v in _ORDER if counts[v]))
    for side, only in ((baseline, found.only_baseline), (candidate, found.only_candidate)):
        if only:
            more = f" and {len(only) - _LISTED} more" if len(only) > _LISTED else ""
            console.print(f"only {side.name}: {'; '.join(only[:_LISTED])}{more}", highlight=False)
    if found.incomplete:
        console.print(f"{found.incomplete} runs left out: records or files of theirs are missing")


def _rank(pair: Pair) -> tuple[int, float]:
    return _ORDER.index(pair.judged.verdict), -abs(math.log(pair.judged.ratio))


def _change(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.1f} %" if 0 < ratio < math.inf else "unknown"


def _verdict(pair: Pair) -> str:
    judged = pair.judged
    if judged.verdict != "not enough runs":
        return judged.verdict
    more = judged.more_runs
    return f"not enough runs: {more} more a side" if more else "not enough runs"
