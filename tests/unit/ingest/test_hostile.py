"""Files made to fill the memory or to stop a load: what is beyond the limits is set aside."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from app.pipeline import steps
from app.pipeline.places import ROOT
from app.pipeline.steps import StepError, ingest_paths
from ingest import load as loading
from ingest import writer
from ingest.formats.bench import ioping
from ingest.formats.limits import LIMITS, setting
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.kit import framings
from tests.kit.cases import cases

MB = 1 << 20
TOP = b"top - 10:00:00 up 1 day,  1 user,  load average: 0.00, 0.00, 0.00\n"
IOPING = b"--- . (ext4 /dev/vda) ioping statistics ---\n"
START, STOP = "2021-03-01T10:00:00Z", "2021-03-01T10:02:00Z"


def quarantine(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    with warehouse.connect() as db:
        return db.execute(
            "SELECT record_no, reason, octet_length(content) FROM raw.quarantine ORDER BY ALL"
        ).fetchall()


def manifest(*runs: dict[str, Any], **more: Any) -> bytes:
    named = [{"run_id": f"r{i}", "start": START, "stop": STOP} | run for i, run in enumerate(runs)]
    return json.dumps({"perfhouse_manifest": 1, "campaign": "c", "run": named} | more).encode()


def test_the_limits_are_documented() -> None:
    page = (ROOT / "docs/inputs.md").read_text(encoding="utf-8")
    for name, (default, meaning) in LIMITS.items():
        assert f"| `{setting(name)}` | {default:,} | {meaning} |" in page


# --- what is set aside


def test_a_long_text_is_read_up_to_the_limit(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_LIMIT_TEXT_MB", "1")
    line = b"4 KiB <<< . (ext4 /dev/vda): request=%d time=100 us\n"
    content = b"".join(line % i for i in range(1, 30_000))
    (tmp_path / "file").write_bytes(content)
    load = load_file(warehouse, tmp_path / "file")
    assert load.status == "partly"
    whole_lines = content[:MB].count(b"\n")
    assert load.records == whole_lines
    ((number, reason, _),) = quarantine(warehouse)
    assert number == 0
    assert reason.endswith("(PERFHOUSE_LIMIT_TEXT_MB): the rest was not read")


def test_results_beyond_the_limit_have_no_figures_of_their_first_part(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_LIMIT_LINES", "3")
    (tmp_path / "r.csv").write_bytes(b"start,p95_ms\n" + b"1767582000,1\n" * 4)
    load = load_file(warehouse, tmp_path / "r.csv")
    assert (load.status, load.rows) == ("quarantined", 0)
    assert "PERFHOUSE_LIMIT_LINES" in load.reasons[0]
    assert "give the tool's summary" in load.reasons[0]


def test_a_text_of_many_lines_is_read_up_to_the_limit(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_LIMIT_LINES", "100")
    monkeypatch.setattr(writer, "_ROWS", 30)
    for encoding, name in (("ascii", "a"), ("cp037", "b")):
        text = IOPING.decode() + "what is this\n" * 200
        (tmp_path / name).write_bytes(text.encode(encoding))
    load = load_file(warehouse, tmp_path / "a")
    assert load.quarantined == 100
    assert [number for number, *_ in quarantine(warehouse)] == [0, *range(2, 101)]
    with loading.open_source(tmp_path / "b") as source:
        content, reason = loading._text(source)
    assert content.count("\n".encode("cp037")) == 100
    assert "PERFHOUSE_LIMIT_LINES" in reason


def test_rejected_content_is_kept_up_to_the_limit(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_LIMIT_KEPT_MB", "1")
    (tmp_path / "file").write_bytes(IOPING + (b"x" * 59_999 + b"\n") * 30)
    load_file(warehouse, tmp_path / "file")
    kept = [length for *_, length in quarantine(warehouse)]
    assert len(kept) == 30
    assert sum(kept) == MB


def test_a_line_of_many_rejected_parts_is_kept_once(warehouse: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(manifest(*[{}] * 100))
    load_file(warehouse, tmp_path / "file")
    kept = [length for *_, length in quarantine(warehouse)]
    assert (len(kept), sum(length > 0 for length in kept)) == (99, 1)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"campaign": "a\0b"}, "run 2: key campaign is 'a\\x00b', which has a NUL"),
        ({"labels": {"note": "x" * 5000}}, "run 2: key labels.note is longer than 4096 characters"),
        ({"scope": {"lpars": ["A", "B" * 5000]}}, "run 2: key scope.lpars is longer than 4096"),
    ],
)
def test_a_run_with_an_impossible_name_is_left_out(
    changed: dict[str, Any], reason: str, warehouse: Warehouse, tmp_path: Path
) -> None:
    later = {"start": "2021-03-02T10:00:00Z", "stop": "2021-03-02T10:02:00Z"}
    (tmp_path / "file").write_bytes(manifest({}, later | changed))
    assert load_file(warehouse, tmp_path / "file").status == "partly"
    ((number, found, _),) = quarantine(warehouse)
    assert (number, found[: len(reason)]) == (2, reason)
    with warehouse.connect() as db:
        assert db.execute("SELECT run_id FROM raw.bench_run").fetchall() == [("r0",)]


def test_runs_beyond_the_limit_are_left_out(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_LIMIT_RUNS", "2")
    (tmp_path / "file").write_bytes(manifest(*({"scope": {"lpars": [f"L{i}"]}} for i in range(4))))
    load_file(warehouse, tmp_path / "file")
    ((number, reason, _),) = quarantine(warehouse)
    assert (number, reason[:27]) == (3, "runs from 3 on are left out")
    with warehouse.connect() as db:
        assert db.execute("SELECT count(*) FROM raw.bench_run").fetchall() == [(2,)]


def test_runs_with_too_many_values_are_left_out(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the file count for each run, so that a small file can have many."""
    monkeypatch.setenv("PERFHOUSE_LIMIT_RUN_VALUES", "100")
    labels = {f"l{i}": "v" for i in range(39)}
    runs = ({"scope": {"lpars": [f"L{i}"]}} for i in range(4))
    (tmp_path / "file").write_bytes(manifest(*runs, labels=labels))
    load_file(warehouse, tmp_path / "file")
    ((number, reason, _),) = quarantine(warehouse)
    assert (number, reason.partition(" (")[0]) == (3, "run 3 and later ones have too many values")


