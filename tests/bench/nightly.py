"""Five seeds of nights with changes that the seed draws: what is found, when, why, and what is not.

Each seed of the scenario `nightly-mixed` is simulated, loaded and built once; then regressions are
judged night after night, each time on the runs up to that night. What has to be found is read from
TRUTH.json, which the simulator wrote. A change counts as found if a group has a regression of its
configuration, kind of fault and, where people measured it, metric that begins within five nights of
it (a leak: after it). The second of two steps needs a group of its own. The cause is right if it
names the address space, the wait, or the work that moved from zIIPs. One more group of a change is
told twice; a group of no change is a false report, and so is a withdrawn one.

The figures are also written to docs/nightly-figures.md, unless --quick (every twelfth night of the
first seed only).
"""

from __future__ import annotations

import subprocess
import sys
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
from models_sim.simulator.campaigns.scenarios.changes import Injection, read_truth
from models_sim.simulator.campaigns.scenarios.nightly import CONFIGURATIONS, NIGHTS, night_of

FIRST, NEAR = 12, 5  # nights
PAGE = Path(__file__).parents[2] / "docs" / "nightly-figures.md"
SEEDS = range(1, 6)
CAMPAIGN = "nightly-mixed"
_FILTERED = ("fct_run", "fct_measurement", "fct_system_measurement",
             "fct_address_space_measurement", "fct_run_part", "fct_run_against_model")  # fmt: skip
