"""Who may see the dashboard when other machines can reach it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.cli.main import main
from app.dashboard import main as page
from app.dashboard import session
from app.dashboard.navigation import VIEWS, view_of
from app.dashboard.roles import SignInError, is_loopback, read_roles, role_of
from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases
from tests.kit.dashboard import said
from tests.kit.sign_in import SETTINGS

FIRST = VIEWS[0]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Complete settings of sign-in."""
    file = tmp_path / "sign-in.toml"
    file.touch(mode=0o600)
    file.write_text(SETTINGS)
    monkeypatch.setenv("PERFHOUSE_SIGN_IN", str(file))
    return file


@cases
def test_only_loopback_is_this_machine_alone(address: str, only_here: bool) -> None:
    assert is_loopback(address) == only_here


@cases
def test_a_role_comes_from_the_address_that_the_provider_names(
    settings: Path, email: object, role: str | None
) -> None:
    assert role_of({"email": email, "email_verified": True}, read_roles(settings)) == role


def test_another_claim_than_the_address_gives_no_role(settings: Path) -> None:
    person = {"name": "ann@example.com", "sub": "ann@example.com", "email_verified": True}
    assert role_of(person, read_roles(settings)) is None


TRUSTING = "\n[provider]\nevery_address_is_verified = true\n"
ABSENT = object()


@cases
def test_only_a_verified_address_has_a_role(
    settings: Path, claim: object, role: str | None, where_all_are_trusted: str | None
) -> None:
    person = {"email": "bob@example.com"} | ({} if claim is ABSENT else {"email_verified": claim})
    assert role_of(person, read_roles(settings)) == role
    settings.write_text(SETTINGS + TRUSTING)
    assert role_of(person, read_roles(settings)) == where_all_are_trusted


@cases
def test_incomplete_settings_are_refused(
    settings: Path, change: tuple[str, str], complaint: str
) -> None:
    settings.write_text(SETTINGS.replace(*change))
    with pytest.raises(SignInError) as refused:
        read_roles(settings)
    assert complaint in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_settings_that_others_may_read_are_refused(settings: Path) -> None:
    settings.chmod(0o644)
    with pytest.raises(SignInError, match="chmod 600"):
        read_roles(settings)


def test_the_command_refuses_to_open_the_dashboard_without_sign_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path))
    monkeypatch.setattr("app.cli.dashboard.require", lambda _: None)
    assert main(["dashboard", "--address", "0.0.0.0"]) == 2
    said = capsys.readouterr().err
    assert "sign-in is needed on this address" in said
    assert str(tmp_path / "secrets" / "sign-in.toml") in said


def test_pages_are_refused_on_an_open_address_without_sign_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path))
    monkeypatch.setattr(page.st, "get_option", lambda _: "0.0.0.0")
    shown = AppTest.from_file(page.__file__, default_timeout=120).run()
    assert [title.value for title in shown.title] == ["Sign in"]
    assert "sign-in is needed on this address" in said(shown)


@pytest.fixture
def signed_in(settings: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Open the first page as somebody, or as nobody."""

    def opened(file: Path, **person: Any) -> AppTest:
        monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(file))
        monkeypatch.setattr(session, "is_signed_in", lambda: bool(person))
        monkeypatch.setattr(session, "person", lambda: person)
        return AppTest.from_file(page.__file__, default_timeout=120).run()

    return opened


def test_who_is_not_signed_in_sees_nothing_but_a_button(
    signed_in: Callable[..., AppTest], unbuilt: Path
) -> None:
    shown = signed_in(unbuilt)
    assert [title.value for title in shown.title] == ["Sign in"]
    assert [button.label for button in shown.button] == ["Sign in"]


def test_a_stranger_sees_nothing(signed_in: Callable[..., AppTest], unbuilt: Path) -> None:
    shown = signed_in(unbuilt, email="eve@evil.org", email_verified=True)
    assert [title.value for title in shown.title] == ["Sign in"]
    assert "eve@evil.org may not see this dashboard" in said(shown)


def test_an_address_that_is_not_verified_sees_nothing(
    signed_in: Callable[..., AppTest], unbuilt: Path
) -> None:
    shown = signed_in(unbuilt, email="bob@example.com")
    assert [title.value for title in shown.title] == ["Sign in"]
    assert "bob@example.com may not see this dashboard" in said(shown)
    assert "email_verified" in said(shown)


def test_a_reader_sees_the_page(signed_in: Callable[..., AppTest], unbuilt: Path) -> None:
    shown = signed_in(unbuilt, email="bob@example.com", email_verified=True)
    assert [title.value for title in shown.title] == [FIRST.title]
    assert "bob@example.com, reader" in said(shown)


@pytest.mark.parametrize(("email", "answers"), [("ann", True), ("bob", False)])
def test_a_triager_answers_a_regression_and_a_reader_does_not(
    signed_in: Callable[..., AppTest],
    judged: Warehouse,
    email: str,
    answers: bool,
) -> None:
    view = view_of("regressions")
    shown = signed_in(judged.file, email=f"{email}@example.com", email_verified=True)
    shown.switch_page(f"views/{view.script.name}").run()
    assert not shown.exception
    words = "".join(code.value for code in shown.code)
    assert ("perfhouse regressions acknowledge" in words) == answers
    if not answers:
        assert len(shown.text_input) == 1  # it finds pages
        return
    save = next(button for button in shown.button if button.label == "Save")
    save.click().run()
    assert "Give the reason" in said(shown)
    shown.text_input[1].input("a <known> change")
    next(one for one in shown.selectbox if one.label == "It is").select("expected")
    next(button for button in shown.button if button.label == "Save").click().run()
    assert not shown.exception
    with judged.connect() as db:
        last = 'SELECT state, "by", note FROM meta.regression_event ORDER BY event_id DESC LIMIT 1'
        assert db.execute(last).fetchall() == [("expected", "ann@example.com", "a <known> change")]


def test_the_server_asks_no_other_machine_for_its_address() -> None:
    code = (
        "import sys\n"
        "from streamlit.web import cli\n"
        "cli.main = lambda **_: None\n"
        "from app.dashboard import serve\n"
        "serve.main()\n"
        "import socket\n"
        "socket.getaddrinfo = lambda *a, **_: sys.exit(f'asked {a}')\n"
        "from streamlit.web.server.server_util import is_url_from_allowed_origins\n"
        "print(is_url_from_allowed_origins('http://elsewhere.example.com'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.stdout == "False\n", done.stderr