@pytest.mark.parametrize("value", ["a\0b", "x" * 5000])
def test_records_with_an_impossible_text_are_left_out_of_all_tables(value: str) -> None:
    tables = {
        "one": pl.DataFrame({"record_no": [1, 2, 3], "name": ["a", value, None]}),
        "other": pl.DataFrame({"record_no": [2, 2, 3], "value": [1.0, 2.0, 3.0]}),
    }
    kept, rejected = loading._keep_fitting(tables)
    assert kept["one"].rows() == [(1, "a"), (3, None)]
    assert kept["other"].rows() == [(3, 3.0)]
    assert [r.record_no for r in rejected] == [2]


@cases
def test_deep_nesting_is_refused(content: bytes, warehouse: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    assert load_file(warehouse, tmp_path / "file").status == "quarantined"


# --- faults


@pytest.mark.parametrize(
    "error", [KeyError("x"), RecursionError(), MemoryError(), SystemError("y")]
)
def test_a_file_that_a_parser_fails_on_is_set_aside(
    error: Exception, warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: bytes) -> None:
        raise error

    monkeypatch.setattr(ioping, "parse", fail)
    (tmp_path / "a").write_bytes(IOPING)
    (tmp_path / "b").write_bytes(manifest({}))
    loads = ingest_paths(warehouse, [tmp_path])
    assert [load.status for load in loads] == ["quarantined", "loaded"]
    ((_, reason, kept),) = quarantine(warehouse)
    assert reason.startswith(f"a fault of perfhouse: {type(error).__name__}")
    assert kept == len(IOPING)


def test_records_that_the_decoder_fails_on_leave_nothing_half_loaded(
    warehouse: Warehouse, dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise IndexError("5")

    monkeypatch.setattr(loading, "decode_part", fail)
    (load,) = ingest_paths(warehouse, [dumps[0]])
    assert (load.status, load.rows) == ("quarantined", 0)
    assert [reason for _, reason, _ in quarantine(warehouse)] == [
        "a fault of perfhouse: IndexError: 5"
    ]


@pytest.mark.parametrize("first", [1, 2, 20])
def test_a_disk_that_is_full_at_any_write_is_said_once_and_nothing_is_loaded(
    first: int, warehouse: Warehouse, dumps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(path: Path, content: bytes) -> int:
        written.append(path)
        return as_usual(path if len(written) < first else Path("/dev/full"), content)

    written: list[Path] = []
    as_usual = Path.write_bytes
    with monkeypatch.context() as patch:
        patch.setattr(steps, "prepare", lambda _: None)
        patch.setattr(Path, "write_bytes", write)
        with pytest.raises(StepError, match=r"w.lake/staging: No space left on device"):
            ingest_paths(warehouse, dumps[:2])
    assert len({path.parent for path in written}) == 1
    assert not list(warehouse.staging.iterdir())
    assert warehouse.loads() == {}
    assert {load.status for load in ingest_paths(warehouse, dumps[:2])} == {"loaded"}


def test_files_that_fail_are_named_and_the_others_loaded(
    warehouse: Warehouse, dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_source(path: Path, *more: Any) -> Any:
        if path.name == "a":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        if path.name == "b":
            path.unlink()
        return as_usual(path, *more)

    as_usual = loading.open_source
    monkeypatch.setattr(loading, "open_source", open_source)
    for name in ("a", "b", "d/e"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"content")
    (tmp_path / "d/ORIGIN").write_text("unknown")
    odd = tmp_path / os.fsdecode(b"odd\xff.smf")
    odd.write_bytes(framings.longest_plain(dumps)[:50_000])
    loads = {load.path.name: load for load in ingest_paths(warehouse, [tmp_path])}
    assert {name: load.reasons[0] for name, load in loads.items() if load.status == "failed"} == {
        "a": "Permission denied",
        "b": "No such file or directory",
        "e": f"{tmp_path}/d/ORIGIN: 'unknown' is not one of measured, simulated",
    }
    assert loads[odd.name].status == "partly"
    with warehouse.connect() as db:
        paths = db.execute("SELECT path FROM raw.ledger").fetchall()
    assert paths == [(f"{tmp_path}/odd\\xff.smf",)]
