"""What each page of the dashboard costs on few rows and on many.

A small warehouse is simulated, loaded and built: nights of benchmark runs and a production day. Its
published file is then multiplied: the runs until there are ten million measurements, the day until
there are a thousand. Each page is drawn on both with nothing cached. Queries are those of one
drawing, one after the other. First paint is Chromium's first contentful paint (W3C Paint Timing);
a page is settled when its last table and chart are shown.
"""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from unittest import mock

import duckdb
from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.progress import track
from rich.table import Table
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from app.dashboard.navigation import VIEWS, View
from app.results import reader
from app.results.reader import Reader
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.campaigns import simulate, write
from scripts.serving import CHROMIUM_OPTIONS, OPTIONS, SETTLED, serving
from tests.bench.load import COMMAND, Run, command, timed
from tests.bench.manifest import machine, revision

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "developers" / "pages-figures.md"
MEASUREMENTS, DAYS = 10_000_000, 1_000
MOST_SECONDS, MOST_PAINT = 1.0, 2.0  # of a page's queries, and until its first paint
_COLUMNS = (
    *("page", "queries", "slowest", "all", "ratio"),
    *("page, s", "CPU", "ratio", "paint", "settled"),
)
#: JavaScript: milliseconds from the navigation until something of the page was shown.
_FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_EMPTY = "A page of Streamlit that says one word: first paint {:.2f} s, settled {:.2f} s."
_MAIN = ROOT / "app" / "dashboard" / "main.py"
_MEASURED = ("fct_measurement", "fct_system_measurement", "fct_address_space_measurement")
_OF_THE_DAY = "system_id in ('SY1', 'SY2')"


