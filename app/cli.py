"""The command `perfhouse`.

Exit status: 0 done; 1 a check found something that stops publishing; 2 the input or the use was
wrong, with one line on stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import duckdb
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from app.places import default_warehouse
from app.render import FORMATS, render
from app.series import SeriesError, read_series
from ingest.binary.text import CODE_PAGES
from ingest.catalogue import describe_record
from ingest.load import ORIGINS, Load
from ingest.sources import SourceError, expand
from ingest.warehouse import Warehouse, WarehouseError

console = Console(markup=False)  # names of files and jobs may have brackets
DASHBOARD = Path(__file__).parent / "dashboard" / "main.py"
_SHOWN = 5  # reasons of damage printed for a file; all are in raw.quarantine


class _UsageError(ValueError):
    """The command was used wrongly."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"{message} (see '{self.prog} --help')")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the return value is the exit status."""
    try:
        arguments = _parser().parse_args(argv)
        return int(arguments.run(arguments))
    except (_UsageError, SeriesError, SourceError, WarehouseError) as error:
        print(f"perfhouse: {error}", file=sys.stderr)
    except duckdb.Error as error:
        first = str(error).strip().splitlines()[0]
        print(f"perfhouse: {first}", file=sys.stderr)
    except KeyboardInterrupt:
        print("perfhouse: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="perfhouse",
        description="A results warehouse for performance runs of IBM MQ and Managed File Transfer.",
    )
    common = _Parser(add_help=False)
    common.add_argument(
        "--warehouse",
        type=Path,
        metavar="FILE",
        help="the warehouse's DuckDB file (default: $PERFHOUSE_WAREHOUSE, or the checkout's own)",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, run: object, summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, parents=[common], help=summary, description=summary)
        added.set_defaults(run=run)
        return added

    command("run", _run, "run the whole pipeline on the bundled inputs")
    ingest = command("ingest", _ingest, "load files, folders or patterns into raw.*")
    ingest.add_argument("paths", nargs="+", metavar="PATH")
    ingest.add_argument(
        "--origin", choices=ORIGINS, default="measured", help="where the records come from"
    )
    ingest.add_argument(
        "--code-page", choices=CODE_PAGES, default="037", help="of the text in SMF records"
    )
    ingest.add_argument(
        "--ams-type",
        type=_record_type,
        default=180,
        metavar="N",
        help="the SMF record type that the site chose for Advanced Message Security",
    )
    forget = command("forget", _forget, "undo a load: its rows and its line of the ledger")
    forget.add_argument("source_id", metavar="ID", help="identity of the load, or its beginning")
    command("build", _build, "build staging, intermediate and marts from what is loaded")
    command("check", _check, "audit the last build; exit status 1 where it fails")
    command("publish", _publish, "show the audited build to readers, in one step")
    sql = command("sql", _sql, "put a query to the published warehouse")
    sql.add_argument("query", metavar="SELECT")
    sql.add_argument("--format", choices=FORMATS, default="table")
    changepoints = command(
        "changepoints", _changepoints, "print where new levels begin in one series, as a JSON list"
    )
    changepoints.add_argument("series", type=Path, metavar="SERIES.csv", help="in time order")
    changepoints.add_argument("--column", required=True, metavar="NAME")
    predict = command("predict", _predict, "predict the figures of the rows of a CSV file")
    predict.add_argument("--input", type=Path, required=True, metavar="IN.csv")
    predict.add_argument("--output", type=Path, required=True, metavar="OUT.csv")
    dashboard = command("dashboard", _dashboard, "serve the dashboard")
    dashboard.add_argument("--port", type=int, default=8501, help="first port to try")
    return parser


def _record_type(text: str) -> int:
    number = int(text)
    if not 128 <= number <= 255:
        raise argparse.ArgumentTypeError("record types of installations are 128 to 255")
    return number


def _warehouse(arguments: argparse.Namespace) -> Warehouse:
    return Warehouse(arguments.warehouse) if arguments.warehouse else default_warehouse()


def _run(arguments: argparse.Namespace) -> int:
    from app import steps

    warehouse = _warehouse(arguments)
    for pattern, origin in steps.bundled_inputs():
        _report(_load(warehouse, [pattern], origin, "037", 180))
    if steps.is_current(warehouse):
        console.print("nothing new since the published build")
        return 0
    status = _build(arguments) or _check(arguments)
    return status or _publish(arguments)


def _ingest(arguments: argparse.Namespace) -> int:
    loads = _load(
        _warehouse(arguments),
        arguments.paths,
        arguments.origin,
        arguments.code_page,
        arguments.ams_type,
    )
    _report(loads)
    return 2 if loads and all(load.status == "quarantined" for load in loads) else 0


