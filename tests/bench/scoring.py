"""Simulated nights with known changes: what is reported, when, with which cause, and what else.

Each seed of a scenario is simulated, loaded and built once; then regressions are judged night after
night, each time on the runs up to that night, as if a check ran that morning. What has to be found
is read from TRUTH.json, which the simulator wrote.

A change counts as found if a group has a regression of its configuration, kind of fault and, where
people measured it, metric that begins within five nights of it (a leak: after it). The second of
two steps needs a group of its own. The cause is right if it names the address space, the verb, the
wait, or the work that moved from zIIPs; if nothing about it is recorded (the Linux host), the cause
must say so. One more group of a change is reported twice; a group of no change is a false report,
and so is a false alarm. A suspicion is a report as long as it stands: of a change, it found it; of
none, or withdrawn, it is counted by itself, as it was told as such.
"""

from __future__ import annotations

import subprocess
import sys
import time
from bisect import bisect_right
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import duckdb
from rich.console import Console
from rich.progress import track

from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from expectations.regressions.states import FALSE_ALARM, SUSPECTED, WITHDRAWN
from expectations.regressions.store import Row, read_current
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.campaigns.scenarios.changes import Injection, read_truth
from models_sim.simulator.campaigns.scenarios.nightly import CONFIGURATIONS, NIGHTS, night_of

__all__ = ["SEEDS", "Found", "Scored", "compared", "has_passed", "page_of", "perfhouse",
           "right_cause", "scored_seeds", "totals"]  # fmt: skip

SEEDS = range(31, 36)
FIRST, NEAR = 12, 5  # nights
_QUICK = 12  # nights from one check to the next, if they are few
_FILTERED = ("fct_run", "fct_measurement", "fct_system_measurement",
             "fct_address_space_measurement", "fct_run_part", "fct_run_against_model")  # fmt: skip