@dataclass
class Drawn:
    """One drawing of a page: seconds of its queries, its run, and seconds in the browser."""

    queries: int
    slowest: float
    query_seconds: float
    statement: str
    run: Run
    paint: float = 0.0
    settled: float = 0.0


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures and True, because speed does not fail a benchmark."""
    small = _small(folder, quick=quick)
    large = folder / "large" / "pages.duckdb"
    large.parent.mkdir()
    shutil.copy(small, large)
    shutil.copytree(Warehouse(small).lake, Warehouse(large).lake, symlinks=True)
    measurements, days = (200_000, 20) if quick else (MEASUREMENTS, DAYS)
    rows = multiply(console, large, measurements, days)
    drawn = {
        name: _measured(console, file, name) for name, file in (("few", small), ("many", large))
    }
    empty = _empty()
    console.print(_table(rows, drawn))
    console.print(_EMPTY.format(*empty))
    if not quick:
        PAGE.write_text(_page_of(rows, drawn, empty))
    for view in VIEWS:
        many = drawn["many"][view.path]
        if many.slowest > MOST_SECONDS:
            console.print(f"{view.title}, {many.slowest:.2f} s:\n{many.statement}", highlight=False)
        if many.paint > MOST_PAINT:
            console.print(f"{view.title}: first paint after {many.paint:.2f} s")
    runs = {
        f"{view.title} on {name} rows": asdict(of[view.path].run)
        for name, of in drawn.items()
        for view in VIEWS
    }
    return {"runs": runs}, True


def _small(folder: Path, *, quick: bool) -> Path:
    """Return a published warehouse of nights of runs and one production day."""
    file = folder / "small" / "pages.duckdb"
    file.parent.mkdir()
    for scenario, limit in (("nightly", 100 if quick else 600), ("busy-day", None)):
        files = folder / scenario
        write(simulate(scenario, limit=limit), files)
        command("ingest", files, "--warehouse", file)
        shutil.rmtree(files)
    command("build", "--warehouse", file)
    timed([str(COMMAND), "check", "--warehouse", str(file)], statuses={0, 1})
    command("publish", "--warehouse", file)
    return file


# --- the large warehouse


def multiply(console: Console, file: Path, measurements: int, days: int) -> int:
    """Repeat runs and days of a published file in place; return the number of rows of its marts.

    Runs get new identifiers and builds and come earlier by whole campaigns; days come earlier too.
    """
    with duckdb.connect(str(file)) as db:
        db.execute("set preserve_insertion_order = false")
        tables = [
            row[0]
            for row in db.execute(
                "select table_name from duckdb_tables() where schema_name = 'marts' order by 1"
            ).fetchall()
        ]
        measured = sum(_count(db, table) for table in _MEASURED)
        times = -(-measurements // measured)
        length = db.execute(
            "select date_diff('day', min(start_utc), max(stop_utc)) + 1 from marts.fct_run"
        ).fetchall()[0][0]
        for table in track(tables, "multiplying", console=console, transient=True):
            columns = dict(
                db.execute(
                    "select column_name, data_type from duckdb_columns() "
                    f"where schema_name = 'marts' and table_name = '{table}'"
                ).fetchall()
            )
            if "run_id" in columns or {"campaign", "git_revision"} <= columns.keys():
                _repeat(db, table, columns, times, length, "true")
            elif "system_id" in columns and _shifted(columns, "0"):
                _repeat(db, table, columns, days, 1, _OF_THE_DAY)
        db.execute("checkpoint")
        return sum(_count(db, table) for table in tables)


def _repeat(
    db: duckdb.DuckDBPyConnection,
    table: str,
    columns: dict[str, str],
    times: int,
    length: int,
    where: str,
) -> None:
    """Insert the rows of a table `times` - 1 times more, each `length` days earlier."""
    changed = _shifted(columns, f"-copy * {length}")
    for name in ("run_id", "git_revision", "build"):
        if name in columns:
            changed.append(f"{name} || '-' || copy as {name}")
    db.execute(
        f"insert into marts.{table} select rows.* replace ({', '.join(changed)}) "
        f"from (from marts.{table} where {where}) as rows, range(1, {times}) as copies(copy)"
    )


def _shifted(columns: dict[str, str], days: str) -> list[str]:
    return [
        f"{name} + to_days(({days})::integer) as {name}"
        if kind == "TIMESTAMP"
        else f"({name} + to_days(({days})::integer))::date as {name}"
        for name, kind in columns.items()
        if kind in ("TIMESTAMP", "DATE")
    ]


def _count(db: duckdb.DuckDBPyConnection, table: str) -> int:
    rows: int = db.execute(f"select count(*) from marts.{table}").fetchall()[0][0]
    return rows


# --- drawing


def _measured(console: Console, file: Path, name: str) -> dict[str, Drawn]:
    with mock.patch.dict(os.environ, {"PERFHOUSE_WAREHOUSE": str(file)}):
        _draw(VIEWS[0])  # imports
        drawn = {
            view.path: _draw(view)
            for view in track(VIEWS, f"{name} rows", console=console, transient=True)
        }
        for path, paint, settled in _paints(file):
            drawn[path].paint, drawn[path].settled = paint, settled
    return drawn


def _draw(view: View) -> Drawn:
    """Draw a page in this process, with nothing cached."""
    taken: list[tuple[float, str]] = []
    opened = reader._opened

    def noted(ask: Callable[..., object]) -> Callable[..., object]:
        def timed(version: reader.Version, sql: str, parameters: tuple[object, ...]) -> object:
            started = time.perf_counter()
            try:
                return ask(version, sql, parameters)
            finally:
                taken.append((time.perf_counter() - started, sql))

        return timed

    @contextmanager
    def held(version: reader.Version) -> Iterator[duckdb.DuckDBPyConnection]:
        with opened(version) as db:
            started = time.perf_counter()
            yield db
            taken.append((time.perf_counter() - started, "several, on one connection"))

    page = AppTest.from_file(str(_MAIN), default_timeout=600)
    page.run()
    page._page_hash = calc_hash(view.path)
    plain, named = noted(reader._query), noted(reader._asked_by_name)
    kept = mock.patch.multiple(  # in a cache of this drawing's own: nothing is asked twice in it
        reader,
        _asked=plain,
        _kept=lru_cache(maxsize=None)(plain),
        _asked_by_name=named,
        _kept_named=lru_cache(maxsize=None)(named),
    )
    several = mock.patch.object(Reader, "connection", lambda self: held(self.version))
    with kept, several:
        begun, started, cpu = datetime.now(UTC), time.perf_counter(), time.process_time()
        page.run()
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    if page.exception:
        raise RuntimeError(f"{view.title}: {page.exception[0].value}")
    slowest = max(taken, default=(0.0, ""))
    measured = Run(begun.isoformat(), seconds, seconds, cpu, _peak_mb(), other={})
    return Drawn(len(taken), slowest[0], sum(of for of, _ in taken), slowest[1], measured)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def _chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        name = os.environ.get("PERFHOUSE_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=name, args=CHROMIUM_OPTIONS)
        yield browser
        browser.close()


def _paints(file: Path) -> Iterator[tuple[str, float, float]]:
    """Yield each page's path, and seconds until its first paint and until it is settled."""
    with serving(file) as address, _chromium() as browser:
        yield from _opened(browser, address, [view.path for view in VIEWS])