def _load(
    warehouse: Warehouse,
    paths: Sequence[Path | str],
    origin: str,
    code_page: str,
    ams_type: int,
) -> list[Load]:
    from app.steps import ingest_paths

    files = expand(paths)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=sum(file.stat().st_size for file in files))
        return ingest_paths(
            warehouse,
            files,
            origin,
            code_page=code_page,
            ams_type=ams_type,
            progress=lambda count: bar.advance(task, count),
            started=lambda file: bar.update(task, description=file.name),
        )


def _report(loads: Sequence[Load]) -> None:
    files = Table(title="Files", title_justify="left")
    for heading in ("file", "status", "framing"):
        files.add_column(heading, overflow="fold")
    for heading in ("MB", "records", "set aside", "rows"):
        files.add_column(heading, justify="right")
    totals: Counter[tuple[int, int | None]] = Counter()
    sections: Counter[tuple[int, int | None]] = Counter()
    for load in loads:
        files.add_row(
            load.path.name,
            load.status,
            load.framing or load.kind.partition("_")[0],
            f"{load.bytes / 1e6:,.1f}",
            f"{load.records:,}",
            f"{load.quarantined:,}",
            f"{load.rows:,}",
        )
        for key, (records, found) in load.counts.items():
            totals[key] += records
            sections[key] += found
    console.print(files)
    if totals:
        types = Table(title="Records by type and subtype", title_justify="left")
        for heading in ("type", "subtype"):
            types.add_column(heading, justify="right")
        types.add_column("what it is")
        for heading in ("records", "sections"):
            types.add_column(heading, justify="right")
        for (kind, subtype), records in sorted(
            totals.items(), key=lambda t: (t[0][0], t[0][1] or 0)
        ):
            types.add_row(
                str(kind),
                "" if subtype is None else str(subtype),
                describe_record(kind, subtype),
                f"{records:,}",
                f"{sections[kind, subtype]:,}",
            )
        console.print(types)
    for load in loads:
        for reason in load.reasons[:_SHOWN]:
            print(f"{load.path}: {reason}", file=sys.stderr)
        if len(load.reasons) > _SHOWN:
            left = len(load.reasons) - _SHOWN
            print(f"{load.path}: and {left} more in raw.quarantine", file=sys.stderr)


def _forget(arguments: argparse.Namespace) -> int:
    from app.steps import forget_load

    forget_load(_warehouse(arguments), arguments.source_id)
    console.print("forgotten; marts show it until the next 'perfhouse build', check and publish")
    return 0


def _build(arguments: argparse.Namespace) -> int:
    from app.steps import build

    with console.status("building"):
        build_id = build(_warehouse(arguments))
    console.print(f"built {build_id}")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from app.steps import check

    with console.status("auditing"):
        audit = check(_warehouse(arguments))
    for outcome in audit.notes:
        console.print(f"note: {outcome.message}", highlight=False)
    for outcome in (*audit.warnings, *audit.failures):
        console.print(f"{outcome.severity}: {outcome.message}", highlight=False)
    verdict = "passed" if audit.passed else "failed"
    console.print(
        f"audit {verdict}: {len(audit.results)} expectations, {len(audit.failures)} errors, "
        f"{len(audit.warnings)} warnings"
    )
    return 0 if audit.passed else 1


def _publish(arguments: argparse.Namespace) -> int:
    from app.steps import publish

    warehouse = _warehouse(arguments)
    publish(warehouse)
    console.print(f"published {warehouse.file}", soft_wrap=True)
    return 0


def _sql(arguments: argparse.Namespace) -> int:
    with _warehouse(arguments).connect() as db:
        render(db.execute(arguments.query), arguments.format, sys.stdout)
    return 0


def _changepoints(arguments: argparse.Namespace) -> int:
    from expectations.detector import find_changes

    values = read_series(arguments.series, arguments.column)
    print(json.dumps(find_changes(values).indexes))
    return 0


def _predict(arguments: argparse.Namespace) -> int:
    from models_sim.predict import PredictError, predict_csv

    try:
        count = predict_csv(arguments.input, arguments.output)
    except PredictError as error:
        raise _UsageError(str(error)) from None
    console.print(f"predicted {count:,} figures into {arguments.output}", soft_wrap=True)
    return 0


def _dashboard(arguments: argparse.Namespace) -> int:
    port = _free_port(arguments.port)
    environment = os.environ | {
        "PERFHOUSE_WAREHOUSE": str(_warehouse(arguments).file),
        "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    }
    print(f"dashboard: http://127.0.0.1:{port} (Ctrl-C stops it)", flush=True)
    command = [
        *(sys.executable, "-m", "streamlit", "run", str(DASHBOARD)),
        *("--server.address", "127.0.0.1", "--server.port", str(port)),
        *("--server.headless", "true"),
    ]
    os.chdir(DASHBOARD.parents[2])
    os.execve(sys.executable, command, environment)  # noqa: S606 (Ctrl-C goes to the server)


def _free_port(first: int) -> int:
    for port in range(first, first + 20):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port
    raise _UsageError(f"ports {first} to {first + 19} are all in use; name another with --port")


if __name__ == "__main__":
    sys.exit(main())
