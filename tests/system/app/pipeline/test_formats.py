"""Warehouses that earlier releases made: opened, read once more, built, as if loaded today."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from app.cli.main import main
from app.pipeline import steps
from app.results.reader import Reader, UnreadableWarehouseError
from ingest.lake import views
from ingest.lake.catalogue import raw_schemas
from ingest.lake.warehouse import FORMAT, Warehouse
from ingest.loading import How, load_one
from tests.kit.stored import STORED, make, unpack
from tests.kit.tables import TIMES_OF_LOADS, different_tables

FORMATS = sorted(STORED.glob("format-*.tar.xz"))
#: A process that opens a warehouse, and is killed where it would call a function.
KILLED = """
import os, sys
from pathlib import Path
from ingest.lake import folders, warehouse
from ingest.lake.warehouse import Warehouse

file, name = sys.argv[1:]
places = {"rmtree": folders.shutil, "_write_format": Warehouse, "_write_schema": folders.Folders,
          "note_commit": warehouse}
setattr(places[name], name, lambda *_: os._exit(9))
Warehouse(Path(file)).create()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all stored warehouses are unpacked: loads keep the paths of their files."""
    return tmp_path_factory.mktemp("stored") / "place"


@pytest.fixture(scope="module")
def fresh(place: Path) -> Warehouse:
    """A warehouse of the same files, loaded by today's code."""
    sources = unpack(FORMATS[0], place).lake / "declared"
    made = Warehouse(place.with_name("fresh") / "w.duckdb")
    steps.prepare(made)
    for file in sorted(sources.iterdir()):
        load_one(made, file, How("simulated"))
    return made


@pytest.fixture(params=FORMATS, ids=lambda file: file.name.partition(".")[0])
def earlier(request: pytest.FixtureRequest, place: Path, fresh: Warehouse) -> Warehouse:
    shutil.rmtree(place)
    return unpack(request.param, place)


def content(warehouse: Warehouse) -> dict[str, tuple[Any, ...]]:
    """Return the number of rows and a digest of every raw table, without when a file was loaded.

    The views of a published file are those of the release that published it.
    """
    with duckdb.connect() as db:
        views.define(db, warehouse.lake, warehouse.store, commented=False)
        rows = {table: f"raw.{table}" for table in raw_schemas()}
        rows["ledger"] = "(SELECT * EXCLUDE (loaded_at) FROM raw.ledger)"
        digest = "SELECT count(*), bit_xor(hash(t)) FROM {} AS t"
        return {
            table: db.execute(digest.format(chosen)).fetchone() for table, chosen in rows.items()
        }


def test_every_format_is_stored() -> None:
    assert [f"format-{n}.tar.xz" for n in range(1, FORMAT + 1)] == [file.name for file in FORMATS]


#: Parts of paths in a lake that differ between two of the same format.
VARIABLE = {r"\b[0-9a-f]{64}\b": "<load>", r"\b\d{6}\b": "<n>", r"day-[-.\w]+": "day-<date>"}
MISREAD = f"""\
A release that knows format {FORMAT} would misread what this one writes. Keep names and types, or
make a new format: see "Change the format of the lake" in CONTRIBUTING.md. What is no longer so:
"""


def shape(warehouse: Warehouse) -> dict[str, str]:
    """Return what other releases rely on: columns, files and fields, each with its type."""
    found = {}
    with duckdb.connect() as db:
        for place in (warehouse.raw / "_schema", warehouse.audit, warehouse.regressions):
            for file in place.glob("*.parquet"):
                table = f"{place.name}/{file.name}"
                columns = db.execute("DESCRIBE FROM read_parquet($1)", [str(file)]).fetchall()
                found |= {f"column {name} of {table}": kind for name, kind, *_ in columns}
    for file in warehouse.lake.rglob("*"):
        name = str(file.relative_to(warehouse.lake))
        for pattern, instead in VARIABLE.items():
            name = re.sub(pattern, instead, name)
        kind = "link" if file.is_symlink() else "folder" if file.is_dir() else "file"
        if not name.startswith("declared"):
            found[f"{kind} {name}"] = fields(file) if file.suffix == ".json" else ""
    return found


def fields(file: Path) -> str:
    """Return the types in the first entry of a JSON file of the lake."""
    content = json.loads(file.read_bytes())
    first = content
    while isinstance(first, dict):
        first = next(iter(first.values()))
    first = first[0] if isinstance(content, list) else first
    return f"{type(content).__name__} of {[type(value).__name__ for value in first]}"


