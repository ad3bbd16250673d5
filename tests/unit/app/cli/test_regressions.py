"""`perfhouse regressions` on a small published warehouse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from expectations.regressions.store import Row, write_schema
from ingest.lake.warehouse import Warehouse
from tests.kit.nights import build

WORSE = 30


def slower(configuration: str, metric: str, space: str | None, night: int) -> float:
    return 1.3 if space == "CHIN" and night >= WORSE else 1.0


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """Forty nights, CHIN slower from night 30, judged and published."""
    made = Warehouse(tmp_path_factory.mktemp("judged") / "w.duckdb")
    steps.prepare(made)
    with build(40, slower) as nights, made.open_work() as db:
        db.execute("CREATE SCHEMA marts")
        for (table,) in nights.execute(
            "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'marts'"
        ).fetchall():
            db.register("rows", nights.sql(f"FROM marts.{table}").pl().to_arrow())
            db.execute(f"CREATE TABLE marts.{table} AS FROM rows")
            db.unregister("rows")
        judge_build(db, made.regressions, "b40", read_limits())
    made.publish()
    return made


@pytest.fixture
def warehouse(judged: Warehouse) -> Iterator[Warehouse]:
    """The judged warehouse; decisions that a test makes are removed afterwards."""
    before = set(judged.regressions.iterdir())
    yield judged
    for file in set(judged.regressions.iterdir()) - before:
        file.unlink()


def run(capsys: pytest.CaptureFixture[str], warehouse: Warehouse, *words: str) -> tuple[int, str]:
    status = main(["regressions", *words, "--warehouse", str(warehouse.file)])
    held = capsys.readouterr()
    return status, held.out + held.err


def exported(capsys: pytest.CaptureFixture[str], warehouse: Warehouse) -> list[Row]:
    return list(json.loads(run(capsys, warehouse, "export")[1]))


def test_the_list_shows_the_leader_of_each_open_group(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text = run(capsys, warehouse)
    assert status == 0
    (leader,) = [row for row in exported(capsys, warehouse) if row["leads"]]
    assert leader["regression_id"] in text
    assert leader["group_id"] + ".2" not in text
    everything = run(capsys, warehouse, "list", "--all")[1]
    assert leader["group_id"] + ".4" in everything
    assert "Cost per GB of CHIN" in " ".join(everything.split())  # no figure without its part


def test_show_prints_history_location_and_runs(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (leader,) = [row for row in exported(capsys, warehouse) if row["leads"]]
    status, text = run(capsys, warehouse, "show", leader["regression_id"])
    assert status == 0
    for words in ("History", "detector", "Location", "CHIN", leader["onset_run_id"], "first bad"):
        assert words in text


def test_show_writes_markdown_for_a_bug_tracker(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (leader,) = [row for row in exported(capsys, warehouse) if row["leads"]]
    text = run(capsys, warehouse, "show", leader["group_id"], "--format", "markdown")[1]
    assert text.startswith(f"### Cost per GB +{leader['change_percent']:.1f} %")
    for words in ("**Next runs.** ", "| CHIN | address space |", "in 3 more figures"):
        assert words in text


def test_an_export_has_parts_and_plot(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (leader,) = [row for row in exported(capsys, warehouse) if row["leads"]]
    assert leader["parts"][0]["what"] == "CHIN"
    assert leader["parts"][0]["share"] == pytest.approx(1, abs=0.15)
    band, points, levels = (layer["data"]["values"] for layer in leader["plot"]["layer"])
    assert len(points) == 40
    assert [round(level["level"], 2) for level in levels] == pytest.approx([1, 1.12], abs=0.03)
    parts = [point["part"] for point in points]
    onset = parts.index("after")
    assert parts == ["before"] * onset + ["after"] * (40 - onset)
    assert points[onset]["run"] == leader["onset_run_id"]
    assert levels[0]["to"] < levels[1]["from"] == points[onset]["start"]
    assert band[0]["low"] < levels[1]["level"] < band[0]["high"]
    lines = run(capsys, warehouse, "export", "--format", "csv")[1].splitlines()
    assert len(lines) == 1 + len(exported(capsys, warehouse))
    assert "plot" not in lines[0]


@pytest.mark.parametrize(
    ("act", "state"),
    [("acknowledge", "acknowledged"), ("expect", "expected"), ("false-alarm", "false alarm")],
)
def test_a_decision_closes_a_group_and_readers_see_it_at_once(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], act: str, state: str
) -> None:
    (leader,) = [row for row in exported(capsys, warehouse) if row["leads"]]
    group = leader["group_id"]
    status, _ = run(capsys, warehouse, act, group, "--note", "a new cipher", "--by", "ann")
    assert status == 0
    rows = exported(capsys, warehouse)
    assert {(row["state"], row["note"], row["by"]) for row in rows} == {
        (state, "a new cipher", "ann")
    }
    assert not any(row["is_open"] for row in rows)
    assert group not in run(capsys, warehouse)[1]
    words = ("--note", "a new cipher")
    assert run(capsys, warehouse, act, group, *words) == (
        0,
        f"{group}: it has this answer already\n",
    )


def test_an_answer_is_corrected_and_taken_back(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (leader,) = [row for row in exported(capsys, warehouse) if row["leads"]]
    name = leader["regression_id"]
    bug = "https://bugs.example.com/?id=7&x=[b]"
    for words, then, told in (
        (
            ("note", "--owner", "ann", "--bug", bug),
            ("new", "", "ann", bug),
            f"owner ann, bug {bug}",
        ),
        (("acknowledge", "--note", "TLS [1.3]"), ("acknowledged", "TLS [1.3]", "ann", bug), ""),
        (
            ("expect", "--note", "TLS"),
            ("expected", "TLS", "ann", bug),
            f"{name}: expected, owner ann",
        ),
        (("reopen",), ("new", "", "ann", bug), f"{name}: new"),
        (("note", "--owner", "", "--note", "[b] is"), ("new", "[b] is", "", bug), ""),
    ):
        status, text = run(capsys, warehouse, words[0], name, *words[1:])
        assert status == 0
        assert told in text.replace("\n", " ")
        rows = exported(capsys, warehouse)
        assert {tuple(r[c] for c in ("state", "note", "owner", "bug")) for r in rows} == {then}
    for words in (("list",), ("show", name)):
        text = " ".join(run(capsys, warehouse, *words)[1].replace("│", " ").split())
        assert "[b] is" in text
    assert f"bug {bug}" in text
    assert "acknowledged" in text
    (listed,) = json.loads(run(capsys, warehouse, "list", "--format", "json")[1])
    assert (listed["owner"], listed["bug"]) == ("", bug)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["show"], "an ID is required"),
        (["show", "nosuch"], "no regression 'nosuch'"),
        (["acknowledge", "nosuch", "--note", "x"], "no regression 'nosuch'"),
        (["acknowledge", "nosuch"], "--note is required"),
        (["acknowledge", "nosuch", "--note", " "], "--note is required"),
        (["note", "nosuch"], "--note, --owner or --bug is required"),
        (["reopen"], "an ID is required"),
        (["reopen", "nosuch"], "no regression 'nosuch'"),
        (["note", "nosuch", "--note", "x", "--by", "detector"], "not a person's name"),
        (["export", "--format", "table"], "no format 'table'; known: json or csv"),
        (
            ["show", "nosuch", "--format", "csv"],
            "no format 'csv'; known: table or json or markdown",
        ),
    ],
)
def test_wrong_usage_is_reported_in_one_line(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], words: list[str], reason: str
) -> None:
    status, text = run(capsys, warehouse, *words)
    assert status == 2
    assert reason in text
    assert text.count("\n") == 1


def test_without_regressions_the_lists_are_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Warehouse(tmp_path / "w.duckdb")
    steps.prepare(made)
    write_schema(made.regressions)
    assert json.loads(run(capsys, made, "list", "--format", "json")[1]) == []
    assert exported(capsys, made) == []


def test_the_list_is_also_json_and_csv(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (leader,) = [row for row in exported(capsys, warehouse) if row["leads"]]
    status, text = run(capsys, warehouse, "list", "--format", "json")
    (row,) = json.loads(text)
    assert status == 0
    same = ("regression_id", "onset_utc", "parts", "run_ids", "message", "before")
    assert {name: row[name] for name in same} == {name: leader[name] for name in same}
    assert row["open_members"] == 4
    everything = json.loads(run(capsys, warehouse, "list", "--all", "--format", "json")[1])
    assert {row["group_id"] for row in everything} == {leader["group_id"]}
    assert len(everything) == 4
    heading, line = run(capsys, warehouse, "list", "--format", "csv")[1].splitlines()
    assert heading.split(",")[:3] == ["event_id", "changed_at", "regression_id"]
    assert leader["regression_id"] in line
