"""Posts one notice to a webhook, in a process of its own: `python -m app.pipeline.post`.

A server may send its answer byte by byte for hours, and no HTTP library has a deadline for a whole
request. A process can be ended. It reads {"url": ..., "body": ...} from stdin and writes why the
webhook did not accept the notice. No message contains the URL, as its path and user may be secret.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from ingest.base.child import end_with_parent, parent_environment

__all__ = ["host_of", "in_time", "post", "reason_of"]

_CONNECT, _READ = 5.0, 10.0  # seconds
_RETRIES = 3
PAUSE = 1.0  # seconds before the second retry; each later one is twice as long
_TRY_AGAIN = (408, 429, 500, 502, 503, 504)


def post(url: str, body: dict[str, object], seconds: float, *, is_known_again: bool = True) -> str:
    """POST a body as JSON; return why the webhook did not accept it, or ''.

    It is tried again, with growing pauses, until `seconds` are over; is_known_again: the receiver
    knows a repeat, so that it is also tried again if the answer was lost. Redirects are not
    followed. Raises nothing.
    """
    try:
        text = json.dumps(body, allow_nan=False, default=str)
    except ValueError as error:
        return reason_of(error)
    given = {"url": url, "body": text, "is_known_again": is_known_again, "pause": PAUSE}
    return in_time("app.pipeline.post", given, seconds)


def in_time(module: str, given: Mapping[str, object], seconds: float) -> str:
    """Run a module that reads `given` from stdin and writes why it failed; return that, or ''.

    It is ended after `seconds`. Raises nothing.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-m", module],
            input=json.dumps(given), capture_output=True, text=True, check=False, timeout=seconds,
            env=os.environ | parent_environment(),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no complete answer within {seconds:.0f} seconds"
    except Exception as error:
        return reason_of(error)
    return done.stdout.strip() or ("" if done.returncode == 0 else "it could not be sent")


def host_of(url: str) -> str:
    """Return the host of a URL, '' if it has none that can be read."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _send(url: str, body: str, *, is_known_again: bool, pause: float) -> str:
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    if not url.startswith(("http://", "https://")):
        return "its URL does not begin with http:// or https://"
    retry = Retry(
        total=_RETRIES,
        read=None if is_known_again else 0,
        other=None if is_known_again else 0,
        allowed_methods=None,  # POST too
        status_forcelist=_TRY_AGAIN,
        backoff_factor=pause / 2,
        raise_on_status=False,
        respect_retry_after_header=False,  # it may ask for days
    )
    try:
        with requests.Session() as session:
            for scheme in ("http://", "https://"):
                session.mount(scheme, HTTPAdapter(max_retries=retry))
            answer = session.post(
                url,
                data=body.encode(),
                headers={"Content-Type": "application/json"},
                timeout=(_CONNECT, _READ),
                allow_redirects=False,
                stream=True,  # the status is enough
            )
            with answer:
                return "" if answer.ok and not answer.is_redirect else _refusal(answer.status_code)
    except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema, ValueError):
        return "its URL is not valid"
    except Exception as error:
        return reason_of(error)


def _refusal(status: int) -> str:
    more = ", a redirect, which is not followed" if 300 <= status < 400 else ""
    return f"it answered with status {status}{more}"


def reason_of(error: BaseException) -> str:
    """Return what went wrong, without the error's own text, which may contain the URL."""
    from http.client import HTTPException

    for cause in _causes(error):
        if isinstance(cause, TimeoutError):
            return "it did not answer in time"
        if isinstance(cause, HTTPException):
            return "its answer cannot be read"
        if isinstance(cause, OSError) and cause.errno is not None and cause.strerror:
            return cause.strerror
    return f"it could not be sent ({type(error).__name__})"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what led to it, as Python, requests and urllib3 note it."""
    noted, seen = [error], set[int]()
    while noted:
        cause = noted.pop(0)
        if id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            causes = (
                *cause.args,
                getattr(cause, "reason", None),
                cause.__cause__,
                cause.__context__,
            )
            noted += [other for other in causes if isinstance(other, BaseException)]


if __name__ == "__main__":
    end_with_parent()
    given = json.load(sys.stdin)
    sys.stdout.write(_send(**given))
