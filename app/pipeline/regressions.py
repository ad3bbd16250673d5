"""A person's answer to a regression: a state, an owner, and a bug."""

from __future__ import annotations

import getpass
import os
from collections.abc import Sequence
from typing import NamedTuple

from expectations.regressions.states import FIXED, NEW, OPEN, WITHDRAWN
from expectations.regressions.store import (
    DETECTOR,
    Row,
    last_states,
    read_current,
    write_events,
    writing,
)
from ingest.base.errors import RequestError
from ingest.base.waiting import HeldError
from ingest.lake.warehouse import Warehouse

__all__ = ["REOPENED", "Answer", "AnsweredError", "RegressionError", "mark", "this_user"]

#: The state of an answer that takes an earlier one back.
REOPENED = "open"

_LONGEST = 1000  # characters of a text


class RegressionError(RequestError):
    """There is no such regression, or it cannot have this answer; the message is one line."""


class AnsweredError(RegressionError):
    """Somebody else has answered since; `row` is what is known now."""

    def __init__(self, row: Row) -> None:
        note = f" ({row['note']})" if row["note"] else ""
        super().__init__(
            f"{row['by']} has answered meanwhile: {row['regression_id']} is {row['state']}{note}"
        )
        self.row = row


class Answer(NamedTuple):
    """What a person says about a regression. None leaves a field unchanged, '' removes it.

    by: the author; state: acknowledged, expected, false alarm, or REOPENED; note: why; owner: who
    takes care of it; bug: a number or link in a tracker. A new state without a note has none.
    """

    by: str
    state: str | None = None
    note: str | None = None
    owner: str | None = None
    bug: str | None = None


def this_user() -> str:
    """Return the name of the user of this process, or a number if the system has no name."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"user {os.getuid()}"


def mark(warehouse: Warehouse, name: str, answer: Answer, seen: str = "") -> list[Row]:
    """Append an answer to a regression (GROUP.N), or to all of a group: GROUP, or its leader.

    In a group, the answer is for the open ones and for those in the state of the leader; those that
    a check has closed stay so, and those with an answer of their own keep it. seen: the event_id of
    the state that the person saw; '' for any.

    Returns the events, none if nothing changes. A check may run meanwhile. Raises RegressionError;
    AnsweredError if another person has answered what was `seen`.
    """
    answer = _clean(answer)
    folder = warehouse.regressions
    try:
        with writing(folder):
            rows = _regression_and_group(read_current(folder), name, warehouse)
            head = rows[0]
            if seen and head["event_id"] != seen and head["by"] != DETECTOR:
                raise AnsweredError(head)
            chosen = _answered_regressions(rows, name, answer.state)
            was_open = last_states(folder, OPEN) if answer.state == REOPENED else {}
            events = [(row, row | _new(row, answer, was_open)) for row in chosen]
            author = {"by": answer.by, "build_id": ""}
            return write_events([new | author for row, new in events if new != row], folder)
    except HeldError:
        raise RegressionError(
            "another answer, or the end of a check, has been writing for a minute; try again"
        ) from None
    except OSError as error:
        raise RegressionError(f"the answer was not stored: {error.strerror or error}") from error


def _clean(answer: Answer) -> Answer:
    """Return an answer whose texts are one line each. Raises RegressionError."""
    texts = {
        name: _one_line(text)
        for name in ("by", "note", "owner", "bug")
        if (text := getattr(answer, name)) is not None
    }
    for name, text in texts.items():
        if len(text) > _LONGEST:
            raise RegressionError(f"{name}: {len(text)} characters; at most {_LONGEST}")
    if texts["by"] in {"", DETECTOR}:
        raise RegressionError(f"{texts['by']!r} is not a person's name")
    return answer._replace(**texts)


def _one_line(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode().split())


def _regression_and_group(current: Sequence[Row], name: str, warehouse: Warehouse) -> list[Row]:
    """Return the regression that is named, and after it its group if it is its leader."""
    regression = next((row for row in current if row["regression_id"] == name), None)
    if regression and not regression["leads"]:
        return [regression]
    group_id = regression["group_id"] if regression else name
    rows = [row for row in current if row["group_id"] == group_id]
    if not rows:
        raise RegressionError(
            f"no regression {name!r}; see '{warehouse.command('regressions --all')}'"
        )
    return sorted(rows, key=lambda row: (not row["leads"], row["regression_id"]))


def _is_closed(row: Row) -> bool:
    """Whether a check has closed a regression."""
    return row["state"] in {FIXED, WITHDRAWN}


def _answered_regressions(rows: Sequence[Row], name: str, state: str | None) -> list[Row]:
    """Return the regressions that an answer is for; rows: the named one, and its group."""
    head = rows[0]
    if state is None:
        chosen = [row for row in rows if row["state"] == FIXED or not _is_closed(row)]
        if not chosen:
            raise RegressionError(f"a check withdrew {name}")
        return chosen
    named = head if name == head["regression_id"] and head["state"] != FIXED else None
    answerable = [row for row in rows if row is named or not _is_closed(row)]
    if not answerable:
        states = ", ".join(sorted({row["state"] for row in rows}))
        raise RegressionError(f"regression {name} is not open: it is {states}")
    alike = [r for r in answerable if r["state"] in OPEN or r["state"] == head["state"]]
    if state != REOPENED:
        return alike or answerable
    answered = [row for row in answerable if row["state"] not in OPEN]
    if not answered:
        raise RegressionError(f"regression {name} is open")
    return [row for row in alike if row in answered] or answered


def _new(row: Row, answer: Answer, was_open: dict[str, str]) -> Row:
    """Return what an answer changes in a regression."""
    given = answer._asdict()
    new: Row = {name: given[name] for name in ("owner", "bug") if given[name] is not None}
    if answer.state is None:
        return new if answer.note is None else new | {"note": answer.note}
    state = answer.state
    if state == REOPENED:
        state = was_open.get(row["regression_id"], NEW)
    return new | {"state": state, "note": answer.note or ""}
