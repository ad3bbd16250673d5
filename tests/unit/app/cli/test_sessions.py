"""Sessions of the command line, as data: what commands print, line by line.

A file of the folder sessions begins with the fixture of its warehouse, or `no warehouse`. A line
`$ perfhouse ...` is a command; what it prints follows, output before errors, and its exit status
if that is not 0. `$ COLUMNS=30 perfhouse ...` is one in a terminal of that width, any other
one is the shell's. In what is expected, `...` stands for any text, and alone for any lines. A line
`NAME:` is a file in the working directory, whose lines follow, indented. DIR is the folder of the
warehouse, GROUP the one regression of the world `judged` with its figures.

`pytest tests/unit/app/cli/test_sessions.py --snapshot-update` writes what differs to the files;
read what git shows.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from expectations.regressions.store import read_current, write_schema
from ingest.formats import about
from ingest.lake.warehouse import Warehouse
from tests.kit.manifests import load

SESSIONS = sorted((Path(__file__).parent / "sessions").glob("*.txt"))
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ |\S+:\n).*\n?)*)", re.MULTILINE)
FILE = re.compile(r"^(\S+):\n((?:    .*\n|\n)+)", re.MULTILINE)


@pytest.fixture
def own(tmp_path: Path) -> Warehouse:
    """A warehouse with one file loaded and nothing built, which a session changes."""
    return load(tmp_path)


@pytest.fixture
def no_regressions(tmp_path: Path) -> Warehouse:
    """A warehouse whose checks found nothing."""
    made = Warehouse(tmp_path / "w.duckdb")
    steps.prepare(made)
    write_schema(made.regressions)
    return made


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory):
    """A warehouse with one file loaded and nothing built."""
    return load(tmp_path_factory.mktemp("loaded"))


def test_there_are_sessions() -> None:
    assert len(SESSIONS) > 4


@pytest.mark.parametrize("session", SESSIONS, ids=lambda file: file.stem)
def test_a_session_prints_what_it_should(
    session: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = session.read_text()
    world = text.partition("\n")[0]
    places = {str(tmp_path): "DIR"}
    monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(tmp_path / "w.duckdb"))
    if world != "no warehouse":
        warehouse = request.getfixturevalue(world)
        monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(warehouse.file))
        places[str(warehouse.file.parent)] = "DIR"
        if world == "judged":
            places[read_current(warehouse.regressions)[0]["group_id"]] = "GROUP"
    for name in (about.LABELS, about.MAP, about.ZONE, "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    for name, content in FILE.findall(text):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(re.sub(r"^    ", "", content, flags=re.MULTILINE).rstrip("\n") + "\n")

    def printed(command: str) -> str:
        for place, name in places.items():
            command = command.replace(name, place)
        if not re.match(r"(COLUMNS=\d+ )?perfhouse ", command):
            done = subprocess.run(command, shell=True, check=False, capture_output=True, text=True)
            return done.stdout + done.stderr
        width, _, words = command.partition("perfhouse ")
        columns = width.strip().removeprefix("COLUMNS=") or "100"
        monkeypatch.setenv("COLUMNS", columns)  # of tables
        monkeypatch.setattr("app.cli.common.console._width", int(columns))  # of text
        environment = os.environ.copy()
        try:
            status = main(shlex.split(words, comments=True))
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            os.environ.clear()  # of what options set
            os.environ.update(environment)
        held = capsys.readouterr()
        shown = held.out + held.err
        for place, name in places.items():
            shown = shown.replace(place, name)
        shown = re.sub(r"[ \t]+$", "", shown, flags=re.MULTILINE)
        return shown + (f"(status {status})\n" if status else "")

    def right(command: re.Match[str]) -> str:
        shown, wanted = printed(command[1]), command[2].strip("\n")
        if matches(wanted, shown.strip("\n")):
            return command[0]
        return f"$ {command[1]}\n{shown.rstrip()}\n\n"

    found = COMMAND.sub(right, text).rstrip("\n") + "\n"
    if request.config.getoption("update_snapshots"):
        session.write_text(found)
    assert found == session.read_text()


def matches(wanted: str, shown: str) -> bool:
    """Return whether a text is what is expected."""
    lines = [
        r"(?s:.*)" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*")
        for line in wanted.splitlines()
    ]
    return re.fullmatch("\n".join(lines), shown) is not None
