"""Messages to people: Slack and mail, on real servers; quiet hours and the digest."""

from __future__ import annotations

import json
import re
import socketserver
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from app.cli.main import main
from app.pipeline import notices, steps
from app.pipeline.message import mail_of, slack_of, subject_of
from app.pipeline.quiet import read_hours
from app.pipeline.regressions import Answer, mark
from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from expectations.regressions.store import read_current
from ingest.base.errors import SettingsError
from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases
from tests.kit.nights import build
from tests.kit.webhook import GAP, LONGER_GAP, LOST, Receiver, check


class Mailbox(socketserver.StreamRequestHandler):
    """A mail server that keeps what it takes; `answers`: replies to commands, by their word."""

    mails: list[tuple[list[str], EmailMessage]]
    answers: dict[str, str]

    def handle(self) -> None:
        self.say(self.answers.get("hello", "220 here"))
        to: list[str] = []
        while line := self.rfile.readline().decode().strip():
            word = line.split()[0].upper()
            answer = self.answers.get(f"{word} {line.rpartition('<')[2].rstrip('>')}")
            if word == "EHLO":
                self.say("250-here\r\n250 AUTH PLAIN")
            elif word == "RCPT" and answer is None:
                to.append(line.partition("<")[2].partition(">")[0])
                self.say("250 ok")
            elif word == "DATA" and word not in self.answers:
                self.say("354 go on")
                data = b"".join(iter(self.rfile.readline, b".\r\n"))
                parsed = message_from_bytes(data, policy=policy.default)
                assert isinstance(parsed, EmailMessage)
                self.mails.append((to, parsed))
                self.say("250 taken")
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say(answer or self.answers.get(word, "250 ok"))

    def say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class MailServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is no error."""


@pytest.fixture
def mailbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Mailbox]]:
    handler = type("Handler", (Mailbox,), {"mails": [], "answers": {}})
    with MailServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        port = server.server_address[1]
        monkeypatch.setenv("PERFHOUSE_MAIL_SERVER", f"smtp://127.0.0.1:{port}")
        monkeypatch.setenv("PERFHOUSE_MAIL", "ann@example.com, bob@example.com")
        monkeypatch.setenv("PERFHOUSE_MAIL_FROM", "perfhouse@example.com")
        yield handler
        server.shutdown()
        thread.join()


@pytest.fixture
def slack(
    webhook: tuple[str, type[Receiver]],
    monkeypatch: pytest.MonkeyPatch,
) -> type[Receiver]:
    monkeypatch.setenv("PERFHOUSE_SLACK", webhook[0])
    return webhook[1]


def at(moment: str) -> Callable[..., type[datetime]]:
    """Return a clock that stands at a moment, UTC."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.fromisoformat(moment).replace(tzinfo=UTC)

    return lambda: Clock


def bodies(mailbox: type[Mailbox]) -> list[str]:
    return [mail.get_content() for _, mail in mailbox.mails]


