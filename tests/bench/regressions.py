"""Whether the changes in the nightly campaign are found, when, and with the right cause.

The campaign is simulated, loaded and built once; then regressions are judged every third night,
each time on the runs up to that night, as if a check ran that morning. An injected change counts
as found if a group is led by a regression of its configuration that begins within five nights of
it. The cause is right if it names the address space or the verb, the wait, or the work that moved
from zIIPs; if nothing about it is recorded (a network, the Linux host), the cause must say so.
Every other group is a false report, and so is every withdrawn one.

There are two seeds: the rules were tuned with the first one only. The figures are also written to
docs/regressions-figures.md, unless --quick (every twelfth night of the first seed only).
"""

from __future__ import annotations

import subprocess
import sys
import time
from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.progress import track

from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from expectations.regressions.store import Row, read_current
from ingest.warehouse import Warehouse
from models_sim.simulator.campaigns.scenarios.nightly import (
    CONFIGURATIONS,
    INJECTED,
    NIGHTS,
    Injection,
    night_of,
)

PAGE = Path(__file__).parents[2] / "docs" / "regressions-figures.md"
FIRST, NEAR = 12, 5  # nights
SEEDS = (1, 2)
EVERY = 3  # nights: a check is one of so many
_FILTERED = (
    *("fct_run", "fct_measurement", "fct_system_measurement", "fct_address_space_measurement"),
    *("fct_run_part", "fct_run_against_model"),
)
_WAYS = {
    "dasd": "DASD",
    "cf": "coupling facility",
    "network": "network",
    "log": "MQ log",
    "latch": "MQ latch",
    "host": "nothing recorded",
    "ziip": "zIIP",
}


@dataclass(frozen=True, slots=True)
class Found:
    """An injected change, its report and the night of it, and whether the cause is right."""

    injection: Injection
    row: Row | None
    night: int | None
    right: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """The result of one seed: changes, false reports, figures and names of configurations."""

    seed: int
    found: list[Found]
    false: list[Row]
    figures: dict[str, Any]
    names: dict[str, str]

    @property
    def passed(self) -> bool:
        """Whether all required changes were found, 90 % with their cause, and nothing else."""
        figures = self.figures
        enough = figures["found"] == figures["to_be_found"] and not self.false
        return enough and figures["causes_right"] >= 0.9 * figures["found"]


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures, and whether every seed passed."""
    judged = []
    for seed in SEEDS[:1] if quick else SEEDS:
        file, files = folder / f"nightly-{seed}.duckdb", folder / f"nightly-{seed}"
        _perfhouse("simulate", "nightly", "--seed", str(seed), "--out", str(files))
        _perfhouse("ingest", str(files), "--warehouse", str(file))
        _perfhouse("build", "--warehouse", str(file))
        work = Warehouse(file).work
        judged.append(judge_nights(console, work, folder / f"events-{seed}", seed, quick=quick))
    page = page_of(judged)
    console.print(page, markup=False, highlight=False)
    if not quick:
        PAGE.write_text(page)
    return judged[0].figures, quick or all(result.passed for result in judged)


def judge_nights(
    console: Console, work: Path, events_dir: Path, seed: int, *, quick: bool
) -> Judged:
    """Judge the working database with the campaign of a seed, night after night."""
    seconds, first_seen = [], dict[str, int]()
    nights = range(FIRST, NIGHTS + 1, 12 if quick else EVERY)
    with duckdb.connect() as db:
        db.execute(f"ATTACH '{work}' AS built (READ_ONLY)")
        db.execute("CREATE SCHEMA marts")
        db.execute("CREATE VIEW marts.dim_configuration AS FROM built.marts.dim_configuration")
        for night in track(nights, "regressions", console=console, transient=True):
            until = f"start_utc < TIMESTAMP '{night_of(night)}' AND campaign = 'nightly'"
            for mart in _FILTERED:
                db.execute(
                    f"CREATE OR REPLACE VIEW marts.{mart} AS FROM built.marts.{mart} WHERE {until}"
                )
            begun = time.process_time()
            judged = judge_build(db, events_dir, f"night {night}", read_limits())
            seconds.append(time.process_time() - begun)
            for event in judged.events:
                first_seen.setdefault(event["group_id"], night - 1)
        names = _names(db)
    rows = [row for row in read_current(events_dir) if row["kind"] != "model"]
    leads = [row for row in rows if row["leads"]]
    found = [_found(injection, leads, first_seen, names) for injection in INJECTED]
    reported = {result.row["group_id"] for result in found if result.row}
    false = [
        row for row in leads if row["group_id"] not in reported or row["state"] == "false alarm"
    ]
    figures = _figures(found, false, judged.series, seconds)
    return Judged(seed, found, false, figures, names)


def _perfhouse(*words: str) -> None:
    command = [str(Path(sys.executable).with_name("perfhouse")), *words]
    subprocess.run(command, check=True, capture_output=True)


def _names(db: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return configuration_id -> name in CONFIGURATIONS, by the order of runs in a night."""
    first = db.execute(
        f"SELECT configuration_id FROM built.marts.fct_run WHERE campaign = 'nightly' "
        f"AND start_utc < TIMESTAMP '{night_of(1)}' ORDER BY start_utc, run_id"
    ).fetchall()
    return {row[0]: name for row, name in zip(first, CONFIGURATIONS, strict=True)}