_PEOPLES = ("values", "unit")  # kinds that are in what people measured
_WAYS = {"dasd": "DASD", "cf": "coupling facility", "network": "network", "log": "MQ log",
         "host": "nothing recorded", "ziip": "zIIP"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A change, the regression that tells it, the night of the report, and whether why is right."""

    change: Injection
    row: Row | None
    night: int | None
    is_right: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of a seed: what became of each change, and the leaders of all other groups.

    twice: of groups that tell a change once more; false: of no change, or withdrawn.
    """

    seed: int
    found: list[Found]
    twice: list[Row]
    false: list[Row]
    names: dict[str, str]

    @property
    def figures(self) -> dict[str, int]:
        """Counts: changes to be found, found, causes, right ones, told twice, false; nights."""
        wanted = [one for one in self.found if one.change.is_told]
        hit = [one for one in wanted if one.row]
        caused = [one for one in hit if one.change.kind not in {*_PEOPLES, "data"}]
        late = sorted(one.night - one.change.first for one in hit if one.night is not None)
        return {
            "to_be_found": len(wanted),
            "found": len(hit),
            "causes": len(caused),
            "causes_right": sum(one.is_right for one in caused),
            "told_twice": len(self.twice),
            "false_reports": len(self.false),
            "nights_until_told": late[len(late) // 2] if late else 0,
        }


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures, and whether all was found and nothing else."""
    scored = []
    for seed in SEEDS if not quick else SEEDS[:1]:
        file, files = folder / f"mixed-{seed}.duckdb", folder / f"mixed-{seed}"
        _perfhouse("simulate", CAMPAIGN, "--seed", str(seed), "--out", str(files))
        _perfhouse("ingest", str(files), "--warehouse", str(file))
        _perfhouse("build", "--warehouse", str(file))
        events = folder / f"mixed-events-{seed}"
        scored.append(score(console, Warehouse(file).work, files, events, seed, quick=quick))
    page = page_of(scored)
    console.print(page, markup=False, highlight=False)
    if not quick:
        PAGE.write_text(page)
    total = {
        name: sum(one.figures[name] for one in scored)
        for name in (
            "to_be_found",
            "found",
            "causes",
            "causes_right",
            "told_twice",
            "false_reports",
        )
    }
    passed = (
        total["found"] == total["to_be_found"]
        and total["causes_right"] == total["causes"]
        and not total["false_reports"] + total["told_twice"]
    )
    return {"seeds": len(scored), **total}, quick or passed


def score(
    console: Console, work: Path, files: Path, events: Path, seed: int, *, quick: bool = False
) -> Scored:
    """Judge a built campaign night after night and compare the regressions with its truth.

    files: the campaign's folder, with TRUTH.json; events: an empty folder for the regressions.
    """
    first_seen: dict[str, int] = {}
    nights = range(FIRST, NIGHTS + 1, 12 if quick else 1)
    with duckdb.connect() as db:
        db.execute(f"ATTACH '{work}' AS built (READ_ONLY)")
        db.execute("CREATE SCHEMA marts")
        db.execute("CREATE VIEW marts.dim_configuration AS FROM built.marts.dim_configuration")
        for night in track(nights, f"seed {seed}", console=console, transient=True):
            until = f"start_utc < TIMESTAMP '{night_of(night)}' AND campaign = '{CAMPAIGN}'"
            for mart in _FILTERED:
                db.execute(
                    f"CREATE OR REPLACE VIEW marts.{mart} AS FROM built.marts.{mart} WHERE {until}"
                )
            for event in judge_build(db, events, f"night {night}", read_limits()).events:
                first_seen.setdefault(event["regression_id"], night - 1)
        names = dict(db.execute(
            "SELECT DISTINCT configuration_id, row_number() OVER (ORDER BY start_utc, run_id) - 1"
            f" FROM built.marts.fct_run WHERE campaign = '{CAMPAIGN}'"
            f" AND start_utc < TIMESTAMP '{night_of(1)}'"
        ).fetchall())  # fmt: skip
    named = {of: list(CONFIGURATIONS)[place] for of, place in names.items()}
    rows = [row for row in read_current(events) if row["kind"] != "model"]
    return compared(read_truth(files), rows, first_seen, named, seed)


def compared(
    truth: list[Injection],
    rows: list[Row],
    first_seen: dict[str, int],
    names: dict[str, str],
    seed: int = 0,
) -> Scored:
    """Match regressions with the changes; each group tells one change.

    rows: the present state of all; first_seen: the night of each one's first report, by its ID;
    names: of configurations in the truth, by their ID.
    """
    told: dict[Injection, Found] = {}
    taken = set[str]()
    # A group near two changes is of the one that has to be found, and of the nearer one.
    for change in sorted(truth, key=lambda change: (not change.is_told, change.first)):
        near = [
            row
            for row in rows
            if row["group_id"] not in taken
            and row["state"] != "false alarm"
            and names[row["configuration_id"]] == change.configuration
            and _tells(change, row)
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
    rest = [row for row in rows if row["leads"] and row["group_id"] not in taken]
    twice = [row for row in rest if _is_of_any(truth, row, names)]
    false = [
        row
        for row in rows
        if row["leads"] and row not in twice
        and (row["group_id"] not in taken or row["state"] == "false alarm")
    ]  # fmt: skip
    return Scored(seed, found, twice, false, names)


def _is_of_any(truth: list[Injection], row: Row, names: dict[str, str]) -> bool:
    """Whether the first run of a regression, which was not withdrawn, is near a change."""
    return row["state"] != "false alarm" and any(
        names[row["configuration_id"]] == change.configuration
        and change.is_worse
        and _tells(change, row)
        for change in truth
    )


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
    """Whether the cause of a regression names what changed."""
    if change.cause == "address space":
        return change.address_space in row["cause"]
    return _WAYS.get(change.cause, "") in row["cause"]


def night_number(moment: datetime) -> int:
    """Return the night, counted from 0, of a moment."""
    return bisect_right(range(NIGHTS), moment, key=night_of) - 1


def _perfhouse(*words: str) -> None:
    command = [str(Path(sys.executable).with_name("perfhouse")), *words]
    subprocess.run(command, check=True, capture_output=True)


def page_of(scored: list[Scored]) -> str:
    """Return the page: a row for each seed, each change that was missed, and each false report."""
    lines = [
        "# Figures of drawn changes",
        "",
        "Written by `python -m tests.bench nightly`; [regressions.md](regressions.md) has the",
        f"rules. The scenario `{CAMPAIGN}` is **simulated**: {NIGHTS} nights of",
        f"{len(CONFIGURATIONS)} configurations with 1 % noise between runs, and changes that the",
        "seed draws. What has to be found is in the TRUTH.json of each campaign.",
        "",
        _row("seed", "to be found", "found", "causes", "right", "told twice", "false reports",
             "nights until told, median"),
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    for one in scored:
        f = one.figures
        lines.append(_row(one.seed, *f.values()))
    lines += [
        "",
        "Each change, as it was told:",
        "",
        _row("seed", "change", "configuration", "what", "night", "to be found", "told on night",
             "since", "as", "cause", "right"),
        "|---:|---|---|---|---:|---|---:|---:|---|---|---|",
    ]  # fmt: skip
    for one in scored:
        for found in one.found:
            lines.append(_row(one.seed, *_cells(found)))
        for row in (*one.twice, *one.false):
            what = "again" if row in one.twice else "none"
            change = "" if row["change_percent"] is None else f" {row['change_percent']:+.1f} %"
            lines.append(
                f"| {one.seed} | {what} | {one.names[row['configuration_id']]} |  |  | no |  | "
                f"{night_number(row['onset_utc'])} | {row['kind']}: {row['metric']}{change} | "
                f"{row['cause']} ({row['state']}) |  |"
            )
    return "\n".join(lines) + "\n"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _cells(found: Found) -> list[str]:
    change, row = found.change, found.row
    what = f"{change.kind}, {change.metric} {100 * change.size:+.1f} %"
    head = [change.name, change.configuration, what, str(change.first),
            "yes" if change.is_told else "no"]  # fmt: skip
    if row is None:
        return [*head, "", "", "not told", "", ""]
    size = "" if row["change_percent"] is None else f" {row['change_percent']:+.1f} %"
    told: Any = found.night
    return [*head, str(told), str(night_number(row["onset_utc"])),
            f"{row['kind']}: {row['metric']}{size} ({row['state']})", row["cause"] or "",
            "yes" if found.is_right else "no"]  # fmt: skip
