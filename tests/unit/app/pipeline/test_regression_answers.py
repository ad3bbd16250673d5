"""What people say of regressions: for a group, again, at once, and while a check runs."""

from __future__ import annotations

import csv
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.pipeline import regressions, steps
from app.pipeline.regressions import REOPENED, Answer, AnsweredError, RegressionError
from expectations.limits import read_limits
from expectations.regressions import judge, store
from ingest.lake.alone import alone
from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases
from tests.kit.nights import build, slower_chin
from tests.kit.regression_rows import row

CHECK, ANN = "detector", "ann"


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """A warehouse with nothing but events."""
    made = Warehouse(tmp_path / "w.duckdb")
    made.regressions.mkdir(parents=True)
    return made


def known(warehouse: Warehouse) -> dict[str, str]:
    """Return the state of each regression."""
    return {r["regression_id"]: r["state"] for r in store.read_current(warehouse.regressions)}


def put(warehouse: Warehouse, *states: str, by: Sequence[str] = ()) -> None:
    """Write a group of regressions: the state of each, and by whom, if not by a check."""
    people = by or [CHECK] * len(states)
    named = enumerate(zip(states, people, strict=True), 1)
    rows = [row(what, f"g.{n}", by=who) for n, (what, who) in named]
    store.write_events(rows, warehouse.regressions)


def test_whom_an_answer_is_for(warehouse: Warehouse) -> None:
    """The leader and the name of a group answer for all, others for themselves.

    What a check closed stays closed unless it is named; an answer of its own stays unless it is
    the one that is corrected or taken back.
    """
    cases = list(csv.DictReader(Path(__file__).with_name("answers.csv").open()))
    found = []
    for case in cases:
        for file in warehouse.regressions.iterdir():
            file.unlink()
        put(
            warehouse,
            *(one.removesuffix(" by ann") for one in case["group"].split("; ")),
            by=[ANN if one.endswith(" by ann") else CHECK for one in case["group"].split("; ")],
        )
        steps.mark_regression(warehouse, case["answered"], Answer("bob", case["state"], "why"))
        found.append(
            case | {"then": "; ".join(state for _, state in sorted(known(warehouse).items()))}
        )
    assert found == cases


@cases
def test_answers_that_cannot_be_given(
    warehouse: Warehouse,
    group: Sequence[str],
    name: str,
    answer: Answer,
    reason: str,
) -> None:
    put(warehouse, *group)
    before = known(warehouse)
    with pytest.raises(RegressionError) as refused:
        steps.mark_regression(warehouse, name, answer)
    assert reason in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
    assert known(warehouse) == before


def test_owner_bug_and_note_are_kept_until_they_are_changed(warehouse: Warehouse) -> None:
    put(warehouse, "new", "confirmed", "fixed")

    def said(answer: Answer) -> list[tuple[str, ...]]:
        events = steps.mark_regression(warehouse, "g", answer)
        return [tuple(e[name] for name in ("state", "owner", "bug", "note")) for e in events]

    assert said(Answer(ANN, owner=" bob\n", bug="MQ-7")) == [
        ("new", "bob", "MQ-7", ""), ("confirmed", "bob", "MQ-7", ""), ("fixed", "bob", "MQ-7", ""),
    ]  # fmt: skip
    assert (
        said(Answer(ANN, "expected", "a new cipher"))
        == [("expected", "bob", "MQ-7", "a new cipher")] * 2
    )
    assert said(Answer(ANN, "expected", "a new cipher")) == []
    # Each has the state again that it had before.
    assert said(Answer(ANN, REOPENED)) == [
        ("new", "bob", "MQ-7", ""), ("confirmed", "bob", "MQ-7", ""),
    ]  # fmt: skip
    assert said(Answer(ANN, owner="")) == [
        ("new", "", "MQ-7", ""), ("confirmed", "", "MQ-7", ""), ("fixed", "", "MQ-7", ""),
    ]  # fmt: skip


