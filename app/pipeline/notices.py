"""Notices: what a check found, posted to a webhook."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from expectations.regressions.store import SCHEMA, Row
from ingest.errors import PerfhouseError

__all__ = ["NoticeError", "notice", "send", "tell"]

_SECONDS = 10.0  # timeout of a webhook


class NoticeError(PerfhouseError):
    """A notice was not delivered; the message is one line."""


def notice(
    build_id: str,
    events: Sequence[Row] = (),
    faults: Sequence[str] = (),
    errors: Sequence[str] = (),
) -> dict[str, Any] | None:
    """Return the JSON body that reports a check, or None if there is nothing new.

    Keys: build_id; faults, the messages of what prevents publishing; errors, those of new errors in
    the data; regressions, the new events with the columns of meta.regression_event.
    """
    if not (events or faults or errors):
        return None
    regressions = [
        {name: _plain(row[name]) for name in SCHEMA if name != "parts"}
        | {"parts": json.loads(row["parts"] or "[]")}
        for row in events
    ]
    return {
        "build_id": build_id,
        "faults": list(faults),
        "errors": list(errors),
        "regressions": regressions,
    }


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def tell(url: str | None, body: dict[str, Any] | None) -> str:
    """Send a notice, if there is one, to a webhook (default: $PERFHOUSE_NOTIFY), if there is one.

    Returns why it was not delivered, or "".
    """
    url = url or os.environ.get("PERFHOUSE_NOTIFY")
    try:
        if url and body:
            send(url, body)
    except NoticeError as error:
        return str(error)
    return ""


def send(url: str, body: dict[str, Any]) -> None:
    """POST a notice as JSON. Raises NoticeError if the webhook does not accept it."""
    if not url.startswith(("http://", "https://")):
        raise NoticeError(f"{url}: a webhook URL begins with http:// or https://")
    request = urllib.request.Request(  # noqa: S310 (checked above)
        url,
        data=json.dumps(body, allow_nan=False, default=str).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS):  # noqa: S310
            pass
    except (OSError, urllib.error.URLError, ValueError) as error:
        raise NoticeError(f"{url}: notice not delivered: {error}") from error