_TAKEN_BACK = frozenset({FALSE_ALARM, WITHDRAWN})
_PEOPLES = ("values", "unit")  # kinds that are in what people measured
_WAYS = {"dasd": "DASD", "cf": "CF", "network": "network", "log": "MQ log",
         "latch": "MQ latch", "host": "outside the records", "ziip": "zIIP"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A change, the regression that reports it, the night of it, and whether the cause is right."""

    change: Injection
    row: Row | None
    night: int | None
    is_right: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of a seed: what became of each change, and the leaders of all other groups.

    twice: of groups that report a change once more; false: of no change, or false alarms;
    suspicions: of no change, or withdrawn; names: of configurations, by their ID; series: judged by
    the last check; seconds: CPU time of each check.
    """

    seed: int
    found: list[Found]
    twice: list[Row]
    false: list[Row]
    suspicions: list[Row]
    names: dict[str, str]
    series: int = 0
    seconds: tuple[float, ...] = ()

    @property
    def figures(self) -> dict[str, float]:
        """Counts: to be found, found, causes, right, reported twice, false, suspicions; nights."""
        wanted = [one for one in self.found if one.change.is_told]
        hit = [one for one in wanted if one.row]
        caused = [one for one in hit if one.change.kind not in {*_PEOPLES, "data"}]
        late = sorted(one.night - one.change.first for one in hit if one.night is not None)
        return {
            "to_be_found": len(wanted),
            "found": len(hit),
            "causes": len(caused),
            "causes_right": sum(one.is_right for one in caused),
            "reported_twice": len(self.twice),
            "false_reports": len(self.false),
            "false_suspicions": len(self.suspicions),
            "nights_until_reported": late[len(late) // 2] if late else 0,
            "series": self.series,
            "processor_seconds_a_check": round(max(self.seconds, default=0.0), 2),
        }


def scored_seeds(
    console: Console, folder: Path, campaign: str, *, every: int = 1, quick: bool = False
) -> list[Scored]:
    """Simulate, load, build and judge a campaign for each seed.

    every: nights from one check to the next; quick: the first seed only, and few checks.
    """
    scored = []
    for seed in SEEDS[:1] if quick else SEEDS:
        file, files = folder / f"{campaign}-{seed}.duckdb", folder / f"{campaign}-{seed}"
        perfhouse("simulate", campaign, "--seed", str(seed), "--out", str(files))
        perfhouse("ingest", str(files), "--warehouse", str(file))
        perfhouse("build", "--warehouse", str(file))
        events, work = folder / f"{campaign}-events-{seed}", Warehouse(file).work
        checks = range(FIRST, NIGHTS + 1, _QUICK if quick else every)
        scored.append(score(console, work, files, events, campaign, seed, checks))
    return scored


def totals(scored: list[Scored]) -> dict[str, object]:
    """Return the counts of all seeds, and the longest check."""
    figures = [one.figures for one in scored]
    counts = ("to_be_found", "found", "causes", "causes_right", "reported_twice", "false_reports",
              "false_suspicions")  # fmt: skip
    longest = max(of["processor_seconds_a_check"] for of in figures)
    return {
        "seeds": len(scored),
        **{name: sum(of[name] for of in figures) for name in counts},
        "processor_seconds_a_check": longest,
    }


def has_passed(scored: list[Scored]) -> bool:
    """Whether everything was found with its cause, once, and nothing else."""
    of = totals(scored)
    return (
        of["found"] == of["to_be_found"]
        and of["causes_right"] == of["causes"]
        and of["reported_twice"] == of["false_reports"] == 0
    )


def score(
    console: Console,
    work: Path,
    files: Path,
    events: Path,
    campaign: str,
    seed: int,
    checks: range,
) -> Scored:
    """Judge a built campaign night after night and compare the regressions with its truth.

    files: the campaign's folder, with TRUTH.json; events: an empty folder for the regressions;
    checks: the nights on which a check runs.
    """
    first_seen: dict[str, int] = {}
    seconds, series = list[float](), 0
    with duckdb.connect() as db:
        db.execute(f"ATTACH '{work}' AS built (READ_ONLY)")
        db.execute("CREATE SCHEMA marts")
        db.execute("CREATE VIEW marts.dim_configuration AS FROM built.marts.dim_configuration")
        for night in track(checks, f"seed {seed}", console=console, transient=True):
            until = f"start_utc < TIMESTAMP '{night_of(night)}' AND campaign = '{campaign}'"
            for mart in _FILTERED:
                db.execute(
                    f"CREATE OR REPLACE VIEW marts.{mart} AS FROM built.marts.{mart} WHERE {until}"
                )
            db.execute(
                "CREATE OR REPLACE VIEW marts.fct_run_session AS FROM built.marts.fct_run_session"
                " SEMI JOIN marts.fct_run USING (origin, run_id)"
            )
            begun = time.process_time()
            judged = judge_build(db, events, f"night {night}", read_limits())
            seconds.append(time.process_time() - begun)
            series = judged.series
            for event in judged.events:
                first_seen.setdefault(event["regression_id"], night - 1)
        names = dict(db.execute(
            "SELECT DISTINCT configuration_id, row_number() OVER (ORDER BY start_utc, run_id) - 1"
            f" FROM built.marts.fct_run WHERE campaign = '{campaign}'"
            f" AND start_utc < TIMESTAMP '{night_of(1)}'"
        ).fetchall())  # fmt: skip
    named = {of: list(CONFIGURATIONS)[place] for of, place in names.items()}
    rows = [row for row in read_current(events) if row["kind"] != "model"]
    found = compared(read_truth(files), rows, first_seen, named, seed)
    return replace(found, series=series, seconds=tuple(seconds))


def compared(
    truth: list[Injection],
    rows: list[Row],
    first_seen: dict[str, int],
    names: dict[str, str],
    seed: int = 0,
) -> Scored:
    """Match regressions with the changes; each group reports one change.

    rows: the present state of all; first_seen: the night of each one's first report, by its ID;
    names: of configurations in the truth, by their ID.
    """
    told: dict[Injection, Found] = {}
    taken = set[str]()
    wanted = [change for change in truth if change.is_told]
    # A group near two changes is of the one that has to be found, and of the nearer one.
    for change in sorted(truth, key=lambda change: (not change.is_told, change.first)):
        near = [
            row
            for row in rows
            if row["group_id"] not in taken
            and row["state"] not in _TAKEN_BACK
            and _is_near(change, row, names)
            and not (change not in wanted and _is_of_nearer(change, wanted, row, names))
        ]
        if not near or not change.is_worse:
            told[change] = Found(change, None, None, is_right=False)
            continue
        row = min(near, key=lambda row: (_apart(change, row), not row["leads"]))
        taken.add(row["group_id"])
        group = [one for one in rows if one["group_id"] == row["group_id"]]
        lead = next((one for one in group if one["leads"]), row)
        seen = min(first_seen.get(one["regression_id"], NIGHTS) for one in group)
        told[change] = Found(change, row, seen, right_cause(change, lead))
    found = [told[change] for change in truth]
    rest = [
        row
        for row in rows
        if row["leads"] and (row["group_id"] not in taken or row["state"] in _TAKEN_BACK)
    ]
    twice = [row for row in rest if _is_of_any(truth, row, names)]
    rest = [row for row in rest if row not in twice]
    suspicions = [row for row in rest if row["state"] in {SUSPECTED, WITHDRAWN}]
    false = [row for row in rest if row not in suspicions]
    return Scored(seed, found, twice, false, suspicions, names)


def _is_of_any(truth: list[Injection], row: Row, names: dict[str, str]) -> bool:
    """Whether the first run of a regression, which was not taken back, is near a change."""
    return row["state"] not in _TAKEN_BACK and any(
        change.is_worse and _is_near(change, row, names) for change in truth
    )


def _is_near(change: Injection, row: Row, names: dict[str, str]) -> bool:
    return names[row["configuration_id"]] == change.configuration and _tells(change, row)


def _is_of_nearer(
    change: Injection, wanted: list[Injection], row: Row, names: dict[str, str]
) -> bool:
    """Whether a regression near a change is nearer to one that has to be found."""
    nearest = min(
        (_apart(other, row) for other in wanted if _is_near(other, row, names)), default=NIGHTS
    )
    return nearest < _apart(change, row)


def _apart(change: Injection, row: Row) -> int:
    return abs(night_number(row["onset_utc"]) - change.first)


def _tells(change: Injection, row: Row) -> bool:
    """Whether a regression of the configuration can be a report of a change."""
    begins = night_number(row["onset_utc"])
    if change.kind == "leak":
        near = begins >= change.first - NEAR
    else:
        near = abs(begins - change.first) <= NEAR
    in_data = row["kind"] == "data"
    if change.kind in _PEOPLES:
        is_of = row["metric"] == change.metric or change.metric in row["message"]
        return near and is_of and in_data == (change.kind == "unit")
    return near and in_data == (change.kind == "data") and "queue_depth" not in row["message"]


def right_cause(change: Injection, row: Row) -> bool:
    """Return whether the cause of a regression names what changed."""
    if change.cause == "verb":
        return change.verb.removeprefix("MQ").lower() in row["cause"].lower()
    if change.cause == "address space":
        return change.address_space in row["cause"]
    return _WAYS.get(change.cause, "") in row["cause"]


def night_number(moment: datetime) -> int:
    """Return the night, counted from 0, of a moment."""
    return bisect_right(range(NIGHTS), moment, key=night_of) - 1


def perfhouse(*words: str) -> None:
    """Run a command of perfhouse; raise if it fails."""
    command = [str(Path(sys.executable).with_name("perfhouse")), *words]
    subprocess.run(command, check=True, capture_output=True)


def page_of(head: list[str], scored: list[Scored]) -> str:
    """Return a page: a row for each seed, each change and each report of none.

    head: the lines before the tables.
    """
    lines = [
        *head,
        "",
        _row("seed", "to be found", "found", "causes", "right", "reported twice", "false reports",
             "false suspicions", "nights until reported, median", "series",
             "longest check, CPU s"),
        "|" + "---:|" * 11,
        *(_row(one.seed, *one.figures.values()) for one in scored),
        "",
        "Each change, as it was reported:",
        "",
        _row("seed", "change", "configuration", "what", "night", "to be found", "reported on night",
             "since", "as", "cause", "right"),
        "|---:|---|---|---|---:|---|---:|---:|---|---|---|",
    ]  # fmt: skip
    for one in scored:
        lines += [_row(one.seed, *_cells(found)) for found in one.found]
        for row in (*one.twice, *one.false, *one.suspicions):
            what = "again" if row in one.twice else "none"
            lines.append(
                _row(one.seed, what, one.names[row["configuration_id"]], "", "", "no", "",
                     night_number(row["onset_utc"]), _reported(row), row["cause"], "")
            )  # fmt: skip
    return "\n".join(lines) + "\n"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _cells(found: Found) -> list[object]:
    change, row = found.change, found.row
    what = f"{change.kind}, {change.metric} {100 * change.size:+.1f} %"
    head = [change.name, change.configuration, what, change.first,
            "yes" if change.is_told else "no"]  # fmt: skip
    if row is None:
        return [*head, "", "", "not reported", "", ""]
    right = "yes" if found.is_right else "no"
    since = night_number(row["onset_utc"])
    return [*head, found.night, since, _reported(row), row["cause"] or "", right]


def _reported(row: Row) -> str:
    change = "" if row["change_percent"] is None else f" {row['change_percent']:+.1f} %"
    return f"{row['kind']}: {row['metric']}{change} ({row['state']})"
