"""One regression from its first night until it is fixed: manifests, ingest, dbt and judgement."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from app.cli.main import main
from app.pipeline import steps
from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from ingest.lake.warehouse import Warehouse

SLOW, FIXED = 20, 30


def manifest(file: Path, nights: range) -> Path:
    """Write one run per night of one configuration; its rate falls by 10 % and recovers."""
    random = np.random.default_rng(5)
    noise = np.exp(random.normal(0, 0.01, 100))
    runs = []
    for night in nights:
        start = datetime(2026, 1, 1, 22) + timedelta(days=night)
        rate = 100 * noise[night] * (0.9 if SLOW <= night < FIXED else 1.0)
        runs.append({
            "run_id": f"n{night:03}",
            "start": start.isoformat() + "Z",
            "stop": (start + timedelta(seconds=60)).isoformat() + "Z",
            "labels": {"git_revision": f"g{night:03}"},
            "measurement": [{"metric": "rate", "value": rate, "unit": "MB/s"}],
        })  # fmt: skip
    held = {"perfhouse_manifest": 1, "campaign": "life", "run": runs,
            "factors": {"source": "A", "target": "B"}}  # fmt: skip
    file.write_text(json.dumps(held))
    return file


def check(warehouse: Warehouse, build_id: str) -> list[tuple[str, str]]:
    """Build the marts and judge the runs; return (metric, state) of the campaign's events."""
    steps.build(warehouse)
    with warehouse.open_work() as db:
        events = judge_build(db, warehouse.regressions, build_id, read_limits()).events
    return [(row["metric"], row["state"]) for row in events if row["campaign"] == "life"]


class Person:
    """Somebody at a shell: what a command says, and its exit status."""

    def __init__(self, warehouse: Warehouse, capsys: pytest.CaptureFixture[str]) -> None:
        self._warehouse, self._capsys = warehouse, capsys

    def asks(self, *words: str, status: int = 0) -> str:
        """Return what `perfhouse regressions WORDS` says, on one line."""
        assert main(["regressions", *words, "--warehouse", str(self._warehouse.file)]) == status
        held = self._capsys.readouterr()
        return " ".join((held.out + held.err).split())


def finds_and_answers(ann: Person) -> str:
    """In the morning: find, read the cause, answer, correct the answer; return the ID."""
    (found,) = [r for r in json.loads(ann.asks("list", "--format", "json"))
                if r["campaign"] == "life"]  # fmt: skip
    name = found["regression_id"]
    assert (found["state"], found["onset_build"]) == ("new", f"g{SLOW:03}")
    assert name in ann.asks()
    story = ann.asks("show", name)
    assert "mostly outside the records, such as network or load driver" in story
    assert f"g{SLOW:03} is the first bad build" in story
    assert f"g{SLOW - 1:03} the last good one" in story
    ticket = ann.asks("show", name, "--format", "markdown")
    assert f"### Transfer rate {found['change_percent']:+.1f} % since g{SLOW:03}" in ticket

    ann.asks("false-alarm", name, status=2)  # it wants to know why
    ann.asks("false-alarm", name, "--note", "a backup ran", "--by", "ann")
    assert name not in ann.asks()
    ann.asks("acknowledge", name, "--note", "the new TLS library", "--owner", "bob", "--by", "ann")
    ann.asks("note", name, "--bug", "PERF-12", "--by", "bob")
    story = ann.asks("show", name)
    for words in ("acknowledged", "owner bob", "bug PERF-12", "a backup ran", "false alarm"):
        assert words in story
    assert name not in ann.asks()  # nothing is open
    assert name in ann.asks("list", "--all")
    return str(name)


def sees_it_fixed(ann: Person, name: str) -> None:
    """Ten nights later: it is fixed, since which run, and who looked after it is still known."""
    story = ann.asks("show", name)
    assert f"{name} fixed" in story
    assert f"n{FIXED:03}" in story
    assert "owner bob, bug PERF-12" in story
    assert "first bad build" not in story  # nobody has to look for it any more
    assert "it is fixed" in ann.asks("expect", name, "--note", "too late", status=2)


def test_a_regression_is_found_answered_corrected_and_later_fixed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    ann = Person(warehouse, capsys)

    def nights(first: int, end: int) -> list[tuple[str, str]]:
        steps.ingest_paths(warehouse, [manifest(tmp_path / f"{end}.json", range(first, end))])
        events = check(warehouse, f"b{end}")
        warehouse.publish()
        capsys.readouterr()
        return events

    assert nights(0, 26) == [("rate", "new")]
    name = finds_and_answers(ann)
    assert nights(26, 40) == [("rate", "fixed")]
    sees_it_fixed(ann, name)
    with warehouse.connect() as db:
        (state,) = db.execute(
            "SELECT state, onset_run_id, recovered_run_id, change_percent, is_open "
            "FROM meta.regression WHERE campaign = 'life'"
        ).fetchall()
    assert state[:3] == ("fixed", f"n{SLOW:03}", f"n{FIXED:03}")
    assert state[3] == pytest.approx(-10, abs=1)
    assert not state[4]
