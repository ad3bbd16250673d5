"""What commands and steps write to the log of their warehouse."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from app.pipeline import landing, steps
from ingest.lake.log import add, command, note, step
from ingest.lake.warehouse import Warehouse
from tests.kit.manifests import MANIFEST

SECRET = "https://hooks.example/T0/secret"


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    made = Warehouse(tmp_path / "w[1].duckdb")  # a name that looks like a pattern
    steps.prepare(made)
    return made


def lines(warehouse: Warehouse, **wanted: object) -> list[dict[str, Any]]:
    """Return the lines that have these values, in order."""
    files = sorted((warehouse.lake / "log").glob("2*.jsonl"))
    found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [line for line in found if all(line.get(k) == v for k, v in wanted.items())]


def test_a_step_writes_its_beginning_and_its_end_with_its_figures(warehouse: Warehouse) -> None:
    with step(warehouse, "backup", build_id="b1") as done:
        done.note(files=3)
        note(bytes=10)
        add(records=2)
        add(records=3)
        logging.getLogger("ingest.x").warning("slow disk")
        logging.getLogger("ingest.x").info("not for the log")
    begun, message, ended = lines(warehouse)
    assert (begun["event"], ended["event"]) == ("begun", "ended")
    assert {line["step_id"] for line in (begun, message, ended)} == {begun["step_id"]}
    assert (message["level"], message["logger"], message["message"]) == (
        "warning", "ingest.x", "slow disk",
    )  # fmt: skip
    assert ended["status"] == "ok"
    assert ended["begun"] == begun["begun"]
    assert {name: ended[name] for name in ("build_id", "files", "bytes", "records")} == {
        "build_id": "b1", "files": 3, "bytes": 10, "records": 5,
    }  # fmt: skip
    assert ended["seconds"] >= 0 <= ended["cpu_seconds"]
    assert ended["peak_memory_bytes"] > 1 << 20
    assert ended["free_bytes"] > 0
    with pytest.raises(KeyError, match="fiels is no field"), step(warehouse, "x") as done:
        done.note(fiels=1)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (steps.StepError("no room"), ("failed", "error", "no room")),
        (ValueError("a\nb"), ("failed", "error", "ValueError: a\nb")),
        (KeyboardInterrupt(), ("interrupted", "warning", "stopped")),
    ],
)
def test_a_failure_is_one_line_with_one_traceback(
    warehouse: Warehouse, error: BaseException, expected: tuple[str, str, str]
) -> None:
    with pytest.raises(type(error)), command(warehouse, "perfhouse x"):  # noqa: SIM117
        with step(warehouse, "outer"), step(warehouse, "inner"):
            raise error
    inner, outer, whole = (line for line in lines(warehouse) if line["event"] != "begun")
    assert [inner["step"], outer["step"], whole["event"]] == ["inner", "outer", "command"]
    for line in (inner, outer, whole):
        assert (line["status"], line["level"], line["message"]) == expected
    told = [line for line in (inner, outer, whole) if "traceback" in line]
    assert told == ([inner] if expected[0] == "failed" else [])
    assert all("raise error" in line["traceback"] for line in told)


def test_a_reader_that_has_read_enough_is_no_failure(warehouse: Warehouse) -> None:
    with pytest.raises(BrokenPipeError), command(warehouse, "perfhouse sql"):
        raise BrokenPipeError
    (line,) = lines(warehouse)
    assert (line["status"], line["level"]) == ("ok", "info")


def test_steps_are_known_after_them_and_handlers_are_gone(warehouse: Warehouse) -> None:
    before = list(logging.getLogger().handlers)
    with step(warehouse, "a"):
        with step(warehouse, "b"):
            note(files=1)
        note(files=2)
    note(files=9)
    assert logging.getLogger().handlers == before
    with warehouse.connect() as db:
        rows = db.execute("SELECT step, files FROM meta.pipeline_step ORDER BY 1").fetchall()
    assert rows == [("a", 2), ("b", 1)]


def test_the_console_shows_what_it_showed(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])  # as in a command, without pytest's own
    with step(warehouse, "x"):
        logging.getLogger("ingest.x").warning("slow disk")
        logging.getLogger("ingest.x").info("nothing")
    logging.getLogger("ingest.x").warning("afterwards")
    assert capsys.readouterr().err == "slow disk\nafterwards\n"
    assert root.handlers == []


def test_ingest_writes_a_line_for_each_file_that_is_new_or_failed(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "m.toml").write_text(MANIFEST)
    (folder / "again.toml").write_text(MANIFEST)
    (folder / "bad\nname.smf").write_text("?")
    (folder / "out.smf").symlink_to("/etc/hostname")
    arguments = ["ingest", str(folder), "--warehouse", str(warehouse.file)]
    assert main(arguments) == 2
    assert main(["sql", "SELEC", "--warehouse", str(warehouse.file)]) == 2
    loaded = {line["status"]: line for line in lines(warehouse, event="file")}
    assert sorted(loaded) == ["failed", "loaded", "quarantined"]
    assert loaded["quarantined"]["file"].endswith("bad\nname.smf")
    assert "link" in loaded["failed"]["message"]
    assert len(loaded["loaded"]["source_id"]) == 64
    (ended,) = lines(warehouse, event="ended")
    assert (ended["step"], ended["command"], ended["status"]) == (
        "ingest",
        "perfhouse ingest",
        "ok",
    )
    assert (ended["files"], ended["loads"], ended["failures"]) == (4, 2, 1)
    with warehouse.connect() as db:
        ((size,),) = db.execute("SELECT sum(bytes) FROM raw.ledger").fetchall()
    assert (ended["bytes"], ended["records_quarantined"]) == (size, 1)
    ingest, sql = lines(warehouse, event="command")
    assert (ingest["command"], ingest["exit_status"]) == ("perfhouse ingest", 2)
    assert 0 <= ingest["seconds"] < time.monotonic()  # that is, since this machine started
    assert (sql["command"], sql["status"]) == ("perfhouse sql", "failed")
    assert "Parser Error" in sql["message"]


def test_the_landing_folder_writes_a_failure_once(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    missing = tmp_path / "in" / "gone.smf"
    landing.ingest_files(warehouse, tmp_path / "in", [missing])
    assert [line["event"] for line in lines(warehouse)] == ["begun", "file", "ended"]
    (file,) = lines(warehouse, event="file")
    assert (file["level"], file["file"], file["command"]) == ("error", str(missing), "python")


def test_a_command_without_a_warehouse_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert main(["build", "--warehouse", str(tmp_path / "file" / "w.duckdb")]) == 2
    assert main(["sql", "SELECT 1", "--warehouse", str(tmp_path / "none.duckdb")]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_webhook_is_never_in_the_log(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise ValueError(f"cannot reach {SECRET}")

    monkeypatch.setattr("app.pipeline.notices.send_news", refuse)
    with pytest.raises(ValueError, match="hooks"), command(warehouse, "perfhouse check"):
        steps.notify(warehouse, SECRET)
    (line,) = lines(warehouse)
    assert line["message"] == "ValueError: cannot reach ***"
    assert "hooks.example" not in json.dumps(line)
