"""What is lost, doubled, unreadable or stuck after kills and full disks, at every step.

Each trial begins with a copy of the same warehouse, runs one command, and kills it at a random
moment or lets its disk run full. Then readers look, the command is run again to its end, and its
result is compared with that of an undisturbed command:

    lost        rows of raw or of a mart that are missing
    doubled     rows that are there more than once, or should not be
    unreadable  the published file or a view of `raw` that cannot be read
    stuck       a command that does not succeed when it is run again, or a draft that stays
    silent      a full disk that the command did not report with status 2
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ingest.catalogue import LEDGER_SCHEMAS
from ingest.errors import PerfhouseError
from ingest.warehouse import Warehouse

ROOT = Path(__file__).parents[2]
KILLS, KILLS_QUICK = 200, 12
FAULTS = ("lost", "doubled", "unreadable", "stuck", "silent")
SEED = 20_161_122
_PERFHOUSE = (sys.executable, "-m", "app.cli.main")
_COMPACT = (
    "import sys; from pathlib import Path\n"
    "from ingest.compact import compact; from ingest.warehouse import Warehouse\n"
    "compact(Warehouse(Path(sys.argv[1])), enough=2)\n"
)
_OWN_DISK = ("unshare", "--mount", *(() if os.geteuid() == 0 else ("--user", "--map-root-user")))
_LONGEST = 300  # seconds that a command may take

Digest = dict[str, dict[str, int]]  # table -> key -> rows


class Step(NamedTuple):
    """A step to disturb: how often of 100 kills, its command, and the state it begins with."""

    name: str
    share: int
    arguments: tuple[str, ...]
    begins: str


class Trial(NamedTuple):
    """One trial: whether the command was disturbed before its end, and what was wrong after it."""

    disturbed: bool
    faults: set[str]


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; the figures, and whether nothing was wrong."""
    bench = _Bench(folder, random.Random(SEED))
    kills, disks = KILLS_QUICK if quick else KILLS, 3 if quick else 12
    counts: dict[str, Counter[str]] = {}
    for step in bench.steps:
        number = max(1, round(kills * step.share / 100))
        trials = track(range(number), f"killing {step.name}", console=console, transient=True)
        counts[f"kill {step.name}"] = _count(bench.kill(step) for _ in trials)
    if bench.has_disks():
        for step in bench.steps:
            sizes = bench.sizes(step, disks)
            trials = track(sizes, f"filling the disk of {step.name}", console=console,
                           transient=True)  # fmt: skip
            counts[f"full disk, {step.name}"] = _count(bench.fill(step, free) for free in trials)
    else:
        console.print("This machine does not let a process mount a disk: full disks left out.")
    console.print(_table(counts))
    sound = not any(of[fault] for of in counts.values() for fault in FAULTS)
    return {"faults": {name: dict(of) for name, of in counts.items()}}, sound


