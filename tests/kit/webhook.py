"""A webhook that answers as it is told to, or breaks, and a warehouse whose checks it hears of."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.pipeline import post
from expectations.outcome import REGRESSIONS, AuditResult, ExpectationOutcome
from expectations.store import next_id, write_result
from ingest.lake.warehouse import Warehouse


def outcome(severity: str, message: str, suite: str = "raw") -> ExpectationOutcome:
    return ExpectationOutcome(suite, "raw.t", "x", "", not message, severity, "", "", message)


PASSED = outcome("error", "")
LOST = outcome("fault", "a row is lost")
GAP, LONGER_GAP = outcome("error", "a gap of 2 s"), outcome("error", "a gap of 3 s")
SLOWER = outcome("error", "the rate is worse", REGRESSIONS)  # told as an event, not as an error


class Receiver(BaseHTTPRequestHandler):
    """A webhook that keeps the bodies it receives; `answers`: raw bytes to send, then 200."""

    bodies: list[dict[str, Any]]
    answers: list[bytes]
    paths: list[str]

    def do_POST(self) -> None:
        self.paths.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.answers:
            for byte in (answer := self.answers.pop(0)):
                self.wfile.write(bytes([byte]))
                if answer.startswith(b"HTTP/1.1 2") and len(answer) < 40:  # one without an end
                    time.sleep(0.5)
            self.close_connection = True
            return
        self.bodies.append(json.loads(body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is no error."""


@pytest.fixture
def webhook() -> Iterator[tuple[str, type[Receiver]]]:
    handler = type("Handler", (Receiver,), {"bodies": [], "answers": [], "paths": []})
    with Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/hook", handler
        server.shutdown()
        thread.join()


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """A warehouse with nothing but verdicts; what is refused is tried again without a pause."""
    monkeypatch.setattr(post, "PAUSE", 0.0)
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.audit.mkdir(parents=True)
    warehouse.regressions.mkdir()
    return warehouse


def check(warehouse: Warehouse, *outcomes: ExpectationOutcome) -> None:
    """Store the verdict of a check, as a check does."""
    result = AuditResult(next_id(warehouse.audit), "b40", (PASSED, *outcomes))
    write_result(result, warehouse.audit, "")
