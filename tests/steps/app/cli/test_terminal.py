"""Names that are escape sequences, on a terminal: in what commands print, and in their errors."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import duckdb
import pytest

from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases

#: A title for the terminal, concealed text, "clear the screen" in one character, a change of
#: direction, a separator of lines, a space of no width, and a line that looks like one of ours.
NAME = "\x1b]0;t\x07\x1b[8m\x9b2J\u202ea\u2028\u200b\r\nperfhouse: fine [bold]:smile:"
SHOWN = NAME.encode("unicode_escape").decode()
FILE = b"\xff\x1b]0;t\x07\xe2\x80\xae[bold]\nperfhouse: fine.toml"
FILE_SHOWN = r"\xff\x1b]0;t\x07\u202e[bold]\nperfhouse: fine.toml"
OF_RICH = re.compile(r"\x1b\[(?!8m)[0-9;]*m|\x1b\[\?25[lh]|\x1b\[2K|\x1b\[1A|\r")  # colours, bars


def on_terminal(*words: str, columns: int = 400) -> tuple[int, str]:
    """Run a command on a terminal; return its exit status and what it showed."""
    return shown_by("-m", "app.cli.main", *words, columns=columns)


def shown_by(*words: str, columns: int = 400) -> tuple[int, str]:
    """Run Python on a terminal; return its exit status and what it showed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = os.environ | {"TERM": "xterm-256color"}
    for name in ("COLUMNS", "NO_COLOR"):
        environment.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, *words],
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment,
    )  # fmt: skip
    os.close(theirs)
    said = b""
    try:
        while chunk := os.read(ours, 1 << 16):
            said += chunk
    except OSError:  # the terminal is closed
        pass
    os.close(ours)
    return process.wait(), said.decode()


def seen(said: str) -> str:
    """Return what a terminal showed without the colours; fail if anything else is not seen."""
    rest = OF_RICH.sub("", said)
    assert {sign for sign in rest if not sign.isprintable()} <= {"\n"}
    assert "\nperfhouse: fine" not in rest
    assert "😄" not in rest
    return rest


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What `run` shows of files with such names in them; a table of long names is among them."""
    folder = tmp_path_factory.mktemp("names")
    names = tmp_path_factory.mktemp("warehouse") / "w.duckdb"
    manifest = {
        "perfhouse_manifest": 1,
        "campaign": NAME,
        "factors": {"x_name": NAME},
        "labels": {"machine": NAME},
        "run": [
            {"run_id": NAME, "start": "2026-03-01T10:00:00Z", "stop": "2026-03-01T10:02:00Z"},
            {"run_id": f"{NAME}2", "start": NAME, "stop": "2026-03-01T10:02:00Z"},
        ],
    }
    (folder / os.fsdecode(FILE)).write_text(json.dumps(manifest))
    (folder / os.fsdecode(b"2" + FILE)).write_bytes(b"\xde\xad" * 100)
    (folder / f"{LONG['campaign']}.csv").write_text(table_of_long_names())
    status, said = on_terminal("run", str(folder), "--warehouse", str(names))
    assert status == 1, said
    return said, names


def test_run_shows_names_of_files_as_escapes(published: tuple[str, Path]) -> None:
    assert "quarantined" in seen(published[0])
    assert FILE_SHOWN in seen(published[0])


LONG = {
    "metric": "POST_/api/v1/customer_orders/checkout",
    "build": "4e1f2ab90c5d7e8f1a2b3c4d5e6f708192a3b4c5",
    "campaign": "checkout-service-of-the-web-shop",
}


def table_of_long_names() -> str:
    """Return 40 runs of builds with long names, with a level shift."""
    builds = [f"{LONG['build'][:-2]}{at:02d}" for at in range(40)]
    days = [f"2026-{1 + at // 28:02d}-{1 + at % 28:02d}T03:00:00Z" for at in range(40)]
    rows = [
        f"{day},{build},{(40 if at < 30 else 48) + at % 7 / 10}"
        for at, (day, build) in enumerate(zip(days, builds, strict=True))
    ]
    return "\n".join([f"start,build,{LONG['metric']}_ms", *rows])


def test_no_name_is_broken_at_80_columns(published: tuple[str, Path]) -> None:
    shift = [f"{LONG['campaign']}-20260203T030000", LONG["metric"], f"{LONG['build'][:-2]}30"]
    with duckdb.connect(str(published[1]), read_only=True) as db:
        columns = [name for (name,) in db.execute(
            "SELECT column_name FROM duckdb_columns() "
            "WHERE schema_name = 'marts' AND table_name = 'fct_run'"
        ).fetchall()]  # fmt: skip
    builds = [f"{LONG['build'][:-2]}{at}" for at in ("00", "29", "30", "39")]
    for words, names in (
        (["check"], shift),
        (["regressions"], shift),
        (["tables", "fct_run"], columns),
        (["compare", "..".join(builds[:2]), "..".join(builds[2:])], [LONG["metric"]]),
    ):
        # Lines may end anywhere in a path, so this is not `seen`.
        said = OF_RICH.sub("", on_terminal(*words, "--warehouse", str(published[1]), columns=80)[1])
        assert [name for name in names if name not in said] == [], said


@cases
def test_commands_and_their_errors_show_names_as_escapes(
    published: tuple[str, Path], words: tuple[str, ...], shows: str
) -> None:
    _, said = on_terminal(*words, "--warehouse", str(published[1]))
    assert shows in seen(said)


def test_regressions_and_what_people_said_of_them_are_shown_as_escapes(
    judged: Warehouse,
) -> None:
    warehouse = ("--warehouse", str(judged.file))
    listed = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "regressions", "--format", "csv", *warehouse],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    name = next(csv.DictReader(io.StringIO(listed.stdout)))["regression_id"]
    said = ("--note", NAME, "--owner", NAME, "--bug", NAME)
    shown = " ".join(NAME.split()).encode("unicode_escape").decode()  # as it is kept
    for words, shows in (
        (("note", name, *said), shown),
        (("show", name), shown),
        (("export", name, "--format", "json"), json.dumps(" ".join(NAME.split()))[1:-1]),
    ):
        assert shows in seen(on_terminal("regressions", *words, *warehouse)[1]), words


PRINTED = """
import sys, warnings
from app.cli.common import progress, working
from ingest.base.visible import guard
guard()
name = {!r}
with working(name):
    print(name)
with progress() as bar:
    bar.add_task(name, total=1)
    print(name, file=sys.stderr)
    warnings.warn(name)
raise ValueError(name)
"""


def test_what_is_printed_beside_a_bar_and_a_traceback_is_shown_as_an_escape() -> None:
    name = NAME.replace("\n", "")
    status, said = shown_by("-c", PRINTED.format(name))
    assert status == 1
    escaped = name.encode("unicode_escape").decode()
    assert seen(said).count(escaped) >= 5  # two printed, two beside bars, a warning, a traceback


def test_files_and_pipes_get_what_is_stored(published: tuple[str, Path]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "sql", "SELECT DISTINCT campaign FROM marts.fct_run",
         "--format", "csv", "--warehouse", str(published[1])],
        capture_output=True, check=True,
    )  # fmt: skip
    rows = list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))
    assert sorted(rows) == sorted([["campaign"], [NAME], [LONG["campaign"]]])
