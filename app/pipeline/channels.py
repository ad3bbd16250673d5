"""Where notices are sent: a webhook for programs, and Slack and mail for people.

    PERFHOUSE_NOTIFY        URL that gets each notice as JSON
    PERFHOUSE_SLACK         URL of an incoming webhook of Slack, or of what takes the same
    PERFHOUSE_MAIL          addresses that get a mail, with commas between them
    PERFHOUSE_MAIL_SERVER   smtp://[USER:PASSWORD@]HOST[:PORT], or smtps://; default: this machine
    PERFHOUSE_MAIL_FROM     the sender; default perfhouse@ and the name of this machine

People get one message with all that waits, and none in quiet hours (app.pipeline.quiet).
"""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.pipeline.mail import send_mail
from app.pipeline.message import mail_of, slack_of, subject_of
from app.pipeline.places import dashboard_address
from app.pipeline.post import host_of, post

__all__ = ["Channel", "channels"]

Notice = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Channel:
    """Something that takes notices.

    folder: of its notices within the outbox, '' for the outbox itself; for_people: one message for
    all that waits, and not at any time; where: what messages of perfhouse call it; send: sends
    notices within some seconds and returns why they were not accepted, or ''.
    """

    folder: str
    for_people: bool
    where: str
    send: Callable[[Sequence[Notice], float], str]


def channels(url: str | None = None) -> list[Channel]:
    """Return the channels that are set; url: of the webhook, default $PERFHOUSE_NOTIFY."""
    result = []
    if url := url or _set("PERFHOUSE_NOTIFY"):
        result.append(Channel("", False, _channel_at("the webhook", url), _webhook(url)))
    if slack := _set("PERFHOUSE_SLACK"):
        result.append(Channel("slack", True, _channel_at("Slack's webhook", slack), _slack(slack)))
    if to := [who for recipient in _set("PERFHOUSE_MAIL").split(",") if (who := recipient.strip())]:
        server = _set("PERFHOUSE_MAIL_SERVER") or "smtp://localhost"
        result.append(
            Channel("mail", True, _channel_at("the mail server", server), _mail(server, to))
        )
    return result


def _set(name: str) -> str:
    return os.environ.get(name, "").strip()


def _channel_at(what: str, url: str) -> str:
    return f"{what} at {host}" if (host := host_of(url)) else what


def _webhook(url: str) -> Callable[[Sequence[Notice], float], str]:
    def send(notices: Sequence[Notice], seconds: float) -> str:
        (notice,) = notices
        return post(url, notice, seconds)

    return send


def _slack(url: str) -> Callable[[Sequence[Notice], float], str]:
    def send(notices: Sequence[Notice], seconds: float) -> str:
        text = slack_of(notices, dashboard_address())
        return post(url, {"text": text}, seconds, is_known_again=False)

    return send


def _mail(server: str, to: Sequence[str]) -> Callable[[Sequence[Notice], float], str]:
    def send(notices: Sequence[Notice], seconds: float) -> str:
        sender = _set("PERFHOUSE_MAIL_FROM") or f"perfhouse@{socket.getfqdn()}"
        names = "\n".join(str(notice.get("notice_id")) for notice in notices)
        name = hashlib.sha256(names.encode()).hexdigest()[:32]
        text = mail_of(notices, dashboard_address())
        return send_mail(server, sender, to, subject_of(notices), text, name, seconds)

    return send
