"""Notices: what a check found, posted to a webhook."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from expectations.regressions.store import SCHEMA, Row

__all__ = ["NoticeError", "notice", "send", "tell"]

_SECONDS = 10.0  # timeout of a webhook


class NoticeError(RuntimeError):
    """A notice did not reach its receiver; the message is one line for a person."""


def notice(build_id: str, events: Sequence[Row], failures: Iterable[str]) -> dict[str, Any] | None:
    """What a receiver is told of a check; None where there is nothing new to tell.

    Keys: build_id, failures (messages of what stops publishing), regressions (the new events, the
    columns of meta.regression_event).
    """
    failures = list(failures)
    if not events and not failures:
        return None
    shown = [
        {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name in SCHEMA
            if name != "parts"
            for value in (row[name],)
        }
        | {"parts": json.loads(row["parts"] or "[]")}
        for row in events
    ]
    return {"build_id": build_id, "failures": failures, "regressions": shown}


def tell(receiver: str | None, body: dict[str, Any] | None) -> str:
    """Send a notice, if there is one, to the receiver (by default $PERFHOUSE_NOTIFY), if any.

    Returns why it was not taken, '' where it was or nothing was to be sent.
    """
    url = receiver or os.environ.get("PERFHOUSE_NOTIFY")
    try:
        if url and body:
            send(url, body)
    except NoticeError as error:
        return str(error)
    return ""


def send(url: str, body: dict[str, Any]) -> None:
    """POST a notice as JSON. Raises NoticeError where the receiver does not take it."""
    if not url.startswith(("http://", "https://")):
        raise NoticeError(f"{url}: a receiver of notices is an http or https address")
    request = urllib.request.Request(  # noqa: S310 (checked above)
        url,
        data=json.dumps(body, allow_nan=False, default=str).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS):  # noqa: S310
            pass
    except (OSError, urllib.error.URLError, ValueError) as error:
        raise NoticeError(f"{url}: the notice was not taken: {error}") from error