def test_a_person_hears_of_another_answer_and_may_replace_it(warehouse: Warehouse) -> None:
    put(warehouse, "new")
    (seen,) = store.read_current(warehouse.regressions)
    store.write_events([row("confirmed", "g.1")], warehouse.regressions)  # a check is no answer
    steps.mark_regression(warehouse, "g.1", Answer(ANN, "expected", "TLS"), seen["event_id"])
    with pytest.raises(
        AnsweredError, match=r"ann has answered meanwhile: .* expected \(TLS\)"
    ) as e:
        steps.mark_regression(warehouse, "g.1", Answer("bob", "acknowledged"), seen["event_id"])
    steps.mark_regression(warehouse, "g.1", Answer("bob", "acknowledged"), e.value.row["event_id"])
    assert known(warehouse) == {"g.1": "acknowledged"}


def test_answers_at_once_are_all_stored(warehouse: Warehouse) -> None:
    put(warehouse, *["new"] * 8)
    names = [f"g.{number}" for number in range(2, 9)]
    people = [
        threading.Thread(
            target=regressions.mark, args=(warehouse, name, Answer(name, "expected", "why"))
        )
        for name in names
    ]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert known(warehouse) == {"g.1": "new"} | dict.fromkeys(names, "expected")


def test_who_waits_too_long_is_told(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    put(warehouse, "new")
    monkeypatch.setattr(store, "_PATIENCE", 0)
    with (
        store.writing(warehouse.regressions),
        pytest.raises(RegressionError, match="try again"),
    ):
        steps.mark_regression(warehouse, "g", Answer(ANN, "expected"))


@pytest.mark.parametrize("state", ["expected", "false alarm", REOPENED])
def test_an_answer_given_while_a_check_runs_stays(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    limits, find = read_limits(), judge.find_level_shifts
    with build(34, slower_chin) as db:
        judge.judge_build(db, warehouse.regressions, "b34", limits)
    (leader,) = [r for r in store.read_current(warehouse.regressions) if r["leads"]]
    group = leader["group_id"]
    if state == REOPENED:
        steps.mark_regression(warehouse, group, Answer(ANN, "acknowledged", "by mistake"))
    answers = []

    def meanwhile(*given: object, **more: object) -> object:
        answers.extend(steps.mark_regression(warehouse, group, Answer(ANN, state, "", "bob")))
        return find(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(judge, "find_level_shifts", meanwhile)
    with build(36, slower_chin) as db, alone(warehouse):
        assert judge.judge_build(db, warehouse.regressions, "b36", limits).events == ()
    assert len(answers) == 2
    states = {"new"} if state == REOPENED else {state}
    assert set(known(warehouse).values()) == states
    # The next check judges with it.
    monkeypatch.setattr(judge, "find_level_shifts", find)
    with build(38, slower_chin) as db:
        events = judge.judge_build(db, warehouse.regressions, "b38", limits).events
    assert {(e["state"], e["owner"]) for e in events} == (
        {("confirmed", "bob")} if state == REOPENED else set()
    )


def test_late_findings_of_a_group_have_its_owner_and_bug(warehouse: Warehouse) -> None:
    with build(34, slower_chin) as db:
        judge.judge_build(db, warehouse.regressions, "b34", read_limits())
    whole, part = store.read_current(warehouse.regressions)
    # As if the second one had not been found yet.
    (file,) = (
        warehouse.regressions / f"{name}.parquet" for name in store.ids(warehouse.regressions)
    )
    file.unlink()
    store.write_events([whole | {"owner": "bob", "bug": "MQ-7"}], warehouse.regressions)
    with build(34, slower_chin) as db:
        (late,) = judge.judge_build(db, warehouse.regressions, "b35", read_limits()).events
    assert (late["address_space"], late["owner"], late["bug"]) == (
        part["address_space"], "bob", "MQ-7",
    )  # fmt: skip