def _night(moment: datetime) -> int:
    return bisect_right(range(NIGHTS), moment, key=night_of) - 1


def _found(
    injection: Injection, leads: list[Row], first_seen: dict[str, int], names: dict[str, str]
) -> Found:
    near = [
        row
        for row in leads
        if names[row["configuration_id"]] == injection.configuration
        and abs(_night(row["onset_utc"]) - injection.first) <= NEAR
        and (row["kind"] == "data") == (injection.kind == "data")
        and row["state"] != "false alarm"
    ]
    if not near or not _worse(injection):
        return Found(injection, None, None, right=False)
    row = min(near, key=lambda row: abs(_night(row["onset_utc"]) - injection.first))
    return Found(injection, row, first_seen[row["group_id"]], _is_right(injection, row))


def _worse(injection: Injection) -> bool:
    lower_is_worse = injection.metric in {"rate", "transactions_per_second"}
    return injection.kind == "data" or (injection.size < 0) == lower_is_worse


def _is_right(injection: Injection, row: Row) -> bool:
    if injection.kind == "data":
        return row["kind"] == "data" and injection.system in row["message"]
    if injection.cause == "verb":
        return injection.verb.removeprefix("MQ").lower() in row["cause"].lower()
    if injection.cause == "address space":
        return injection.address_space in row["cause"]
    return _WAYS[injection.cause] in row["cause"]


def _required(injection: Injection) -> bool:
    """Whether it must be found: worse, lasting, and at least twice the noise of 1 %."""
    lasting = injection.kind == "data" or injection.kind == "step"
    return lasting and _worse(injection) and abs(injection.size) >= 0.02


def _figures(
    found: list[Found], false: list[Row], series: int, seconds: list[float]
) -> dict[str, Any]:
    required = [result for result in found if _required(result.injection)]
    hit = [result for result in required if result.row]
    return {
        "to_be_found": len(required),
        "found": len(hit),
        "causes_right": sum(result.right for result in hit),
        "false_reports": len(false),
        "series": series,
        "checks": len(seconds),
        "processor_seconds_a_check": round(max(seconds), 2),
    }


def page_of(judged: list[Judged]) -> str:
    """Return the page: the results of every seed, and each change of the first one."""
    figures = judged[0].figures
    lines = [
        "# Figures of the regressions",
        "",
        "Written by `python -m tests.bench regressions`; [regressions.md](regressions.md) has the",
        f"rules. The nightly campaign is **simulated**: {NIGHTS} nights of {len(CONFIGURATIONS)}",
        "configurations with 1 % noise between runs and the changes below.",
        f"{figures['checks']} checks judged it, each on the runs up to that night.",
        "",
        "Required are lasting changes for the worse of at least twice the noise.",
        "The rules were tuned with the first seed only.",
        "",
        _row("seed", "required", "found", "cause right", "false reports", "series",
             "longest check, CPU s"),
        "|---:|---:|---:|---:|---:|---:|---:|",
        *(
            _row(result.seed, *(result.figures[name] for name in (
                "to_be_found", "found", "causes_right", "false_reports", "series",
                "processor_seconds_a_check")))
            for result in judged
        ),
        "",
        f"Each change of seed {judged[0].seed}, and the false reports of all seeds:",
        "",
        _row("injected", "configuration", "change", "night", "required", "reported on night",
             "since night", "size found", "cause found", "right"),
        "|---|---|---|---:|---|---:|---:|---:|---|---|",
    ]  # fmt: skip
    for result in sorted(judged[0].found, key=lambda result: result.injection.first):
        injection, row = result.injection, result.row
        what = f"{injection.kind}, {injection.metric} {100 * injection.size:+.0f} %"
        required = "yes" if _required(injection) else "no"
        head = (injection.name, injection.configuration, what, injection.first, required)
        if row is None:
            lines.append(_row(*head, "", "", "", "not reported", ""))
            continue
        change = row["change_percent"]
        size = "" if change is None else f"{row['metric']} {change:+.1f} %"
        cause = row["cause"] or row["message"].split(": ", 1)[-1].split(", since")[0]
        since, right = _night(row["onset_utc"]), "yes" if result.right else "no"
        lines.append(_row(*head, result.night, since, size, cause, right))
    lines += [
        _row(
            *(f"none, seed {result.seed}", result.names[row["configuration_id"]], "", "", "no", ""),
            _night(row["onset_utc"]),
            f"{row['metric']} {row['change_percent'] or 0:+.1f} %",
            f"{row['cause']} ({row['state']})",
            "no",
        )
        for result in judged
        for row in result.false
    ]
    return "\n".join(lines) + "\n"


def _row(*cells: object) -> str:
    return f"| {' | '.join('' if cell is None else str(cell) for cell in cells)} |"