class _Bench:
    """The states of a warehouse that steps begin with, and what each step must make of them."""

    def __init__(self, folder: Path, dice: random.Random) -> None:
        from models_sim.simulator.campaigns import simulate, write

        self.folder = folder
        self.dice = dice
        self.files = folder / "files"
        write(simulate("smoke", limit=1), self.files)
        smf = sorted(self.files.rglob("*.smf"))
        last = self.files / "last"
        last.mkdir()
        for file in smf[1:]:
            file.rename(last / file.name)
        self._make_states(last)
        one = self._warehouse("loaded").loads()
        source_id = min(one, key=lambda load: one[load])
        self.steps = (
            Step("ingest", 25, ("ingest", str(last), "--origin", "simulated"), "begun"),
            Step("compact", 20, (), "loaded"),
            Step("forget", 15, ("forget", source_id), "loaded"),
            Step("build", 20, ("build",), "loaded"),
            Step("check", 10, ("check",), "built"),
            Step("publish", 10, ("publish",), "checked"),
        )
        self.usual: dict[str, float] = {}
        self.wanted: dict[str, tuple[Digest, Digest]] = {}
        self.used: dict[str, int] = {}
        for step in self.steps:
            self._try(step)

    def _make_states(self, last: Path) -> None:
        """Make the warehouse before and after each of the pipeline's steps."""
        place = self.folder / "place"
        place.mkdir()
        for state, command in {
            "begun": ("run", str(self.files / "manifest.json"), str(self.files / "mft"),
                      *map(str, self.files.glob("smf/*.smf")), "--origin", "simulated"),
            "loaded": ("ingest", str(last), "--origin", "simulated"),
            "built": ("build",),
            "checked": ("check",),
        }.items():  # fmt: skip
            self._run(command)
            shutil.copytree(place, self.folder / state, symlinks=True)

    def _warehouse(self, folder: str = "place") -> Warehouse:
        return Warehouse(self.folder / folder / "w.duckdb")

    def _restore(self, state: str) -> None:
        """Put a state in place: views have the path of their lake."""
        place = self.folder / "place"
        shutil.rmtree(place)
        shutil.copytree(self.folder / state, place, symlinks=True)

    def _command(self, step: Step | Sequence[str]) -> list[str]:
        file = str(self._warehouse().file)
        if isinstance(step, Step):
            if not step.arguments:
                return [sys.executable, "-c", _COMPACT, file]
            step = step.arguments
        return [*_PERFHOUSE, *step, "--warehouse", file]

    def _run(self, step: Step | Sequence[str]) -> int:
        return subprocess.run(
            self._command(step), cwd=ROOT, capture_output=True, timeout=_LONGEST, check=False
        ).returncode

    def _try(self, step: Step) -> None:
        """Run a step undisturbed: how long it takes, what it makes, and how much disk it needs."""
        self._restore(step.begins)
        before, bytes_before = digest(self._warehouse()), _bytes(self.folder / "place")
        begun = time.monotonic()
        if self._run(step) > 1:
            raise RuntimeError(f"{step.name} fails undisturbed")
        self.usual[step.name] = time.monotonic() - begun
        self.wanted[step.name] = before, digest(self._warehouse())
        self.used[step.name] = max(_bytes(self.folder / "place") - bytes_before, 1 << 20)

    def kill(self, step: Step) -> Trial:
        """Kill the step and all its processes at a random moment."""
        self._restore(step.begins)
        process = subprocess.Popen(
            self._command(step), cwd=ROOT, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(self.dice.uniform(0, self.usual[step.name]))
        ended = process.poll() is not None
        process.kill()  # only the command: its children have to end by themselves
        process.wait()
        return Trial(not ended, self._judge(step))

    def sizes(self, step: Step, number: int) -> list[int]:
        """Return KB of free disk to try: from none to a little less than the step needs."""
        most = self.used[step.name] // 1024
        return [round(most * i / number) for i in range(number)]

    def has_disks(self) -> bool:
        """Return whether this process may mount a disk of its own."""
        mount = [*_OWN_DISK, "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(self.folder)]
        done = subprocess.run(mount, capture_output=True, check=False)
        return done.returncode == 0

    def fill(self, step: Step, free: int) -> Trial:
        """Run the step on a disk with only `free` KB left, then give it room again."""
        self._restore(step.begins)
        place, kept = self.folder / "place", self.folder / "kept"
        shutil.rmtree(kept, ignore_errors=True)
        # The folder keeps its path, because views have it: the disk is mounted over it.
        script = """
            place=$1 kept=$2 free=$3; shift 3
            mkdir "$kept" && cp -a "$place/." "$kept" || exit 98
            mount -t tmpfs -o size=2g tmpfs "$place" && cp -a "$kept/." "$place" || exit 98
            rm -rf "$kept"
            available=$(df --output=avail "$place" | tail -1)
            fallocate -l $((available - free))K "$place/.filler" || exit 98
            "$@"
            status=$?
            rm "$place/.filler"
            cp -a "$place" "$kept" || exit 98
            exit $status
        """
        done = subprocess.run(
            [*_OWN_DISK, "sh", "-c", script, "sh", place, kept, str(free), *self._command(step)],
            cwd=ROOT, capture_output=True, text=True, timeout=_LONGEST, check=False,
        )  # fmt: skip
        if done.returncode == 98:
            raise RuntimeError(done.stderr)
        self._restore("kept")
        faults = self._judge(step)
        if done.returncode > 1 and (done.returncode != 2 or "left on device" not in done.stderr):
            faults.add("silent")
        return Trial(done.returncode > 1, faults)

    def _judge(self, step: Step) -> set[str]:
        """Return what is wrong now, and after the step is run again."""
        faults: set[str] = set()
        before, after = self.wanted[step.name]
        try:
            seen = digest(self._warehouse())
            if seen not in (before, after):
                faults |= _between(seen, before, after)
        except (duckdb.Error, PerfhouseError, OSError):
            faults.add("unreadable")
        done = step.name == "forget" and _shows(self._warehouse(), after)  # else: no such load
        try:
            if not done and self._run(step) > 1:
                faults.add("stuck")
            elif (final := digest(self._warehouse())) != after:
                faults |= _between(final, after, after) or {"lost"}
        except subprocess.TimeoutExpired:
            faults.add("stuck")
        except (duckdb.Error, PerfhouseError, OSError):
            faults.add("unreadable")
        if any(self._warehouse().staging.iterdir()):
            faults.add("stuck")
        return faults


def _shows(warehouse: Warehouse, wanted: Digest) -> bool:
    """Return whether readers see just this."""
    try:
        return digest(warehouse) == wanted
    except (duckdb.Error, PerfhouseError, OSError):
        return False


def digest(warehouse: Warehouse) -> Digest:
    """Return the rows that readers see: of raw by load, and of each published mart.

    A key has a hash of its rows, so that another value is a lost row and one too many.
    """
    found: Digest = {}
    with warehouse.connect() as db:
        tables = db.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE schema_name = 'marts' "
            "UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE schema_name = 'raw'"
        ).fetchall()
        for schema, table in sorted(tables):
            if schema == "raw" and table in LEDGER_SCHEMAS:
                rows = f"SELECT source_id, count(*) FROM raw.{table} GROUP BY ALL"
            elif schema == "raw":
                rows = (
                    "SELECT source_id || ' ' || bit_xor(hash(t)), count(*) "
                    f"FROM raw.{table} t GROUP BY source_id"
                )
            else:
                rows = f"SELECT bit_xor(hash(t))::VARCHAR, count(*) FROM marts.{table} t"
            if keys := dict(db.execute(rows).fetchall()):
                found[f"{schema}.{table}"] = keys
    return found


def _between(seen: Digest, before: Digest, after: Digest) -> set[str]:
    """Return the faults of what readers see while a step may be half done.

    A load is there as before or as after the step.
    """
    faults = set()
    for table in {*seen, *before, *after}:
        rows, *allowed = (of.get(table, {}) for of in (seen, before, after))
        if table.startswith("marts.") and rows not in allowed:
            faults.add("lost" if sum(rows.values()) <= sum(allowed[0].values()) else "doubled")
        if table.startswith("raw."):
            both = allowed[0].items() & allowed[1].items()
            either = allowed[0].items() | allowed[1].items()
            faults |= {"lost"} if both - rows.items() else set()
            faults |= {"doubled"} if rows.items() - either else set()
    return faults


def _bytes(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())


def _count(trials: Iterable[Trial]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for trial in trials:
        counts["trials"] += 1
        counts["disturbed"] += trial.disturbed
        counts.update(trial.faults)
    return counts


def _table(counts: dict[str, Counter[str]]) -> Table:
    table = Table(title="Faults")
    columns = ("trials", "disturbed", *FAULTS)
    table.add_column("step")
    for column in columns:
        table.add_column(column, justify="right")
    for name, of in counts.items():
        table.add_row(name, *(str(of[column]) for column in columns))
    table.add_section()
    table.add_row("all", *(str(sum(of[c] for of in counts.values())) for c in columns))
    return table
