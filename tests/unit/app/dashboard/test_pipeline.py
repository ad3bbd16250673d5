"""The steps on the page Loads, and their queries, on a log written by hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.dashboard.navigation import view_of
from app.results.queries import pipeline
from app.results.reader import Reader
from tests.kit.dashboard import HOSTILE, published

PAGE = view_of("loads")
INTERVALS = [
    f"create table marts.{mart} (origin varchar, {column} timestamp)"
    for mart, column in (
        ("fct_queue_manager_interval", "interval_end_utc"),
        ("fct_channel_initiator_interval", "interval_end_utc"),
        ("fct_task_accounting", "recorded_at_utc"),
    )
]
NOW = datetime.now(UTC).replace(hour=0, minute=1, second=0, microsecond=0)
MB = 1 << 20


def ended(step: str, ago: int, seconds: float | None, **more: object) -> dict[str, object]:
    """Return the last line of a step that began some days ago."""
    begun = NOW - timedelta(days=ago)
    status = more.pop("status", "ok")
    line = {
        "event": "ended", "step": step, "step_id": f"{step}{ago}{status}", "status": status,
        "begun": begun, "time": begun + timedelta(seconds=seconds or 9), "seconds": seconds,
    }  # fmt: skip
    return line | more


def failed_file(name: str, days: int, status: str = "failed") -> dict[str, object]:
    return {
        "event": "file", "file": name, "status": status, "message": f"denied to {name}",
        "time": NOW - timedelta(days=days),
    }  # fmt: skip


LINES = [
    ended("ingest", 40, 10, loads=1, bytes=MB, records=100),
    ended("ingest", 2, 10, loads=2, bytes=3 * MB, records=500, failures=1),
    ended("ingest", 1, 30, loads=1, bytes=MB, records=700),
    ended("build", 2, 4, is_whole=True, nodes=275),
    ended("build", 1, 2, days=1, nodes=200, is_whole=False),
    ended("publish", 2, 1, published_bytes=5 * MB, lake_bytes=9 * MB, lake_files=70),
    ended("check", 3, 6),
    ended("check", 2, 5, status="failed", message=f"no limits for {HOSTILE}"),
    ended("check", 1, None, status="interrupted", message="its process was ended"),
    {"event": "begun", "step": "reload", "step_id": "r", "begun": NOW, "time": NOW},
    failed_file("denied.smf", 3), failed_file("denied.smf", 2),
    failed_file("late.smf", 3), failed_file("late.smf", 2, "loaded"),
]  # fmt: skip


def with_log(folder: Path, lines: list[dict[str, object]]) -> Path:
    file = published(folder, *INTERVALS)
    text = "".join(f"{json.dumps(line, default=str)}\n" for line in lines)
    (file.with_suffix(".lake") / "log" / "2026-01-01.jsonl").write_text(text)
    return file


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_log(tmp_path_factory.mktemp("pipeline"), LINES)


def test_each_step_has_its_last_success_and_its_failures_since(file: Path) -> None:
    states = pipeline.states(Reader(file)).select("step", "status", "failed", "median_seconds")
    assert sorted(states.rows()) == [
        ("build", "ok", 0, 3.0),
        ("check", "interrupted", 2, 6.0),
        ("ingest", "ok", 0, 10.0),
        ("publish", "ok", 0, 1.0),
        ("reload", None, 0, None),
    ]


def test_loads_are_summed_by_day(file: Path) -> None:
    days = pipeline.by_day(Reader(file)).drop("day", "seconds")
    assert days.rows() == [
        (1, 0, MB, 700, 0, 700 / 30),
        (2, 1, 3 * MB, 500, 0, 50.0),
        (1, 0, MB, 100, 0, 10.0),
    ]
    since = (NOW - timedelta(days=7)).replace(tzinfo=None)
    assert pipeline.by_day(Reader(file), since).height == 2


def test_builds_say_what_they_built(file: Path) -> None:
    times = pipeline.times(Reader(file)).filter(series="build").select("value", "how")
    assert times.rows() == [(4.0, "everything"), (2.0, "1 day")]


def test_files_that_were_loaded_later_have_not_failed(file: Path) -> None:
    failed = pipeline.failed_files(Reader(file)).select("file", "tries", "reason")
    assert failed.rows() == [("denied.smf", 2, "denied to denied.smf")]


def test_page_says_what_fails_and_what_to_run(file: Path, open_page) -> None:
    page = open_page(PAGE, file)
    assert not page.exception
    (problem,) = page.warning
    assert "The step check failed or was interrupted 2 times since it last worked" in problem.value
    assert "its process was ended" in problem.value
    assert "perfhouse doctor" in page.code[0].value
    tiles = {metric.label: metric.value for metric in page.metric}
    assert tiles["Lake"] == "9 MB"
    steps, failed = (table.value for table in page.dataframe)
    assert dict(zip(steps.step, steps.state, strict=True))["reload"] == "interrupted"  # not here
    assert list(failed.file) == ["denied.smf"]
    assert len(page.get("vega_lite_chart")) == 4


def test_page_does_not_take_a_reason_for_markdown(tmp_path: Path, open_page) -> None:
    failed = ended("check", 1, 5, status="failed", message=f"no limits for {HOSTILE}")
    page = open_page(PAGE, with_log(tmp_path, [failed]))
    assert not page.exception
    assert "[b](" not in page.warning[0].value


def test_page_without_steps_says_what_to_run(tmp_path: Path, open_page) -> None:
    page = open_page(PAGE, published(tmp_path, *INTERVALS))
    assert not page.exception
    assert "Nothing is loaded yet" in page.info[0].value
    assert "perfhouse run PATH" in page.code[0].value
