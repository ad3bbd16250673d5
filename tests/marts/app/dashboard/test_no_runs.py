"""What pages say on a warehouse of systems' records without benchmark runs."""

import shlex
import shutil
from datetime import datetime

import duckdb
import pytest

from app.cli.main import main
from app.dashboard.navigation import view_of
from app.dashboard.no_runs import run_add
from app.results.queries.recorded import Recorded, has_runs, recorded
from app.results.reader import Reader
from ingest.lake.warehouse import Warehouse

NEED_RUNS = {"today", "regressions", "comparison", "runs", "run", "cost"}
NEED_NONE = {"usage", "lpars", "address-spaces", "simulator", "published"}


@pytest.mark.parametrize("path", sorted(NEED_RUNS | NEED_NONE))
def test_page_without_runs_is_drawn_or_says_how_to_declare_one(path, no_runs, open_page):
    page = open_page(view_of(path), no_runs)
    assert not page.exception
    declared = [code.value for code in page.code if code.value.startswith("perfhouse run-add")]
    assert bool(declared) == (path in NEED_RUNS)
    assert not any("perfhouse simulate" in code.value for code in page.code)
    if declared:
        lines = declared[0].splitlines()
        assert len([line for line in lines if "run-add" in line]) >= 1
        assert [line.split()[1] for line in lines[-3:]] == ["build", "check", "publish"]
        assert all(f"--warehouse {no_runs}" in line for line in lines)


def test_shown_command_declares_a_run(no_runs, open_page, tmp_path, capsys):
    page = open_page(view_of("cost"), no_runs)
    command = page.code[0].value.splitlines()[0]
    elsewhere = command.replace(str(no_runs), str(tmp_path / "w.duckdb"))
    assert main(shlex.split(elsewhere)[1:]) == 0
    assert "declared run production-" in capsys.readouterr().out


def test_what_speaks_against_a_run_is_said(bundled, tmp_path, capsys):
    copy = tmp_path / bundled.name
    shutil.copyfile(bundled, copy)
    shutil.copytree(Warehouse(bundled).lake, Warehouse(copy).lake, symlinks=True)
    run = ["--campaign", "c", "--start", "2010-01-01T00:00:00Z", "--stop", "2010-01-01T01:00:00Z"]
    run += ["--lpar", "NOSUCH", "--origin", "simulated", "--warehouse", str(copy)]
    assert main(["run-add", *run]) == 0
    said = capsys.readouterr().out
    assert "warning: no records of NOSUCH are published: there are some of " in said
    assert "warning: no records of that time are published" in said


def test_what_is_filled_in_is_covered_by_records(no_runs):
    known = recorded(Reader(no_runs))
    assert not has_runs(Reader(no_runs))
    with duckdb.connect(str(no_runs), read_only=True) as db:
        systems, last = db.execute(
            "select list_sort(list(distinct system_id)), max(interval_end_utc)"
            " from marts.fct_processor_interval"
        ).fetchone()
    assert known.has_cpu and known.last >= last
    assert set(known.systems) <= set(systems)


@pytest.mark.parametrize(
    ("origin", "has_cpu", "build", "ending"),
    [
        ("measured", True, "", "--lpar 'S$1'"),
        ("measured", False, "", "T00:00:00Z"),
        ("simulated", True, "b2", "--label git_revision=b2 --origin simulated"),
    ],
)
def test_command_says_what_is_known(origin, has_cpu, build, ending):
    start = datetime(2026, 3, 1, 23)
    command = run_add(Recorded(origin, has_cpu, ("S$1",), start, start), start, build)
    assert "--start 2026-03-01T23:00:00Z --stop 2026-03-02T00:00:00Z" in command
    assert command.endswith(ending)
    assert ("--lpar" in command) == has_cpu
