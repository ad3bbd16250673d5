"""What every answer of the dashboard says to browsers, as `perfhouse dashboard` serves it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from app.dashboard.serve import HEADERS
from scripts.serving import serving
from tests.kit.sign_in import SETTINGS

COMMAND = ("app.cli.main", "dashboard", "--port")
HANDSHAKE = (
    *("Connection: Upgrade", "Upgrade: websocket"),
    *("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
)
OTHER_SITE = "Origin: http://other.example.com"
#: Method, path and header lines of a request -> the status of its answer.
REQUESTS = {
    ("GET", "/"): 200,
    ("HEAD", "/"): 200,
    ("GET", "/regressions"): 200,
    ("GET", "/static/js/nothing.js"): 200,  # the page, which knows no such script
    ("GET", "/_stcore/health"): 200,
    ("GET", "/_stcore/host-config"): 200,
    ("OPTIONS", "/_stcore/health"): 204,
    ("POST", "/_stcore/health"): 405,
    ("GET", "/media/nothing.csv"): 404,
    ("GET", "/component/nothing/index.html"): 404,
    ("GET", "/../../etc/passwd"): 400,
    ("PUT", "/_stcore/upload_file/nobody/nothing"): 403,
    ("GET", "/_stcore/stream", *HANDSHAKE): 101,
    ("GET", "/_stcore/stream", *HANDSHAKE, OTHER_SITE): 403,
    ("GET", "/_stcore/stream", *HANDSHAKE[:2]): 400,  # a handshake without a key
    ("GET", "/nothing", *HANDSHAKE): 403,
    ("POST", "/", "Content-Length: -5"): 400,
    ("GET", "/ HTTP/9.9\r\n"): 400,  # not HTTP
}


@pytest.fixture(scope="module", params=["this machine", "people sign in"])
def address(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a dashboard without a warehouse."""
    folder = tmp_path_factory.mktemp("dashboard")
    environment = {}
    if request.param == "people sign in":
        file = folder / "sign-in.toml"
        file.touch(mode=0o600)
        file.write_text(SETTINGS)
        environment["PERFHOUSE_SIGN_IN"] = str(file)
    with serving(folder / "perfhouse.duckdb", COMMAND, **environment) as found:
        yield found


def head_of(address: str, method: str, path: str, *lines: str) -> tuple[int, list[tuple[str, str]]]:
    """Return the status and the headers of an answer."""
    host = urlsplit(address)
    request = [f"{method} {path} HTTP/1.1", f"Host: {host.netloc}", *lines, "", ""]
    with socket.create_connection((host.hostname, host.port), timeout=30) as connection:
        connection.sendall("\r\n".join(request).encode())
        with connection.makefile("rb") as answer:
            status = int(answer.readline().split()[1])
            said = iter(answer.readline, b"\r\n")
            headers = [line.decode().strip().partition(": ") for line in said]
    return status, [(name.lower(), value) for name, _, value in headers]


def test_nobody_gets_figures_of_the_server(address: str) -> None:
    for accepted in ("text/plain", "application/x-protobuf"):
        _, headers = head_of(address, "GET", "/_stcore/metrics", f"Accept: {accepted}")
        assert dict(headers)["content-type"].startswith("text/html"), accepted


def test_every_answer_refuses_frames_and_guessed_types(address: str) -> None:
    for request, status in REQUESTS.items():
        found, headers = head_of(address, *request)
        assert found == status, request
        for name, value in HEADERS.items():
            assert [said for known, said in headers if known == name.lower()] == [value], request