def test_slack_and_mail_get_one_message_with_all_that_is_new(
    warehouse: Warehouse,
    slack: type[Receiver],
    mailbox: type[Mailbox],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PERFHOUSE_DASHBOARD", "https://perf.example")
    with build(40, lambda *at: 1.3 if at[2] == "CHIN" and at[3] >= 30 else 1.0) as db:
        (leader, *_) = judge_build(db, warehouse.regressions, "b40", read_limits()).events
    check(warehouse, LOST, GAP)
    assert [steps.notify(warehouse) for _ in "12"] == ["", ""]
    (text,) = [body["text"] for body in slack.bodies]
    assert text.startswith("*Failures (1)*\n• a row is lost\n\n*Errors in the data (1)*\n")
    assert (
        "*New regressions (1)*\n• Cost per GB, A &gt; B, 1 MB, z15 (nightly, simulated): " in text
    )
    page = f"https://perf.example/regressions?id={leader['regression_id']}"
    assert f"(and 3 more figures) <{page}|" in text
    ((to, mail),) = mailbox.mails
    assert to == ["ann@example.com", "bob@example.com"]
    assert mail["Subject"] == "perfhouse: failures (1), errors in the data (1), new regressions (1)"
    assert mail["From"] == "perfhouse@example.com"
    assert "- Cost per GB, A > B, 1 MB" in mail.get_content().replace("\r\n", "\n")
    assert page in mail.get_content()


def test_an_answer_is_told_once_and_a_note_alone_is_not(
    warehouse: Warehouse,
    slack: type[Receiver],
) -> None:
    with build(40, lambda *at: 1.3 if at[2] == "CHIN" and at[3] >= 30 else 1.0) as db:
        judge_build(db, warehouse.regressions, "b40", read_limits())
    group = read_current(warehouse.regressions)[0]["group_id"]
    steps.notify(warehouse)
    slack.bodies.clear()
    for answer, told in [
        (Answer("ann", owner="ann"), None),
        (Answer("ann", "acknowledged", "a new <cipher>"), "*Acknowledged (1)*"),
        (Answer("bob", note="see #7"), None),
        (Answer("bob", "open"), "*New regressions (1)*"),
    ]:
        mark(warehouse, group, answer)
        assert [steps.notify(warehouse) for _ in "12"] == ["", ""]
        assert len(slack.bodies) == (told is not None)
        if told:
            text = slack.bodies.pop()["text"]
            assert text.startswith(told)
            assert text.count("\n") == 1
            assert "ann: a new &lt;cipher&gt;" in text or "open" in told.lower() or "bob" in text


REFUSALS = [
    ({"hello": "554 go away"}, "it answered with status 554"),
    ({"hello": "nonsense"}, "its answer cannot be read|it answered with status"),
    ({"MAIL": "552 full"}, "it answered with status 552|it refused"),
    ({"DATA": "451 try later"}, "it answered with status 451"),
    (
        {f"RCPT {who}@example.com": "550 unknown" for who in ("ann", "bob")},
        "it refused all addresses",
    ),
]


@pytest.mark.parametrize(("answers", "reason"), REFUSALS, ids=[r for _, r in REFUSALS])
def test_a_mail_server_that_refuses_is_named_and_asked_again_by_the_next_check(
    warehouse: Warehouse,
    mailbox: type[Mailbox],
    answers: dict[str, str],
    reason: str,
) -> None:
    check(warehouse, GAP)
    mailbox.answers.update(answers)
    said = steps.notify(warehouse)
    assert re.match(f"the mail server at 127.0.0.1 did not accept a notice: ({reason})", said)
    check(warehouse, GAP, LONGER_GAP)
    mailbox.answers.clear()
    assert [steps.notify(warehouse) for _ in "12"] == ["", ""]
    (text,) = bodies(mailbox)
    assert text.splitlines()[:3] == ["Errors in the data (2)", "- a gap of 2 s", "- a gap of 3 s"]


def test_one_refused_address_does_not_tell_the_others_twice(
    warehouse: Warehouse,
    mailbox: type[Mailbox],
) -> None:
    check(warehouse, GAP)
    mailbox.answers["RCPT bob@example.com"] = "550 unknown"
    assert [steps.notify(warehouse) for _ in "12"] == ["", ""]
    assert [to for to, _ in mailbox.mails] == [["ann@example.com"]]


def test_a_server_that_is_down_does_not_keep_the_others_from_being_told(
    warehouse: Warehouse,
    slack: type[Receiver],
    mailbox: type[Mailbox],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check(warehouse, GAP)
    slack.answers = [b"HTTP/1.1 404 Not Found\r\n\r\n"]
    said = steps.notify(warehouse)
    assert said.startswith("Slack's webhook at 127.0.0.1 did not accept a notice: it answered")
    assert len(mailbox.mails) == 1
    assert steps.notify(warehouse) == ""
    assert [len(slack.bodies), len(mailbox.mails)] == [1, 1]
    monkeypatch.setenv("PERFHOUSE_MAIL_SERVER", "smtp://me:secret@127.0.0.1:9")
    check(warehouse, LOST)
    said = steps.notify(warehouse)
    assert "Connection refused" in said
    assert "secret" not in said


@cases
def test_no_mail_server_raises_or_gets_a_password_without_tls(
    warehouse: Warehouse,
    server: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handler = type("Handler", (Mailbox,), {"mails": [], "answers": {}})
    with MailServer(("0.0.0.0", 0), handler) as listening:
        threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        port = str(listening.server_address[1])
        monkeypatch.setenv("PERFHOUSE_MAIL", "ann@example.com")
        monkeypatch.setenv("PERFHOUSE_MAIL_SERVER", server.replace("PORT", port))
        check(warehouse, GAP)
        said = steps.notify(warehouse)
        listening.shutdown()
    assert re.search(reason, said)
    assert "secret" not in said


def test_in_quiet_hours_messages_wait_and_programs_are_told(
    warehouse: Warehouse,
    slack: type[Receiver],
    mailbox: type[Mailbox],
    webhook: tuple[str, type[Receiver]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("PERFHOUSE_SLACK")
    monkeypatch.setenv("PERFHOUSE_NOTIFY", webhook[0])
    monkeypatch.setenv("PERFHOUSE_QUIET", "20:00-07:00")
    for moment, found, mails in [
        ("2026-03-01T23:00", GAP, 0),
        ("2026-03-02T04:00", LONGER_GAP, 0),
        ("2026-03-02T07:10", None, 1),
    ]:
        monkeypatch.setattr(notices, "datetime", at(moment)())
        if found:
            check(warehouse, found)
        assert steps.notify(warehouse) == ""
        assert len(mailbox.mails) == mails
        if found:
            assert main(["notify", "--show", "--warehouse", str(warehouse.file)]) == 0
            assert found.message in capsys.readouterr().out
    assert [body["errors"] for body in slack.bodies] == [["a gap of 2 s"], ["a gap of 3 s"]]
    assert "Errors in the data (2)" in bodies(mailbox)[0]


def test_a_digest_is_one_message_a_day(
    warehouse: Warehouse,
    slack: type[Receiver],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PERFHOUSE_DIGEST", "07:30")
    for moment, found, told in [
        ("2026-03-01T12:00", GAP, []),
        ("2026-03-02T04:00", LONGER_GAP, []),
        ("2026-03-02T07:40", None, ["a gap of 2 s", "a gap of 3 s"]),
        ("2026-03-02T09:00", GAP, []),
        ("2026-03-02T23:00", LOST, []),
        ("2026-03-03T08:00", None, ["a row is lost", "a gap of 2 s"]),
    ]:
        monkeypatch.setattr(notices, "datetime", at(moment)())
        slack.bodies.clear()
        if found:
            check(warehouse, found)
        assert [steps.notify(warehouse) for _ in "12"] == ["", ""]
        lines = [line for body in slack.bodies for line in body["text"].splitlines()]
        assert [line[2:] for line in lines if line.startswith("•")] == told
    check(warehouse, LONGER_GAP)
    assert main(["notify", "--now", "--warehouse", str(warehouse.file)]) == 0
    assert "a gap of 3 s" in slack.bodies[-1]["text"]


def test_a_digest_that_could_not_be_sent_is_sent_by_the_next_check(
    warehouse: Warehouse,
    slack: type[Receiver],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PERFHOUSE_DIGEST", "07:30")
    monkeypatch.setattr(notices, "datetime", at("2026-03-01T12:00")())
    check(warehouse, GAP)
    steps.notify(warehouse)
    monkeypatch.setattr(notices, "datetime", at("2026-03-02T08:00")())
    slack.answers = [b"HTTP/1.1 404 Not Found\r\n\r\n"]
    assert "1 notice waits" in steps.notify(warehouse)
    assert steps.notify(warehouse) == ""
    assert len(slack.bodies) == 1


def test_a_setting_that_cannot_be_used_is_named_and_keeps_nobody_from_being_told(
    warehouse: Warehouse,
    slack: type[Receiver],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PERFHOUSE_QUIET", "at night")
    check(warehouse, GAP)
    assert "PERFHOUSE_QUIET: 'at night' is not like 20:00-07:00" in steps.notify(warehouse)
    assert len(slack.bodies) == 1


def test_notify_without_a_channel_says_what_to_set(
    warehouse: Warehouse,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["notify", "--warehouse", str(warehouse.file)]) == 2
    assert "PERFHOUSE_SLACK" in capsys.readouterr().err


@cases
def test_quiet_hours_may_cross_midnight_and_have_a_zone(
    quiet: str, moments: dict[str, bool]
) -> None:
    hours = read_hours(quiet, "")
    told = {at: hours.is_quiet(datetime.fromisoformat(f"2026-03-01T{at}+00:00")) for at in moments}
    assert told == moments


@pytest.mark.parametrize(
    ("digest", "last"),
    [
        ("07:30", "2026-03-01T07:30+00:00"),
        ("23:00", "2026-02-28T23:00+00:00"),
        ("08:00 Europe/Berlin", "2026-03-01T07:00+00:00"),
    ],
)
def test_the_last_digest_is_today_or_yesterday(digest: str, last: str) -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert read_hours("", digest).last_digest(now) == datetime.fromisoformat(last)


@cases
def test_hours_that_cannot_be_read_are_refused(quiet: str, digest: str) -> None:
    with pytest.raises(SettingsError, match=r"PERFHOUSE_(QUIET|DIGEST)"):
        read_hours(quiet, digest)


def event(name: str, state: str, was: str = "", **more: Any) -> dict[str, Any]:
    return {"regression_id": name, "group_id": name.partition(".")[0], "leads": name.endswith(".1"),
            "state": state, "was": was, "by": "detector", "note": "", "owner": "",
            "message": f"rate of {name}"} | more  # fmt: skip


MESSAGES = [
    [event("a.1", "new"), event("a.2", "new")],
    [event("a.1", "new"), event("a.1", "fixed", "new", note="100 since run 9")],
    [event("a.1", "new", "new")],
    [event("a.1", "false alarm", "confirmed", note="its runs were loaded again")],
    [event("a.1", "new", "acknowledged", by="ann", owner="bob")],
]


def test_a_regression_stands_under_its_last_state(snapshot: SnapshotAssertion) -> None:
    """Subject, mail and Slack, whatever of its events each notice has."""
    told = [[{"regressions": events[:1]}, {"regressions": events[1:]}] for events in MESSAGES]
    assert [(subject_of(one), mail_of(one), slack_of(one)) for one in told] == snapshot


@pytest.mark.parametrize(
    "name",
    [
        "a\nBcc: eve@example.com",
        "a\r\n\r\nb",
        "<!channel> <http://h/|x>",
        "\x1b]0;t\x07",
        "\u202ea",
    ],
)
def test_names_in_data_add_no_lines_and_no_mentions(name: str) -> None:
    told = [{"regressions": [event("a.1", "new", message=name, owner=name)], "errors": [name]}]
    plain = [{"regressions": [event("a.1", "new", message="b", owner="b")], "errors": ["b"]}]
    assert subject_of(told) == subject_of(plain)
    for text, usual in ((mail_of(told), mail_of(plain)), (slack_of(told), slack_of(plain))):
        assert len(text.splitlines()) == len(usual.splitlines())
        assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert not {"<!channel>", "<http://h/|x>"} & set(slack_of(told).split())


def test_many_findings_and_long_ones_are_cut() -> None:
    many = [event(f"{i:04}.1", "new", message="x" * 2000) for i in range(3000)]
    text = slack_of([{"regressions": many}])
    assert len(text) < 40_000
    assert "and 2,980 more" in mail_of([{"regressions": many}])
    json.dumps(text)
