"""Notices to a webhook: a real server that answers as told, or breaks."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from app.pipeline import notices, steps
from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases
from tests.kit.nights import build
from tests.kit.webhook import GAP, LONGER_GAP, LOST, SLOWER, Receiver, check


def waiting(warehouse: Warehouse) -> list[str]:
    return sorted(f.name.split("-")[0] for f in warehouse.lake.glob("outbox/*-*.json"))


def told(handler: type[Receiver]) -> list[str]:
    return [text for body in handler.bodies for text in (*body["faults"], *body["errors"])]


def test_a_notice_has_faults_errors_and_events(
    warehouse: Warehouse, webhook: tuple[str, type[Receiver]]
) -> None:
    url, handler = webhook
    with build(40, lambda *at: 1.3 if at[2] == "CHIN" and at[3] >= 30 else 1.0) as db:
        events = judge_build(db, warehouse.regressions, "b40", read_limits()).events
    check(warehouse, LOST, GAP, SLOWER)
    assert steps.notify(warehouse, url) == ""
    (body,) = handler.bodies
    assert body["build_id"] == "b40"
    assert (body["faults"], body["errors"]) == (["a row is lost"], ["a gap of 2 s"])
    sent = body["regressions"]
    assert [row["regression_id"] for row in sent] == [row["regression_id"] for row in events]
    assert sent[0]["onset_utc"] == events[0]["onset_utc"].isoformat()
    assert sent[0]["parts"][0]["what"] == "CHIN"


def test_each_finding_is_told_once(
    warehouse: Warehouse, webhook: tuple[str, type[Receiver]]
) -> None:
    url, handler = webhook
    for found, news in [
        ((LOST, GAP), ["a row is lost", "a gap of 2 s"]),
        ((LOST, GAP), []),
        ((LOST, LONGER_GAP), ["a gap of 3 s"]),
        ((), []),
        ((GAP,), ["a gap of 2 s"]),  # it is back
    ]:
        handler.bodies.clear()
        check(warehouse, *found)
        assert [steps.notify(warehouse, url) for _ in range(2)] == ["", ""]
        assert told(handler) == news


def test_an_alarm_is_told_once_and_again_when_it_is_back(
    warehouse: Warehouse, webhook: tuple[str, type[Receiver]]
) -> None:
    url, handler = webhook
    check(warehouse)
    low, lower = {"pool 3": "3 % are free"}, {"pool 3": "2 % are free"}
    for alarms, news in [(low, [*low.values()]), (lower, []), (None, []), ({}, []),
                         (lower, [*lower.values()])]:  # fmt: skip
        handler.bodies.clear()
        assert steps.notify(warehouse, url, alarms=alarms) == ""
        assert [text for body in handler.bodies for text in body["alarms"]] == news


def test_what_is_missing_is_told_once_and_again_when_it_has_stopped(
    warehouse: Warehouse, webhook: tuple[str, type[Receiver]]
) -> None:
    """What had stopped before is no news; of None it is not known."""
    url, handler = webhook
    check(warehouse)
    late, over = {"feed a": "a is late"}, {"feed a stopped": "a has stopped"}
    gone = {"feed b stopped": "b has stopped"}
    for absences, news in [
        (late | gone, ["a is late"]), (late | gone, []), (gone, []), (late | gone, ["a is late"]),
        (None, []), (over | gone, ["a has stopped"]), (over | gone, []), ({}, []),
    ]:  # fmt: skip
        handler.bodies.clear()
        assert steps.notify(warehouse, url, absences=absences) == ""
        assert [text for body in handler.bodies for text in body["missing"]] == news


def test_the_same_failure_of_a_task_is_told_once_until_something_is_published(
    warehouse: Warehouse, webhook: tuple[str, type[Receiver]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, handler = webhook
    steps.notify_failure(warehouse, "build", "no webhook is set")
    monkeypatch.setenv("PERFHOUSE_NOTIFY", url)
    for reason in ("dbt failed", "dbt failed", "disk full", "disk full"):
        assert steps.notify_failure(warehouse, "build", reason) == ""
    assert told(handler) == ["build: dbt failed", "build: disk full"]
    notices.note_success(warehouse)
    steps.notify_failure(warehouse, "build", "disk full")
    assert told(handler)[2:] == ["build: disk full"]


def test_a_file_that_cannot_be_read_is_told_once_until_it_can_or_is_gone(
    warehouse: Warehouse,
    webhook: tuple[str, type[Receiver]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, handler = webhook
    monkeypatch.setenv("PERFHOUSE_NOTIFY", url)
    a, b, c = files = [tmp_path / name for name in ("a.smf", "b.smf", os.fsdecode(b"c\xff.smf"))]
    for file in files:
        file.touch()
    for unread, looked_at, news in [
        ({a: "no permission"}, [a, b], ["a.smf: no permission"]),
        ({a: "no permission", b: "an error"}, [a, b], ["b.smf: an error"]),
        ({c: "an error"}, [c], ["c\\xff.smf: an error"]),  # the others are as they were
        ({a: "no permission", c: "an error"}, [a, b, c], []),
        ({a: "an error"}, [a], ["a.smf: an error"]),
        ({b: "an error"}, [b], ["b.smf: an error"]),  # it could be read in between
        ({}, [b], []),
    ]:
        handler.bodies.clear()
        assert [notices.send_unread(warehouse, "read", unread, looked_at) for _ in "12"] == ["", ""]
        assert told(handler) == [f"{tmp_path}/{line}" for line in news]
    c.unlink()
    notices.send_unread(warehouse, "read", {}, [])
    assert set(json.loads((warehouse.lake / "outbox/told.json").read_text())["unread"]["read"]) == {
        str(a)
    }


def test_of_many_files_that_cannot_be_read_some_are_named(
    warehouse: Warehouse, webhook: tuple[str, type[Receiver]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, handler = webhook
    monkeypatch.setenv("PERFHOUSE_NOTIFY", url)
    notices.send_unread(warehouse, "found", {Path(f"/{n}"): "a pipe" for n in range(5000)})
    assert len(told(handler)) == 21
    assert told(handler)[-1] == "4,980 more files cannot be read"


@pytest.mark.parametrize(
    ("reserved", "times"), [(True, 1), (False, 2)], ids=["some room is kept", "no room at all"]
)
def test_a_full_disk_is_told(
    warehouse: Warehouse,
    webhook: tuple[str, type[Receiver]],
    reserved: bool,
    times: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The room that the outbox holds lets it note what was told, so that it is told once."""
    url, handler = webhook
    monkeypatch.setenv("PERFHOUSE_NOTIFY", url)
    room = warehouse.lake / "outbox/room"
    check(warehouse)
    steps.notify(warehouse)
    assert room.stat().st_size > 0
    write = notices._write

    def write_if_there_is_room(file: Path, held: dict[str, Any]) -> None:
        if room.exists() or not reserved:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(file, held)

    with monkeypatch.context() as full:
        full.setattr(notices, "_write", write_if_there_is_room)
        full.setattr(notices, "_reserve", lambda _: None)
        for _ in range(2):
            steps.notify_failure(warehouse, "build", "the disk is full")
    assert told(handler) == ["build: the disk is full"] * times
    steps.notify(warehouse)
    assert room.exists()


