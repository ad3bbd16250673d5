"""`perfhouse doctor` names what is wrong and how to put it right."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from app.cli.main import main
from app.pipeline import doctor, doctor_installation, steps
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import write_result
from ingest.base.errors import PerfhouseError
from ingest.lake.log import step
from ingest.lake.warehouse import FORMAT, Warehouse
from ingest.repair import repair
from tests.kit.broken_links import follow, lose
from tests.kit.manifests import load, manifest, merged, single
from tests.kit.warehouses import copied


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    made = load(tmp_path)
    with made.open_work():
        pass
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path / "home"))  # without a cache: last
    return made


def halve(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def a_late_check(warehouse: Warehouse) -> None:
    moment = datetime.now(UTC) + timedelta(days=1)
    passed = ExpectationOutcome("raw", "raw.t", "x", "", True, "fault", "", "")
    write_result(
        AuditResult(f"{moment:%Y%m%dT%H%M%S%f}-abcdef", "b", (passed,)), warehouse.audit, ""
    )


def a_notice(warehouse: Warehouse) -> None:
    (warehouse.lake / "outbox").mkdir()
    (warehouse.lake / "outbox" / "after-none.json").write_text(json.dumps({"faults": ["x"]}))


def failing_builds(times: int) -> Callable[[Warehouse], object]:
    def fail(warehouse: Warehouse) -> None:
        for _ in range(times):
            with pytest.raises(PerfhouseError), step(warehouse, "build"):
                raise PerfhouseError("dbt build failed: no room")

    return fail


def open_secrets(_: Warehouse) -> None:
    secrets = doctor_installation.home() / "secrets"
    secrets.mkdir(mode=0o755)
    (secrets / "sign-in.toml").touch(mode=0o644)


CASES: dict[str, tuple[Callable[[Warehouse], object], int, str, str]] = {
    "published file": (lambda w: halve(w.file), 1, "it is truncated", "perfhouse publish"),
    "working database": (lambda w: halve(w.work), 1, "it is truncated", "perfhouse build"),
    "load": (
        lambda w: halve(next(w.raw.glob("[!_]*/bench_run.0.parquet"))),
        1,
        "bench_run.0.parquet: it is truncated",
        "perfhouse build",
    ),
    "notice": (a_notice, 0, "1 is not accepted yet", "PERFHOUSE_NOTIFY"),
    "set aside": (
        lambda w: (w.lake / "damaged" / "x").mkdir(parents=True), 0,
        "1 damaged load or file was", "again",
    ),
    "a failure": (
        failing_builds(1), 0,
        "build failed or was interrupted once and never worked: dbt build failed: no room", "log",
    ),
    "failures": (failing_builds(2), 1, "build failed or was interrupted 2 times", "run it again"),
    "clock": (a_late_check, 0, "the last check was at", "set the clock"),
    "secrets": (open_secrets, 1, "others may read the secrets", "chmod 600"),
}  # fmt: skip


def test_a_warehouse_that_is_not_built_yet_has_no_fault(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--warehouse", str(warehouse.file)]) == 0
    printed = capsys.readouterr().out
    for said in ("does not show all loads", "perfhouse build", "last success (UTC): ingest 20",
                 "a build takes up to "):  # fmt: skip
        assert said in printed


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_named_with_its_fix(
    warehouse: Warehouse, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    change, status, found, fix = CASES[case]
    change(warehouse)
    before = {file: file.stat().st_mtime_ns for file in warehouse.lake.rglob("*")}
    capsys.readouterr()
    assert main(["doctor", "--warehouse", str(warehouse.file)]) == status
    printed = capsys.readouterr().out
    assert found in printed
    assert fix in printed
    assert status or "no faults found; " in printed
    assert {file: file.stat().st_mtime_ns for file in warehouse.lake.rglob("*")} == before


def test_a_full_disk_and_other_versions_are_named(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_installation, "_SPARE", 1 << 60)
    declared = [
        "duckdb<0.1", "rich>1",
        "streamlit==1 ; extra == 'installed'", "polars>1 ; extra == 'installed'",
        "numpy==1 ; extra == 'not-installed'", "absent>1 ; extra == 'not-installed'",
    ]  # fmt: skip
    monkeypatch.setattr(doctor_installation, "requires", lambda _: declared)
    faults = [one for one in doctor.examine(warehouse) if one.state == doctor_installation.FAULT]
    assert [one.about for one in faults] == ["packages", "disk"]
    assert "duckdb is 1" in faults[0].found
    assert "streamlit is 1" in faults[0].found
    assert not re.search("absent|numpy|polars|rich", faults[0].found)


def test_without_a_warehouse_it_says_how_to_make_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--warehouse", str(tmp_path / "none.duckdb")]) == 0
    assert "perfhouse run PATH" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_other_programs_misread_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "raw.duckdb"
    Warehouse(file).create()
    assert main(["doctor", "--warehouse", str(file)]) == 0
    assert f"ATTACH '{file}' AS w (READ_ONLY); USE w" in "".join(
        capsys.readouterr().out.split("\n")
    )
    with duckdb.connect() as db:
        db.execute(f"ATTACH '{file}' AS w (READ_ONLY); USE w")
        assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(0,)]
    with duckdb.connect(str(file), read_only=True) as db, pytest.raises(duckdb.BinderException):
        db.execute("SELECT count(*) FROM raw.ledger")


def remove(place: Path) -> None:
    shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()


def flip(file: Path, every: int) -> None:
    """Change a byte in the middle of each block of a file, whose size stays."""
    content = bytearray(file.read_bytes())
    for at in range(min(every, len(content)) // 2, len(content), every):
        content[at] ^= 0xFF
    file.unlink()  # it may be a link
    file.write_bytes(content)


def leave_nothing(warehouse: Warehouse) -> None:
    lose(warehouse)
    shutil.rmtree(warehouse.lake / "generations")


def cut_restore(warehouse: Warehouse) -> None:
    """Leave what a restore does when it is killed before it moves anything."""
    place = warehouse.file.with_name(f".{warehouse.file.name}.restore")
    place.mkdir()
    shutil.copytree(warehouse.lake, place / warehouse.lake.name, symlinks=True)
    shutil.copyfile(warehouse.file, place / warehouse.file.name)


def set_aside(warehouse: Warehouse) -> None:
    place = warehouse.file.with_name(f".{warehouse.file.name}.replaced.20260301T100000000000")
    shutil.copytree(warehouse.lake, place / warehouse.lake.name, symlinks=True)


def generation(loads: int) -> Callable[[Warehouse], None]:
    """Return what adds a generation that nothing uses, with loads that raw/ does not have."""

    def add(warehouse: Warehouse) -> None:
        place = warehouse.lake / "generations" / "000000"
        shutil.copytree(warehouse.raw.resolve(), place)
        for number in range(loads):
            shutil.copytree(single(warehouse), place / f"{number:064}")

    return add


def policy(text: str) -> Callable[[Warehouse], object]:
    return lambda warehouse: (warehouse.lake / "retention.toml").write_text(text)


def baselines(content: bytes) -> Callable[[Warehouse], None]:
    def write(warehouse: Warehouse) -> None:
        file = warehouse.file.with_name("baselines.toml")
        file.write_bytes(content)
        os.environ["PERFHOUSE_BASELINES"] = str(file)  # monkeypatch takes it back

    return write


Plant = Callable[[Warehouse], object]

#: What is planted, a part of the line that names it, and of its fix.
FAULTS: dict[str, tuple[Plant, str, str]] = {
    "no link": (lose, "perfhouse.lake/raw: the link to the loads is lost", "perfhouse build"),
    "a folder, not a link": (follow, "raw: a folder, and not a link", "perfhouse build"),
    "neither link nor loads": (leave_nothing, "its loads are gone, as there is no", ""),
    "an empty table is missing": (
        lambda w: remove(w.raw / "_schema/smf_record.0.parquet"),
        "_schema: smf_record.0.parquet: it is missing", "perfhouse build",
    ),
    "a ledger of merged loads is missing": (
        lambda w: remove(merged(w) / "ledger.0.parquet"),
        "ledger.0.parquet: it is missing", "perfhouse build",
    ),
    "a seal is damaged": (
        lambda w: (single(w) / "load.json").write_text("{"),
        "load.json: it is missing, or damaged", "perfhouse build",
    ),
    "a foreign file": (
        lambda w: shutil.copy(single(w) / "bench_run.0.parquet", single(w) / "bench_run.1.parquet"),
        "bench_run.1.parquet: it is not a file of this load", "perfhouse build",
    ),
    "merged loads are missing": (
        lambda w: remove(merged(w)), "june.toml: its load is gone from the lake", "perfhouse build"
    ),
    "a cut restore": (cut_restore, "duckdb: a restore was interrupted", "perfhouse build"),
    "a later format": (
        lambda w: (w.lake / "format").write_text(f"{FORMAT + 1}\n"),
        "a later release of perfhouse made it", "install that release",
    ),
    "a format that is no number": (
        lambda w: (w.lake / "format").write_text("three"), "not the number of a format", ""
    ),
    "a policy with an unknown key": (
        policy("[keep_days]\nrecord = 5\n"), "'record' is not known", "correct the file"
    ),
    "a policy that cannot be read": (
        lambda w: (w.lake / "retention.toml").mkdir(),
        "retention.toml: Is a directory", "correct the file",
    ),
    "baselines of another form": (
        baselines(b"baseline = 5"), "each baseline begins with", "correct the file"
    ),
    "merged loads are there twice": (
        lambda w: shutil.copytree(merged(w), merged(w).with_suffix(".7")),
        "2 loads in it are in another folder too", "perfhouse build",
    ),
    "a generation that nothing uses, with other loads": (
        generation(1), "has 1 load that is not in raw/", "rm -r"
    ),
}  # fmt: skip

#: As FAULTS; only --deep finds these.
DEEP: dict[str, tuple[Plant, str, str]] = {
    "rows of merged loads": (
        lambda w: flip(merged(w) / "bench_run.0.parquet", 1 << 20),
        "bench_run.0.parquet: its content has changed", "perfhouse reload",
    ),
    "working database": (lambda w: flip(w.work, 1 << 18), "work.duckdb: ", "perfhouse reload"),
    "published file": (lambda w: flip(w.file, 1 << 18), "perfhouse.duckdb: ", "perfhouse publish"),
}  # fmt: skip

#: What is no fault.
NOTES: dict[str, tuple[Plant, str, str]] = {
    "set aside by a restore": (set_aside, "the warehouse that a restore replaced", "rm -r"),
    "a generation that nothing uses": (generation(0), "all its loads are in raw/", "rm -r"),
}


@pytest.fixture
def whole(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """A copy of a warehouse with a build: two merged loads, and one of its own."""
    monkeypatch.setenv("PERFHOUSE_BASELINES", "")
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path / "home"))
    return copied(small, tmp_path / "copy")


#: What is planted together; each of the others hides some.
TOGETHER = [
    ["no link"],
    ["a folder, not a link"],
    ["neither link nor loads"],
    ["a later format"],
    ["a format that is no number"],
    ["a cut restore"],
    ["an empty table is missing", "a ledger of merged loads is missing", "a seal is damaged"],
    ["a generation that nothing uses, with other loads", "a policy with an unknown key",
     "baselines of another form"],
    ["a foreign file", "merged loads are missing", "a policy that cannot be read"],
    ["merged loads are there twice"],
    ["rows of merged loads", "working database"],
    ["published file"],
    list(NOTES),
]  # fmt: skip


def test_every_fault_is_planted() -> None:
    assert sorted(name for names in TOGETHER for name in names) == sorted(FAULTS | DEEP | NOTES)


@pytest.mark.parametrize("planted", TOGETHER, ids=lambda names: names[0])
def test_planted_faults_are_named_and_their_fixes_work(
    whole: Warehouse, planted: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    faults = [(FAULTS | DEEP | NOTES)[name] for name in planted]
    loads = whole.loads()
    for plant, _, _ in faults:
        plant(whole)
    before = state(whole.file.parent)
    look = ["doctor", *(["--deep"] if planted[0] in DEEP else []), "--warehouse", str(whole.file)]
    is_fault = planted[0] not in NOTES
    capsys.readouterr()
    assert main(look) == is_fault
    lines = capsys.readouterr().out.splitlines()
    assert state(whole.file.parent) == before
    advice = {}
    for _, found, fix in faults:
        at = next((number for number, line in enumerate(lines) if found in line), None)
        assert at is not None, (found, lines)
        assert lines[at][0] == "-!"[is_fault]
        advice[found] = lines[at + 1].strip() if fix else ""
        assert fix in advice[found]
    commands = {found: text for found, text in advice.items() if text.startswith("perfhouse ")}
    if not commands:
        return
    for command in dict.fromkeys(commands.values()):
        follow_advice(whole, command)
    capsys.readouterr()
    assert main(look) == (commands.keys() < advice.keys())
    left = [line for line in capsys.readouterr().out.splitlines() if line[0] == "!"]
    assert not any(found in line for found in commands for line in left), left
    assert whole.loads().keys() == loads.keys()


def follow_advice(warehouse: Warehouse, advice: str) -> None:
    """Run the commands that doctor printed, without an audit; of a build, what dbt comes after."""
    for command in advice.split("; "):
        _, name, *arguments = shlex.split(command)
        if name == "publish":
            warehouse.publish()
        elif name == "build":
            steps.heal(warehouse)
            repair(warehouse)
        elif name != "check":
            assert main([name, *arguments]) == 0


def test_a_lost_load_is_named_until_its_file_is_back(
    whole: Warehouse, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (load,) = steps.ingest_paths(whole, [file := manifest(tmp_path, "august")])
    loads = whole.loads()
    file.rename(away := file.with_suffix(".away"))
    (whole.raw / load.source_id / "bench_run.0.parquet").unlink()
    repair(whole)
    look = ["doctor", "--warehouse", str(whole.file)]
    assert main(look) == 1
    lines = capsys.readouterr().out.splitlines()
    away.rename(file)
    (at,) = (n for n, line in enumerate(lines) if "august.toml: its rows are lost, and so" in line)
    assert f"perfhouse forget lost-{load.source_id}" in lines[at + 1]
    follow_advice(whole, lines[at + 1].partition("run: ")[2].partition("; or")[0])
    assert main(look) == 0
    assert whole.loads().keys() == loads.keys()


def test_doctor_leaves_a_warehouse_as_it_was_copied(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(small.parent, tmp_path / "copy", symlinks=True)
    before = state(tmp_path)
    assert main(["doctor", "--warehouse", str(tmp_path / "copy" / small.name)]) == 0
    assert "it was moved or copied" in capsys.readouterr().out
    assert state(tmp_path) == before


def state(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return the size and time of each file and folder."""
    status = ((place, place.lstat()) for place in folder.rglob("*"))
    return {place: (one.st_size, one.st_mtime_ns) for place, one in status}


def test_each_fault_is_named_once(whole: Warehouse, capsys: pytest.CaptureFixture[str]) -> None:
    """A load without its ledger is also one that the last build knows and raw/ lacks."""
    (merged(whole) / "ledger.0.parquet").unlink()
    main(["doctor", "--warehouse", str(whole.file)])
    assert "1 fault found" in capsys.readouterr().out


def test_a_check_that_fails_is_a_finding(whole: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(doctor, "missing_loads", fail)
    said = [one for one in doctor.examine(whole) if one.state == doctor_installation.FAULT]
    assert [(one.about, "Input/output error" in one.found) for one in said] == [("damage", True)]
