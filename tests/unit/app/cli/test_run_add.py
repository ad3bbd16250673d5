"""The command `perfhouse run-add`: a run is kept as a manifest or rejected in one line."""

from pathlib import Path

import pytest

from app.cli.main import main
from ingest.lake.warehouse import Warehouse

RUN = {
    "--campaign": "late",
    "--start": "2026-03-01T10:00:00",
    "--stop": "2026-03-01T10:05:00",
    "--time-zone": "Europe/London",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a warehouse for all tests; a rejected run leaves nothing in it."""
    return tmp_path_factory.mktemp("declared")


@pytest.fixture(scope="module")
def add(folder: Path):
    """Run the command with the default options, changed and extended; return its exit status."""

    def call(*more: str, **changed: str | None) -> int:
        options = RUN | {f"--{name.replace('_', '-')}": v for name, v in changed.items()}
        flat = [part for pair in options.items() if pair[1] is not None for part in pair]
        return main(["run-add", *flat, *more, "--warehouse", str(folder / "w.duckdb")])

    return call


@pytest.fixture(scope="module")
def first(add) -> str:
    """The name of a run on MVS1 and MVS3 in the warehouse."""
    status = add(
        *("--factor", "file_size_mb=10", "--factor", "mode=binary", "--label", "mq_level=9.40"),
        *("--lpar", "MVS1", "--lpar", "MVS3", "--measurement", "bytes=1073741824:B"),
        repetition="2",
    )
    assert status == 0
    return "late-20260301T100000"


def shown(folder: Path, query: str) -> list[tuple]:
    with Warehouse(folder / "w.duckdb").connect() as db:
        return db.execute(query).fetchall()


def test_a_run_is_loaded_like_any_other(first, folder):
    of_run = f"WHERE run_id = '{first}' ORDER BY ALL"
    assert shown(
        folder,
        "SELECT repetition, epoch(stop_utc - start_utc), time_zone, origin "
        f"FROM raw.bench_run JOIN raw.ledger USING (source_id) {of_run}",
    ) == [(2, 300.0, "Europe/London", "measured")]
    assert shown(folder, f"SELECT factor, value FROM raw.bench_run_factor {of_run}") == [
        ("file_size_mb", "10"),
        ("mode", "binary"),
    ]
    assert shown(folder, f"SELECT value FROM raw.bench_run_label {of_run}") == [("9.40",)]
    assert shown(folder, f"SELECT name FROM raw.bench_run_scope {of_run}") == [
        ("MVS1",),
        ("MVS3",),
    ]
    assert shown(folder, f"SELECT metric, value, unit FROM raw.bench_measurement {of_run}") == [
        ("bytes", 1073741824.0, "B")
    ]
    assert list((folder / "w.lake/declared").glob(f"{first}-*.json"))


@pytest.mark.parametrize(
    ("more", "changed", "words"),
    [
        ((), {"stop": "2026-03-01T09:00:00"}, "not after the start"),
        ((), {"start": "soon"}, "key start"),
        ((), {"time_zone": "Mars/Olympus"}, "key time_zone"),
        ((), {"time_zone": None}, "has no offset"),
        (("--factor", "file_size=10"), {}, "did you mean file_size_mb?"),
        (("--factor", "mode"), {}, "'mode' is not NAME=VALUE"),
        (("--measurement", "bytes=many:B"), {}, "'bytes=many:B' is not METRIC=NUMBER:UNIT"),
        (("--measurement", "bytes=7"), {}, "'bytes=7' is not METRIC=NUMBER:UNIT"),
        (("--lpar", "MVS2"), {}, "run_id 'late-20260301T100000' is already in the warehouse"),
        (("--lpar", "MVS1"), {"run_id": "x"}, "overlaps run 'late-20260301T100000'"),
        ((), {"run_id": "x"}, "overlaps run 'late-20260301T100000'"),
    ],
)
def test_an_invalid_run_is_rejected(more, changed, words, add, first, folder, capsys):
    before = shown(folder, "SELECT count(*) FROM raw.bench_run")
    kept = len(list((folder / "w.lake/declared").iterdir()))
    capsys.readouterr()
    assert add(*more, **changed) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1
    assert words in printed.err
    assert shown(folder, "SELECT count(*) FROM raw.bench_run") == before
    assert len(list((folder / "w.lake/declared").iterdir())) == kept


def test_runs_on_other_lpars_at_other_times_and_of_another_origin_are_accepted(
    add, first, folder, capsys
):
    assert add("--lpar", "MVS2", run_id="beside") == 0
    assert add(start="2026-03-01T10:05:00", stop="2026-03-01T10:06:00", run_id="next") == 0
    assert add(origin="simulated", run_id=first) == 0
    assert "declared run" in capsys.readouterr().out
    names = shown(folder, "SELECT run_id FROM raw.bench_run ORDER BY ALL")
    assert names == [("beside",), (first,), (first,), ("next",)]