def test_a_webhook_that_is_set_later_gets_no_old_findings(
    warehouse: Warehouse, webhook: tuple[str, type[Receiver]]
) -> None:
    url, handler = webhook
    check(warehouse, GAP)
    assert steps.notify(warehouse) == ""
    check(warehouse, GAP, LONGER_GAP)
    steps.notify(warehouse, url)
    assert told(handler) == ["a gap of 3 s"]


def test_what_was_not_accepted_is_kept_and_sent_by_the_next_check(
    warehouse: Warehouse, webhook: tuple[str, type[Receiver]]
) -> None:
    url, handler = webhook
    check(warehouse, GAP)
    handler.answers = [b"HTTP/1.1 404 Not Found\r\n\r\n"]
    reason = steps.notify(warehouse, url)
    assert reason == (
        "the webhook at 127.0.0.1 did not accept a notice: it answered with status 404; "
        "1 notice waits for the next check"
    )
    check(warehouse, LOST)  # this process is killed before it tells what it found
    check(warehouse)
    assert steps.notify(warehouse, url) == ""
    assert told(handler) == ["a gap of 2 s", "a row is lost"]
    assert waiting(warehouse) == []


def test_a_webhook_that_is_busy_is_asked_again(
    warehouse: Warehouse, webhook: tuple[str, type[Receiver]]
) -> None:
    url, handler = webhook
    head = b"HTTP/1.1 503 Busy\r\nConnection: close\r\n"  # or it is asked on one that is closed
    handler.answers = [head + b"Retry-After: 86400\r\nContent-Length: 0\r\n\r\n"] * 2
    check(warehouse, GAP)
    assert steps.notify(warehouse, url) == ""
    assert told(handler) == ["a gap of 2 s"]


@cases
def test_no_answer_of_a_webhook_raises(
    warehouse: Warehouse,
    webhook: tuple[str, type[Receiver]],
    answers: list[bytes],
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, handler = webhook
    handler.answers = answers
    monkeypatch.setattr(notices, "DEADLINE", 2.0 if len(answers) == 1 else 30.0)
    check(warehouse, GAP)
    assert reason in steps.notify(warehouse, url)
    assert waiting(warehouse) == ["after"]
    assert set(handler.paths) == {"/hook"}


@cases
def test_no_url_of_a_webhook_raises_or_is_printed(
    warehouse: Warehouse, url: str, reason: str
) -> None:
    check(warehouse, GAP)
    said = steps.notify(warehouse, url)
    assert re.search(reason, said)
    assert "secret" not in said
    assert "secret" not in "".join(f.read_text() for f in warehouse.lake.glob("outbox/*.json"))
    assert waiting(warehouse) == ["after"]


def test_a_url_with_a_space_is_sent(
    warehouse: Warehouse, webhook: tuple[str, type[Receiver]]
) -> None:
    url, handler = webhook
    check(warehouse, GAP)
    assert steps.notify(warehouse, f"{url}/a b") == ""
    assert handler.paths == ["/hook/a%20b"]


def test_an_outbox_that_cannot_be_written_is_named(warehouse: Warehouse) -> None:
    (warehouse.lake / "outbox").write_text("in the way")
    check(warehouse, GAP)
    assert "notices were not kept" in steps.notify(warehouse, "http://127.0.0.1:9")