def _empty() -> tuple[float, float]:
    """Return the same seconds of a page of Streamlit that says one word: what any page costs."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "empty.py")
        script.write_text("import streamlit as st\n\nst.title('Empty')\n")
        command = ("streamlit", "run", str(script), *OPTIONS, "--server.port")
        with serving(script, command) as address, _chromium() as browser:
            ((_, paint, settled),) = _opened(browser, address, [""])
    return paint, settled


def _opened(
    browser: Browser, address: str, paths: Sequence[str]
) -> Iterator[tuple[str, float, float]]:
    """Yield each path's seconds until its first paint and until it is settled.

    The browser has been at the address before: its scripts are in its cache.
    """
    user = browser.new_context(viewport={"width": 1440, "height": 900})
    for number, path in enumerate((paths[0], *paths)):  # the first fills the caches of both sides
        tab = user.new_page()
        started = time.perf_counter()
        tab.goto(f"{address}/{path}", wait_until="commit")
        tab.wait_for_function(SETTLED, timeout=600_000)
        settled = time.perf_counter() - started
        painted = tab.wait_for_function(_FIRST_PAINT).json_value()
        tab.close()
        if number:
            yield path, painted / 1e3, settled
    user.close()


def _table(rows: int, drawn: dict[str, dict[str, Drawn]]) -> Table:
    table = Table(title=f"Pages on {rows:,} rows, nothing cached; ratios to few rows")
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name == "page" else "right")
    for row in _rows(drawn):
        table.add_row(*row)
    return table


def _page_of(rows: int, drawn: dict[str, dict[str, Drawn]], empty: tuple[float, float]) -> str:
    """Return the Markdown page with the figures."""
    lines = (f"| {' | '.join(row)} |" for row in _rows(drawn))
    return f"""# What the pages of the dashboard cost: figures

Written by `python -m tests.bench pages`; tests/bench/pages.py says how the warehouse is made. It
has {rows:,} rows in its marts: {MEASUREMENTS:,} measurements of benchmark runs, and {DAYS:,} days
of two systems with two queue managers. Each page is drawn once with nothing cached.

| column | seconds |
|---|---|
| slowest, all | of the slowest query, and of all queries of the page |
| ratio | to the same page on a warehouse before its rows were repeated |
| page, CPU | of the whole script, in this process |
| paint | until Chromium's first contentful paint, in a new tab at 1440 by 900 pixels |
| settled | until Chromium shows the last table and chart of the page |

| {" | ".join(_COLUMNS)} |
|---{"|---:" * (len(_COLUMNS) - 1)}|
{chr(10).join(lines)}

{_EMPTY.format(*empty)}

Revision {revision()}, {machine()}.
"""


def _rows(drawn: dict[str, dict[str, Drawn]]) -> Iterator[tuple[str, ...]]:
    """Yield a row per page, as `_COLUMNS` names its cells."""
    for view in VIEWS:
        few, many = drawn["few"][view.path], drawn["many"][view.path]
        yield (
            f"{view.page}: {view.tab}" if view.tab else view.title,
            str(many.queries),
            f"{many.slowest:.2f}",
            f"{many.query_seconds:.2f}",
            f"{many.query_seconds / max(few.query_seconds, 1e-3):.1f}",
            f"{many.run.seconds:.2f}",
            f"{many.run.cpu_seconds:.2f}",
            f"{many.run.cpu_seconds / max(few.run.cpu_seconds, 1e-3):.1f}",
            f"{many.paint:.2f}",
            f"{many.settled:.2f}",
        )