def no_longer(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return what one shape has, and another has not or has with another type."""
    return [
        f"{what}: {kind}".rstrip(": ") for what, kind in before.items() if now.get(what) != kind
    ]


def test_a_release_of_this_format_can_read_what_today_writes(place: Path, tmp_path: Path) -> None:
    """What is only added does no harm: queries and views name what they read."""
    shutil.rmtree(place, ignore_errors=True)
    broken = no_longer(shape(unpack(FORMATS[-1], place)), shape(make(tmp_path)))
    assert not broken, MISREAD + "\n".join(broken)


def test_what_is_renamed_retyped_or_removed_is_noticed() -> None:
    before = {"column a of t": "BIGINT", "column b of t": "DOUBLE", "file format": ""}
    assert no_longer(before, before | {"column c of t": "BIGINT"}) == []
    for changed in (
        {"column x of t": "BIGINT", "column b of t": "DOUBLE", "file format": ""},
        before | {"column a of t": "VARCHAR"},
    ):
        assert no_longer(before, changed) == ["column a of t: BIGINT"]
    assert no_longer(before, {k: v for k, v in before.items() if v}) == ["file format"]


def reload_all(warehouse: Warehouse) -> None:
    loads = steps.reload(warehouse, steps.outdated(warehouse, everything=True))
    assert {load.status for load in loads} == {"loaded"}
    assert steps.outdated(warehouse) == []


def test_a_warehouse_of_an_earlier_release_gives_the_rows_of_today(
    earlier: Warehouse, fresh: Warehouse
) -> None:
    steps.prepare(earlier)
    assert earlier.loads().keys() == fresh.loads().keys()
    reload_all(earlier)
    assert content(earlier) == content(fresh)


def test_the_oldest_gives_the_marts_of_today(place: Path, fresh: Warehouse) -> None:
    """The others have the same rows by then."""
    shutil.rmtree(place)
    oldest = unpack(FORMATS[0], place)
    steps.prepare(oldest)
    reload_all(oldest)
    for warehouse in (oldest, fresh):
        steps.build(warehouse)
    assert different_tables(fresh, oldest, without=TIMES_OF_LOADS) == []


def test_its_files_are_not_loaded_twice(earlier: Warehouse) -> None:
    loads = steps.ingest_paths(earlier, sorted((earlier.lake / "declared").iterdir()))
    assert {load.status for load in loads} == {"duplicate"}


@pytest.mark.parametrize("function", ["rmtree", "note_commit", "_write_format", "_write_schema"])
def test_a_kill_in_the_middle_of_a_migration_does_no_harm(
    place: Path, fresh: Warehouse, function: str
) -> None:
    shutil.rmtree(place)
    warehouse = unpack(FORMATS[0], place)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, warehouse.file, function],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert killed.returncode == 9
    steps.prepare(warehouse)
    assert (warehouse.lake / "format").read_text() == f"{FORMAT}\n"
    assert not (warehouse.raw / "_merged").exists()
    assert warehouse.loads().keys() == fresh.loads().keys()
    assert all(map(warehouse.store.holds, fresh.loads()))


def test_a_file_that_an_earlier_release_made_leads_to_the_commands_that_build_it(
    earlier: Warehouse, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = ["report", "capacity", "--out", str(tmp_path / "capacity.md")]
    reasons = ("another release of perfhouse published it", "nothing is published")
    for command in (["sql", "FROM marts.fct_run"], ["regressions"], report):
        assert main([*command, "--warehouse", str(earlier.file)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert any(f"{earlier.file}: {reason}" in line for reason in reasons)
        assert line.endswith(earlier.command("build", "check", "publish"))
    with pytest.raises(UnreadableWarehouseError, match="another release of perfhouse published it"):
        Reader(earlier.file).frame("FROM marts.fct_run")


def test_a_typing_error_is_named_as_such(
    fresh: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sql", "FROM raw.leger", "--warehouse", str(fresh.file)]) == 2
    assert capsys.readouterr().err.startswith("perfhouse: Catalog Error: Table with name leger")


def test_a_database_of_another_program_is_said_to_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "w.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute("CREATE TABLE t AS SELECT 1")
    assert main(["sql", "FROM raw.ledger", "--warehouse", str(file)]) == 2
    assert (
        "perfhouse did not make it, or its first release did (Catalog Error"
        in capsys.readouterr().err
    )
