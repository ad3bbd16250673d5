"""What is lost, doubled, unreadable or stuck after kills and full disks, at every step.

Each trial begins with a copy of the same warehouse, runs one command, and kills it at a random
moment or lets its disk run full; or the link to the loads, or a file of rows, is gone before it.
Then readers look, the command is run again to its end, and its result is compared with that of an
undisturbed command:

    two hosts   of the trials, those in which a second host (process numbers of its own) loads known
                files again and again meanwhile, and then runs the command again
    lost        rows of raw, of a mart or of an audit that are missing
    doubled     rows that are there more than once, or should not be
    unreadable  the published file or a view of `raw` that cannot be read
    stuck       a command that does not succeed when it is run again, or a draft that stays
    silent      a full disk that the command did not report with status 2

Loads and whole runs are killed on a lake (DuckLake, its catalog in SQLite) as well. Two trials run
side by side, each in a folder of its own. A row is printed when its trials are done;
the table is also written to docs/developers/faults-figures.md, unless --quick.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple, TypeVar

import duckdb
from rich.console import Console

from app.pipeline.build import build_id
from ingest.base.errors import PerfhouseError
from ingest.lake import ducklake
from ingest.lake.catalogue import LEDGER_SCHEMAS
from ingest.lake.sql import identifier
from ingest.lake.warehouse import Warehouse
from tests.bench.manifest import machine, revision
from tests.kit.processes import OTHER_HOST, has_other_hosts
from tests.kit.tables import TIMES_OF_LOADS
from tests.kit.warehouses import PROFILE

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "developers" / "faults-figures.md"
TRIALS, TRIALS_QUICK = 200, 16  # kills, and as many full disks
PLACES = 2  # trials side by side
FAULTS = ("lost", "doubled", "unreadable", "stuck", "silent")
COLUMNS = ("trials", "disturbed", "two hosts", *FAULTS)
SEED = 20_161_122
_PERFHOUSE = (sys.executable, "-m", "app.cli.main")
_COMPACT = (
    "import sys; from pathlib import Path\n"
    "from ingest.lake.warehouse import Warehouse\n"
    "warehouse = Warehouse(Path(sys.argv[1]))\n"
    "try: warehouse.recover(); warehouse.store.compact(enough=2)\n"
    "except Exception as error: print(error, file=sys.stderr); sys.exit(2)\n"
)
_LOAD_AGAIN = (  # what the second host does until a file is there
    "import sys; from pathlib import Path\n"
    "from app.cli.main import main\n"
    "while not Path(sys.argv[1]).exists():\n"
    "    if status := main(sys.argv[2:]): sys.exit(status)\n"
)
OWN_DISK = ("unshare", "--mount", *(() if os.geteuid() == 0 else ("--user", "--map-root-user")))
_DISK = 2 << 30  # bytes of a disk of its own
_PAGE = 4096  # bytes in which such a disk is filled
_LONGEST = 300  # seconds that a command may take
_ATTEMPTS = 6  # to kill a command before it ends by itself
_DRAFT = re.compile(r"^\..+\.draft-")
_REPLACED = re.compile(r"\.replaced\.")  # kept for a person when another command ends a restore
HEALING = {"build of changes", "build of all", "reload"}  # steps that load again what is lost

Digest = dict[str, dict[str, int]]  # table -> key -> rows
T = TypeVar("T")
_SEEN: dict[tuple[str, ...], dict[str, int]] = {}  # what views of raw showed of the same files


class Step(NamedTuple):
    """A step to disturb: how often of 100 trials, the state that it begins with, its arguments."""

    name: str
    share: int
    begins: str
    arguments: tuple[str, ...]


class Usual(NamedTuple):
    """A step undisturbed: what it finds, makes and needs.

    before, after: what readers see. built: the marts in the working database. free: bytes of disk.
    """

    before: Digest
    after: Digest
    built: Digest
    seconds: float
    free: int


class Trial(NamedTuple):
    """One trial: whether the command was disturbed before its end, and what was wrong after it.

    how: what was done to the command. faults: each with what shows it. two_hosts: whether another
    host was at work.
    """

    how: str
    disturbed: bool
    faults: dict[str, str]
    two_hosts: bool = False


Job = Callable[["_Place"], Trial]


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; the figures, and whether nothing was wrong."""
    trials, begun = TRIALS_QUICK if quick else TRIALS, time.monotonic()
    first, steps = _first_place(folder / "0")
    places = [first, *(first.copied_to(folder / str(n)) for n in range(1, PLACES))]
    own_disks, hosts = has_disks(folder), 1 + has_other_hosts()
    tries = [partial(_Place.undisturbed, step=step, has_disks=own_disks) for step in steps]
    usual = dict(zip(steps, _over(places, tries), strict=True))
    first_lake, steps_of_lake = _first_lake(folder / "lake 0", first)
    lakes = [first_lake, *(first_lake.copied_to(folder / f"lake {n}") for n in range(1, PLACES))]
    tries = [partial(_Place.undisturbed, step=step, has_disks=False) for step in steps_of_lake]
    usual |= zip(steps_of_lake, _over(lakes, tries), strict=True)
    idle = _seconds_of([sys.executable, "-c", "import app.pipeline.steps"])
    rows: dict[str, Counter[str]] = {}
    healing = [step for step in steps if step.name in HEALING]
    of_rows = len(steps) * (2 + own_disks) + len(healing) + len(steps_of_lake)

    def show(name: str, of: Counter[str]) -> None:
        line = "".join(f"{of[column]:>11}" for column in COLUMNS)
        console.print(f"{name:22}{line}", highlight=False, soft_wrap=True)

    def row(name: str, jobs: Iterable[Job], places: Sequence[_Place] = places) -> None:
        if not rows:
            console.print(f"{'':22}" + "".join(f"{column:>11}" for column in COLUMNS))
        rows[name] = of = Counter(dict.fromkeys(COLUMNS, 0))
        for trial in _over(places, jobs):
            of.update(["trials", *["disturbed"] * trial.disturbed, *trial.faults])
            of["two hosts"] += trial.two_hosts
            for fault, shown in trial.faults.items():
                console.print(
                    f"{name}, {trial.how}: {fault}: {shown}", highlight=False, soft_wrap=True
                )
        show(name, of)
        if not quick:  # after each row, in case that the benchmark is cut short
            PAGE.write_text(_page(rows, of_rows, (time.monotonic() - begun) / 60))

    dice = random.Random(SEED)
    for step in (*steps, *steps_of_lake):
        jobs = [
            partial(
                _Place.kill, step=step, usual=usual[step], idle=idle, moment=dice.random(),
                two_hosts=bool(number % hosts),
            )
            for number in range(_number(step, trials))
        ]  # fmt: skip
        row(f"kill {step.name}", jobs, places if step in steps else lakes)
    for planted, before, plant in (
        ("lost link", steps, lose_link),
        ("lost rows", healing, lose_rows),
    ):
        for step in before:
            number = max(2, _number(step, trials) // 4)
            jobs = [
                partial(_Place.plant, step=step, usual=usual[step], plant=plant, dice=dice.random())
                for _ in range(number)
            ]
            row(f"{planted}, {step.name}", jobs)
    for step in steps if own_disks else ():
        pages = usual[step].free // _PAGE
        number = _number(step, trials)
        sizes = sorted({round(pages * n / number) * _PAGE for n in range(number)})
        jobs = [partial(_Place.fill, step=step, usual=usual[step], free=free) for free in sizes]
        row(f"full disk, {step.name}", jobs)
    if not own_disks:
        console.print("This machine does not let a process mount a disk: full disks left out.")
    total = _total(rows)
    show("all", total)
    console.print(f"{total['trials']} trials in {(time.monotonic() - begun) / 60:.0f} minutes")
    figures = {"trials": total["trials"]} | {name: total[name] for name in FAULTS}
    return figures | {"rows": {name: dict(of) for name, of in rows.items()}}, not any(
        total[fault] for fault in FAULTS
    )


def _number(step: Step, trials: int) -> int:
    return max(1, round(trials * step.share / 100))


def _over(places: Sequence[_Place], jobs: Iterable[Callable[[_Place], T]]) -> Iterator[T]:
    """Do each job at a place that is free; yield the results in order."""
    free: SimpleQueue[_Place] = SimpleQueue()
    for place in places:
        free.put(place)

    def one(job: Callable[[_Place], T]) -> T:
        place = free.get()
        try:
            return job(place)
        finally:
            free.put(place)

    with ThreadPoolExecutor(len(places)) as pool:
        yield from pool.map(one, jobs)


def _first_place(folder: Path) -> tuple[_Place, list[Step]]:
    """Make the states of a warehouse that the steps begin with; return them and the steps."""
    from models_sim.simulator.campaigns import simulate, write

    place = _Place(folder)
    files = folder / "files"
    for day in (0, 9, 18):
        write(simulate("smoke", limit=1, later=timedelta(days=day)), files / str(day))
    new = str(files / "18")
    place.do(("run", str(files / "0"), str(files / "9")))
    place.warehouse.store.compact(enough=2)
    place.keep("begun")
    place.do(("backup", str(folder / "backup")))
    merged = min(place.warehouse.loads())
    place.do(("ingest", f"{new}/rmf"))
    place.keep("loaded")
    place.warehouse.discard_work()
    place.keep("unbuilt")
    place.restore("loaded")
    place.do(("build",))
    place.keep("built")
    place.do(("check",))
    place.keep("checked")
    return place, [
        Step("ingest", 30, "begun", ("ingest", new)),
        Step("compact", 17, "loaded", ()),
        Step("forget", 15, "loaded", ("forget", merged)),
        Step("reload", 12, "loaded", ("reload", "--all")),
        Step("build of changes", 8, "loaded", ("build",)),
        Step("build of all", 4, "unbuilt", ("build",)),
        Step("check", 6, "built", ("check",)),
        Step("publish", 8, "checked", ("publish",)),
        Step("restore", 8, "checked", ("restore", str(folder / "backup"), "--replace")),
    ]


def _first_lake(folder: Path, other: _Place) -> tuple[_Place, list[Step]]:
    """Make the states of a lake that its steps begin with, of the files of another place."""
    place, files = _Place(folder), other.folder / "files"
    place.warehouse.file.with_suffix(".toml").write_text(PROFILE)
    place.do(("run", str(files / "0"), str(files / "9")))
    place.keep("begun")
    return place, [
        Step("ingest, lake", 25, "begun", ("ingest", str(files / "18"))),
        Step("run, lake", 17, "begun", ("run", str(files / "18"))),
    ]


class _Place:
    """A folder with a warehouse, and the states in which it may be put."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = folder / "place"
        self.states = folder / "states"
        self.place.mkdir(parents=True)
        self.states.mkdir()

    @property
    def warehouse(self) -> Warehouse:
        """The warehouse in place; in a lake, if it has a profile by now."""
        return Warehouse(self.place / "w.duckdb")

    def copied_to(self, folder: Path) -> _Place:
        """Return another place with the same states, in which views read the lake there."""
        other = _Place(folder)
        for state in self.states.iterdir():
            shutil.copytree(state, other.states / state.name, symlinks=True)
            other.restore(state.name)
            with other.warehouse.connect():
                pass
            if other.warehouse.work.exists():
                with other.warehouse.open_work():
                    pass
            shutil.rmtree(other.states / state.name)
            other.keep(state.name)
        return other

    def keep(self, state: str) -> None:
        """Keep what is in place under a name."""
        shutil.copytree(self.place, self.states / state, symlinks=True)

    def restore(self, state: str) -> None:
        """Put a state in place: a copy, as a step may do harm to any file."""
        ducklake._connection.cache_clear()  # to the catalog that was there
        shutil.rmtree(self.place)
        shutil.copytree(self.states / state, self.place, symlinks=True)

    def command(self, arguments: Sequence[str]) -> list[str]:
        """Return the command of a step on the warehouse in place."""
        file = str(self.warehouse.file)
        if not arguments:
            return [sys.executable, "-c", _COMPACT, file]
        return [*_PERFHOUSE, *arguments, "--warehouse", file]

    def run(
        self, arguments: Sequence[str], host: Sequence[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; `host` is what stands before it for another host."""
        return subprocess.run(
            [*host, *self.command(arguments)], cwd=ROOT, capture_output=True, text=True,
            timeout=_LONGEST, check=False,
        )  # fmt: skip

    @contextmanager
    def second_host(self, trouble: list[str]) -> Iterator[None]:
        """Load a known file again and again on another host meanwhile; add what goes wrong."""
        with self.warehouse.connect() as db:  # a file that the backup has, and no step forgets
            ((known,),) = db.execute(
                "SELECT max_by(path, source_id) FROM raw.ledger WHERE NOT contains(path, '/18/')"
            ).fetchall()
        enough = self.folder / "enough"
        enough.unlink(missing_ok=True)
        command = [sys.executable, "-c", _LOAD_AGAIN, str(enough), "ingest", known]
        with subprocess.Popen(
            [*OTHER_HOST, *command, "--warehouse", str(self.warehouse.file)],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            yield
            enough.touch()
            if process.wait(_LONGEST):
                assert process.stderr
                trouble.append(process.stderr.read().strip())

    def do(self, arguments: Sequence[str]) -> None:
        """Run a command undisturbed. Raises RuntimeError if it fails."""
        if (done := self.run(arguments)).returncode > 1:
            raise RuntimeError(f"{' '.join(arguments)} fails undisturbed: {done.stderr}")

    def undisturbed(self, step: Step, has_disks: bool) -> Usual:
        """Run a step undisturbed, once on a disk of its own to see what it needs."""
        self.restore(step.begins)
        before, begun = digest(self.warehouse), time.monotonic()
        self.do(step.arguments)
        seconds = time.monotonic() - begun
        after, built = digest(self.warehouse), digest_of_build(self.warehouse)
        free = self.on_own_disk(step, _DISK // 4)[1] if has_disks else 0
        return Usual(before, after, built, seconds, max(free, _PAGE))

    def on_own_disk(self, step: Step, free: int) -> tuple[subprocess.CompletedProcess[str], int]:
        """Run a step on a disk with so many bytes free, and put what it left in place.

        Returns how the command ended, and the most bytes that it used at a time.
        """
        shutil.rmtree(self.place)
        self.place.mkdir()
        left = self.folder / "left"
        shutil.rmtree(left, ignore_errors=True)
        # The disk is mounted over the folder, which keeps its path: views have it.
        script = """
            place=$1 state=$2 left=$3 size=$4 free=$5; shift 5
            mount -t tmpfs -o size=$size tmpfs "$place" && cp -a "$state/." "$place" || exit 98
            available=$(df --output=avail -B1 "$place" | tail -1)
            fallocate -l $((available - free)) "$place/.filler" || exit 98
            "$@"
            status=$?
            rm "$place/.filler"
            cp -a "$place" "$left" || exit 98
            exit $status
        """
        command = self.command(step.arguments)
        with subprocess.Popen(
            [*OWN_DISK, "sh", "-c", script, "sh", str(self.place), str(self.states / step.begins),
             str(left), str(_DISK), str(free), *command],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            seen = Path(f"/proc/{process.pid}/root", *self.place.parts[1:])
            least, begun = free, time.monotonic()
            while process.poll() is None:
                try:
                    if (seen / ".filler").exists():
                        disk = os.statvfs(seen)
                        least = min(least, disk.f_bavail * disk.f_frsize)
                except OSError:  # it just ended
                    pass
                if time.monotonic() - begun > _LONGEST:
                    process.kill()
                time.sleep(0.005)
            said = process.stderr.read() if process.stderr else ""
        if process.returncode == 98:
            raise RuntimeError(said)
        shutil.rmtree(self.place)
        left.rename(self.place)
        return subprocess.CompletedProcess(command, process.returncode, "", said), free - least

    def kill(
        self, step: Step, usual: Usual, idle: float, moment: float, *, two_hosts: bool
    ) -> Trial:
        """Kill the step at a moment from 0, when it has started, to 1, its usual end."""
        for _ in range(_ATTEMPTS):
            self.restore(step.begins)
            trouble: list[str] = []
            with self.second_host(trouble) if two_hosts else nullcontext():
                process = subprocess.Popen(
                    self.command(step.arguments), cwd=ROOT, start_new_session=True,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )  # fmt: skip
                begins = min(idle, usual.seconds / 2)
                time.sleep(begins + moment * (usual.seconds - begins))
                ended = process.poll() is not None
                process.kill()  # only the command: its children have to end by themselves
                process.wait()
            if not ended:
                break
            moment *= 0.7  # the machine is faster than before
        how = f"after {moment:.0%} of its time" + ", two hosts" * two_hosts
        host = OTHER_HOST if two_hosts else ()
        faults = self._judge(step, usual, is_done=ended, host=host)
        if trouble:
            faults["stuck"] = f"the second host: {trouble[0]!r}"
        return Trial(how, not ended, faults, two_hosts)

    def plant(
        self, step: Step, usual: Usual, plant: Callable[[Warehouse, float], str], dice: float
    ) -> Trial:
        """Run the step on a warehouse in which something is lost."""
        self.restore(step.begins)
        how = plant(self.warehouse, dice)
        done = self.run(step.arguments)
        faults = self._judge(step, usual, is_done=True)
        if done.returncode not in (0, 1):
            faults["stuck"] = f"status {done.returncode}, {done.stderr.strip()!r}"
        return Trial(how, True, faults)

    def fill(self, step: Step, usual: Usual, free: int) -> Trial:
        """Run the step on a disk that is nearly full, then give it room again."""
        done, _ = self.on_own_disk(step, free)
        disturbed = done.returncode not in (0, 1)
        faults = self._judge(step, usual, is_done=not disturbed)
        if disturbed and (done.returncode != 2 or "left on device" not in done.stderr):
            faults["silent"] = f"status {done.returncode}, {done.stderr.strip()!r}"
        return Trial(f"{free} bytes free", disturbed, faults)

    def _judge(
        self, step: Step, usual: Usual, *, is_done: bool, host: Sequence[str] = ()
    ) -> dict[str, str]:
        """Return what is wrong now, and after the step is run again."""
        faults: dict[str, str] = {}
        seen = None
        try:
            seen = digest(self.warehouse)
            faults |= _between(seen, usual.after if is_done else usual.before, usual.after)
        except (duckdb.Error, PerfhouseError, OSError) as error:
            faults["unreadable"] = str(error)
        try:
            # What was forgotten cannot be forgotten again: another command cleans up.
            is_gone = step.name == "forget" and seen == usual.after
            again = self.run(() if is_gone else step.arguments, host)
            if again.returncode not in (0, 1):
                faults["stuck"] = f"status {again.returncode}, {again.stderr.strip()!r}"
            faults |= _between(digest(self.warehouse), usual.after, usual.after)
            faults |= _between(digest_of_build(self.warehouse), usual.built, usual.built)
        except subprocess.TimeoutExpired:
            faults["stuck"] = f"it ran for {_LONGEST} seconds"
        except (duckdb.Error, PerfhouseError, OSError) as error:
            faults["unreadable"] = str(error)
        drafts = [
            file
            for file in self.place.rglob(".*")
            if _DRAFT.match(file.name) and not _REPLACED.search(file.name)
        ]
        if left := [*self.warehouse.staging.glob("*"), *drafts]:
            faults["stuck"] = f"{left[0]} was left behind"
        return faults


def lose_link(warehouse: Warehouse, _: float) -> str:
    """Remove the link to the loads; return what was lost."""
    warehouse.raw.unlink()
    return "no link"


def lose_rows(warehouse: Warehouse, dice: float) -> str:
    """Remove a file of rows, chosen by a number from 0 to 1; return which."""
    files = sorted(
        file
        for file in warehouse.raw.resolve().glob("*/*.parquet")
        if not file.parent.name.startswith("_")
    )
    lost = files[int(dice * len(files))]
    lost.unlink()
    return f"no {lost.parent.name[:12]}/{lost.name}"


def _seconds_of(command: Sequence[str]) -> float:
    begun = time.monotonic()
    subprocess.run(command, cwd=ROOT, check=True)
    return time.monotonic() - begun


def has_disks(folder: Path) -> bool:
    """Return whether this process may mount a disk of its own over a folder."""
    mount = [*OWN_DISK, "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    return subprocess.run(mount, capture_output=True, check=False).returncode == 0


def digest(warehouse: Warehouse) -> Digest:
    """Return the rows that readers see: of raw by load, of each published mart, of the last audit.

    A key has a hash of its rows, so that another value is a lost row and one too many. A view of
    raw is queried once for the same files, byte by byte, in the same folders; the ledger always.
    """
    files = _contents(warehouse)
    found: Digest = {}
    with warehouse.connect() as db:
        db.begin()  # or each statement reads the catalog of a lake again
        views = "SELECT view_name FROM duckdb_views() WHERE schema_name = 'raw' ORDER BY ALL"
        for (table,) in db.execute(views).fetchall():
            key = "source_id" if table in LEDGER_SCHEMAS else "source_id || ' ' || bit_xor(hash(t))"
            rows = f"SELECT {key}, count(*) FROM raw.{table} t GROUP BY source_id"
            known = (table, *files.get(table, ()))
            if known not in _SEEN or table == "ledger" or warehouse.store.profile:
                _SEEN[known] = dict(db.execute(rows).fetchall())
            if _SEEN[known]:
                found[f"raw.{table}"] = _SEEN[known]
        audited = (
            "SELECT 'last', count(*) FROM meta.expectation_result "
            "WHERE check_id = (SELECT max(check_id) FROM meta.expectation_result)"
        )
        found["audit"] = dict(db.execute(audited).fetchall())
        return found | _tables(db, "marts")


def _contents(warehouse: Warehouse) -> dict[str, list[str]]:
    """Return the folder and the SHA-256 of each file of each raw table."""
    found: dict[str, list[str]] = {}
    for file in sorted(warehouse.raw.resolve().glob("*/*.parquet")):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        table = file.name.partition(".")[0]
        found.setdefault(table, []).append(f"{file.parent.name}/{file.name} {content}")
    return found


def digest_of_build(warehouse: Warehouse) -> Digest:
    """Return the rows in the working database, if a build was finished there."""
    if warehouse.store.profile or not warehouse.work.exists():
        return {}
    with duckdb.connect(str(warehouse.work), read_only=True) as db:
        return _tables(db, "intermediate") | _tables(db, "marts") if build_id(db) else {}


def _tables(db: duckdb.DuckDBPyConnection, schema: str) -> Digest:
    times = ", ".join(f"'{name}'" for name in TIMES_OF_LOADS)
    names = (
        "SELECT table_name, list((column_name, data_type) ORDER BY column_index) "
        "FROM duckdb_columns() JOIN duckdb_tables() USING (schema_name, table_name) "
        f"WHERE schema_name = '{schema}' "
        # What was done and when files were loaded, which a kill changes.
        "AND table_name NOT LIKE 'fct_pipeline_%' AND table_name <> 'fct_arrival' "
        f"AND column_name NOT IN ({times}) "  # which a load that is made again changes
        "GROUP BY ALL ORDER BY ALL"
    )
    found: Digest = {}
    for table, columns in db.execute(names).fetchall():
        values = ", ".join(_value(name, kind) for name, kind in columns)
        rows = f"SELECT bit_xor(hash({values}))::VARCHAR, count(*) FROM {schema}.{table}"
        found[f"{schema}.{table}"] = dict(db.execute(rows).fetchall())
    return found


def _value(column: str, kind: str) -> str:
    """Return SQL of a column without the rounding of sums, whose order is not fixed.

    Doubles are shifted a little, as round figures are where rounding goes up or down.
    """
    name = identifier(column)
    if kind == "DOUBLE":
        return f"(round({name} * 1.000000123 + 3.3e-7, 6) + 0.0)::FLOAT"
    if "DOUBLE" in kind:
        return rf"regexp_replace({name}::VARCHAR, '(\.\d{{6}})\d+', '\1', 'g')"
    return name


def _between(seen: Digest, before: Digest, after: Digest) -> dict[str, str]:
    """Return the faults of what is seen while a step may be half done, each with a table.

    A load of raw is there as before or as after the step, and so is each other table.
    """
    faults = {}
    for table in sorted({*seen, *before, *after}):
        rows, *allowed = (of.get(table, {}) for of in (seen, before, after))
        if table.startswith("raw."):
            both = allowed[0].items() & allowed[1].items()
            either = allowed[0].items() | allowed[1].items()
            wrong = {"lost": both - rows.items(), "doubled": rows.items() - either}
        else:
            is_wrong = rows not in allowed
            is_less = sum(rows.values()) <= max(sum(of.values()) for of in allowed)
            wrong = {"lost": is_wrong and is_less, "doubled": is_wrong and not is_less}
        faults |= {fault: table for fault, found in wrong.items() if found}
    return faults


def _total(rows: dict[str, Counter[str]]) -> Counter[str]:
    total = Counter[str]()
    for of in rows.values():
        total.update(of)
    return total


def _page(rows: dict[str, Counter[str]], of_rows: int, minutes: float) -> str:
    shown = rows | {"all": _total(rows)}
    cut = f" Cut short: {len(rows)} of {of_rows} rows." if len(rows) < of_rows else ""
    lines = [
        "# Figures of the faults",
        "",
        "Written by `make bench-faults`; tests/bench/faults.py says what the columns mean. A trial",
        "is one command that is killed at a random moment, or whose disk runs full, or before",
        "which the link to the loads or a file of rows is lost, on a copy of a small **simulated**",
        "warehouse. *Disturbed* are those that had not ended before; in those with *two hosts*, a",
        "second one is at work on the folder meanwhile, and runs the command again.",
        "",
        f"{minutes:.0f} minutes on {machine()}, at revision {revision()}.{cut}",
        "",
        f"| step | {' | '.join(COLUMNS)} |",
        f"|---|{'---:|' * len(COLUMNS)}",
        *(f"| {name} | {' | '.join(str(of[c]) for c in COLUMNS)} |" for name, of in shown.items()),
    ]
    return "\n".join(lines) + "\n"
