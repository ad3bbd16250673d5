from __future__ import annotations

from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl
import pytest

from expectations.regressions import store
from expectations.regressions.finding import LEVEL, Finding, Key
from tests.kit.cases import cases
from tests.kit.regression_rows import row


def test_last_event_of_a_regression_is_its_current_state(tmp_path: Path) -> None:
    store.write_schema(tmp_path)
    assert store.read_current(tmp_path) == []
    store.write_events([row(), row(name="g.2")], tmp_path)
    store.write_events([row("fixed")], tmp_path)
    assert [(r["regression_id"], r["state"]) for r in store.read_current(tmp_path)] == [
        ("g.2", "new"),
        ("g.1", "fixed"),
    ]
    events = duckdb.sql(f"FROM read_parquet('{tmp_path}/*.parquet') ORDER BY event_id").pl()
    assert dict(events.schema) == store.SCHEMA
    assert events["state"].to_list() == ["new", "new", "fixed"]
    assert events["change_percent"][0] == pytest.approx(-10)
    assert events["detector_version"][0] == store.detector_version()


def test_events_of_an_earlier_release_have_no_owner_and_no_bug(tmp_path: Path) -> None:
    (event,) = store.write_events([row()], tmp_path)
    (file,) = tmp_path.iterdir()
    pl.read_parquet(file).drop("owner", "bug").write_parquet(file)
    store.write_events([row(name="g.2", owner="ann", bug="MQ-7")], tmp_path)
    known = [("g.1", "", ""), ("g.2", "ann", "MQ-7")]
    for rows in (store.read_current(tmp_path), store.events_after(tmp_path, "")):
        assert [(r["regression_id"], r["owner"], r["bug"]) for r in rows] == known
    assert store.events_after(tmp_path, event["event_id"])[0]["regression_id"] == "g.2"


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    store.write_events([row()], tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(OSError, match=file.name):
        store.read_current(tmp_path)


def test_no_events_write_no_file(tmp_path: Path) -> None:
    assert store.write_events([], tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_unfinished_file_of_a_killed_process_is_not_read(tmp_path: Path) -> None:
    store.write_events([row()], tmp_path)
    (tmp_path / ".20260101T000000-aa.parquet.1.tmp").write_bytes(b"PAR1")
    assert len(store.read_current(tmp_path)) == 1


@cases
def test_message_has_size_and_interval(
    before: float, after: float, low: float, high: float, words: str
) -> None:
    finding = Finding(
        LEVEL,
        Key("simulated", "nightly", "c1", "rate", "MVS1", "CHIN"),
        "A > B",
        "r7",
        datetime(2026, 1, 8),
        "g7",
        8,
        unit="MB/s",
        before=before,
        after=after,
        low=low,
        high=high,
    )
    assert words in finding.message
    assert finding.message.startswith("Transfer rate of CHIN on MVS1, A > B (nightly, simulated): ")
