"""`perfhouse regressions` on a small published warehouse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from expectations.regressions.store import Row, write_schema
from ingest.lake.warehouse import Warehouse


def run(capsys: pytest.CaptureFixture[str], warehouse: Warehouse, *words: str) -> tuple[int, str]:
    status = main(["regressions", *words, "--warehouse", str(warehouse.file)])
    held = capsys.readouterr()
    return status, held.out + held.err


def exported(capsys: pytest.CaptureFixture[str], warehouse: Warehouse) -> list[Row]:
    return list(json.loads(run(capsys, warehouse, "export")[1]))


def test_show_prints_history_location_and_runs(
    judged: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (leader,) = [row for row in exported(capsys, judged) if row["leads"]]
    status, text = run(capsys, judged, "show", leader["regression_id"])
    assert status == 0
    for words in ("History", "detector", "Location", "CHIN", leader["onset_run_id"], "first bad"):
        assert words in text


def test_show_writes_markdown_for_a_bug_tracker(
    judged: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (leader,) = [row for row in exported(capsys, judged) if row["leads"]]
    text = run(capsys, judged, "show", leader["group_id"], "--format", "markdown")[1]
    assert text.startswith(f"### Cost per GB +{leader['change_percent']:.1f} %")
    for words in ("**Next runs.** ", "| CHIN | address space |", "in 3 more figures"):
        assert words in text


def test_an_export_has_parts_and_plot(
    judged: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (leader,) = [row for row in exported(capsys, judged) if row["leads"]]
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
    lines = run(capsys, judged, "export", "--format", "csv")[1].splitlines()
    assert len(lines) == 1 + len(exported(capsys, judged))
    assert "plot" not in lines[0]


@pytest.mark.parametrize(
    ("act", "state"),
    [("acknowledge", "acknowledged"), ("expect", "expected"), ("false-alarm", "false alarm")],
)
def test_a_decision_closes_a_group_and_readers_see_it_at_once(
    judged: Warehouse, capsys: pytest.CaptureFixture[str], act: str, state: str
) -> None:
    (leader,) = [row for row in exported(capsys, judged) if row["leads"]]
    group = leader["group_id"]
    status, _ = run(capsys, judged, act, group, "--note", "a new cipher", "--by", "ann")
    assert status == 0
    rows = exported(capsys, judged)
    assert {(row["state"], row["note"], row["by"]) for row in rows} == {
        (state, "a new cipher", "ann")
    }
    assert not any(row["is_open"] for row in rows)
    assert group not in run(capsys, judged)[1]
    words = ("--note", "a new cipher")
    assert run(capsys, judged, act, group, *words) == (
        0,
        f"{group}: it has this answer already\n",
    )


def test_an_answer_is_corrected_and_taken_back(
    judged: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (leader,) = [row for row in exported(capsys, judged) if row["leads"]]
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
        status, text = run(capsys, judged, words[0], name, *words[1:])
        assert status == 0
        assert told in text.replace("\n", " ")
        rows = exported(capsys, judged)
        assert {tuple(r[c] for c in ("state", "note", "owner", "bug")) for r in rows} == {then}
    for words in (("list",), ("show", name)):
        text = " ".join(run(capsys, judged, *words)[1].replace("│", " ").split())
        assert "[b] is" in text
    assert f"bug {bug}" in text
    assert "acknowledged" in text
    (listed,) = json.loads(run(capsys, judged, "list", "--format", "json")[1])
    assert (listed["owner"], listed["bug"]) == ("", bug)


def test_without_regressions_the_lists_are_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Warehouse(tmp_path / "w.duckdb")
    steps.prepare(made)
    write_schema(made.regressions)
    assert json.loads(run(capsys, made, "list", "--format", "json")[1]) == []
    assert exported(capsys, made) == []


def test_the_list_is_also_json_and_csv(
    judged: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (leader,) = [row for row in exported(capsys, judged) if row["leads"]]
    status, text = run(capsys, judged, "list", "--format", "json")
    (row,) = json.loads(text)
    assert status == 0
    same = ("regression_id", "onset_utc", "parts", "run_ids", "message", "before")
    assert {name: row[name] for name in same} == {name: leader[name] for name in same}
    assert row["open_members"] == 4
    everything = json.loads(run(capsys, judged, "list", "--all", "--format", "json")[1])
    assert {row["group_id"] for row in everything} == {leader["group_id"]}
    assert len(everything) == 4
    heading, line = run(capsys, judged, "list", "--format", "csv")[1].splitlines()
    assert heading.split(",")[:3] == ["event_id", "changed_at", "regression_id"]
    assert leader["regression_id"] in line
