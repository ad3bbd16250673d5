"""Answers to regressions on their page, where nobody has to sign in; and links to one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.dashboard import main as page
from app.dashboard.navigation import view_of
from app.pipeline import regressions, steps
from app.pipeline.regressions import Answer
from expectations.regressions.store import Row, read_current
from ingest.lake.alone import alone
from ingest.lake.warehouse import Warehouse
from tests.kit.dashboard import said

Opened = Callable[..., AppTest]


@pytest.fixture
def opened(judged: Warehouse, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Open the page, with what its address says."""
    monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(judged.file))
    monkeypatch.setattr(regressions.getpass, "getuser", lambda: "osuser")

    def open_page(**address: str) -> AppTest:
        shown = AppTest.from_file(page.__file__, default_timeout=120)
        shown.switch_page(f"views/{view_of('regressions').script.name}")
        for name, value in address.items():
            shown.query_params[name] = value
        shown.run()
        assert not shown.exception
        return shown

    return open_page


def save(shown: AppTest, state: str | None = None, **texts: str) -> None:
    """Fill the form in and send it; texts: why, owner, bug."""
    if state is not None:
        next(one for one in shown.selectbox if one.label == "It is").select(state)
    for field in shown.text_input[1:]:  # the first one finds pages
        if field.label.lower() in texts:
            field.input(texts[field.label.lower()])
    next(button for button in shown.button if button.label == "Save").click()
    shown.run()
    assert not shown.exception


def filled(shown: AppTest) -> dict[str, str]:
    return {field.label: field.value for field in shown.text_input[1:]}


def known(judged: Warehouse) -> list[Row]:
    """Return the leader, then the others."""
    rows = read_current(judged.regressions)
    return sorted(rows, key=lambda row: (not row["leads"], row["regression_id"]))


def answers(judged: Warehouse) -> set[tuple[str, ...]]:
    names = ("state", "by", "note", "owner", "bug")
    return {tuple(row[name] for name in names) for row in known(judged)}


def test_a_whole_change_is_answered_corrected_and_opened_again(
    opened: Opened,
    judged: Warehouse,
) -> None:
    shown = opened()
    name = known(judged)[0]["regression_id"]
    assert "For the whole change: this figure and 3 more." in said(shown)
    assert "first bad build" in said(shown)
    words = "".join(code.value for code in shown.code)
    for verb in ("acknowledge", "expect", "false-alarm", "note"):
        assert f"perfhouse regressions {verb} {name}" in words
    assert "reopen" not in words
    save(shown, "acknowledged")
    assert "Give the reason" in said(shown)
    # An owner and a bug, without a decision; while another step runs.
    with alone(judged):
        save(shown, "open", owner="bob", bug="https://bugs.example.com/7")
    assert answers(judged) == {("new", "osuser", "", "bob", "https://bugs.example.com/7")}
    save(shown, "expected", why="a <new> cipher", bug="")
    assert answers(judged) == {("expected", "osuser", "a <new> cipher", "bob", "")}
    # It is no longer in the list, but still on the page.
    assert shown.query_params["id"] == name
    assert f"{name}, below, is expected" in said(shown)
    assert filled(shown) == {"Why": "a <new> cipher", "Owner": "bob", "Bug": ""}
    assert f"perfhouse regressions reopen {name}" in "".join(code.value for code in shown.code)
    save(shown, "false alarm")
    save(shown, why="a load driver of its own")
    assert answers(judged) == {("false alarm", "osuser", "a load driver of its own", "bob", "")}
    save(shown, "open")
    assert answers(judged) == {("new", "osuser", "", "bob", "")}
    assert f"{name}, below" not in said(shown)


def test_the_second_of_two_people_hears_of_the_first(
    opened: Opened,
    judged: Warehouse,
) -> None:
    shown = opened()
    group = known(judged)[0]["group_id"]
    steps.mark_regression(judged, group, Answer("ann", "expected", "TLS", "ann"))
    save(shown, "acknowledged", why="known")
    assert "ann has answered meanwhile" in said(shown)
    assert answers(judged) == {("expected", "ann", "TLS", "ann", "")}
    assert filled(shown) == {"Why": "known", "Owner": "ann", "Bug": ""}
    save(shown, "acknowledged")
    assert answers(judged) == {("acknowledged", "osuser", "known", "ann", "")}


def test_a_link_to_a_regression_stays_valid(
    opened: Opened,
    judged: Warehouse,
) -> None:
    leader, part, *_ = known(judged)
    for name, words in (
        (leader["regression_id"], "For the whole change"),
        (leader["group_id"], "For the whole change"),
        (part["regression_id"], f"{part['regression_id']}, below, is a part of a change"),
        ("nosuch.1", "There is no regression nosuch.1"),
    ):
        assert words in said(opened(id=name)), name
    steps.mark_regression(judged, leader["group_id"], Answer("ann", "expected", "TLS"))
    for name in (leader["regression_id"], leader["group_id"], part["regression_id"]):
        shown = opened(id=name)
        assert "Nothing is open" in said(shown)
        assert "Expected, by ann: TLS" in said(shown)
    assert "by ann" not in said(opened())


def test_what_cannot_be_stored_is_said(
    opened: Opened,
    judged: Warehouse,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = opened()

    def full(self: Path, content: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as at_once:
        at_once.setattr(Path, "write_bytes", full)
        save(shown, "expected", why="TLS")
    assert "the answer was not stored: No space left on device" in said(shown)
    assert filled(shown)["Why"] == "TLS"
    save(shown, "expected")
    assert {row["state"] for row in known(judged)} == {"expected"}
