"""Merging small files changes nothing for readers; undoing a load removes only that load."""

import shutil

import duckdb
import pytest

from ingest.lake import folders, merged
from ingest.lake.folders import SCHEMA_FOLDER
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.kit import lakes


@pytest.fixture(scope="module")
def small(dumps):
    """Return the two smallest uncompressed dumps."""
    return sorted((d for d in dumps if d.suffix == ".smf"), key=lambda d: d.stat().st_size)[:2]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory, small):
    """A folder with six loads: two dumps, and each again with one and two more bytes at the end.

    And a copy of it, from which each test restores it in place, because its views contain the path.
    """
    folder = tmp_path_factory.mktemp("loaded")
    place, kept = folder / "place", folder / "kept"
    warehouse = Warehouse(place / "w.duckdb")
    warehouse.create()
    for i, dump in enumerate(small):
        for more in range(3):
            variant = folder / f"{i}.{more}"
            variant.write_bytes(dump.read_bytes() + bytes(more))
            load_file(warehouse, variant, "simulated")
    shutil.copytree(place, kept, symlinks=True)
    return place, kept, everything(warehouse)


@pytest.fixture
def before(loaded):
    """What is in the tables before a test changes anything."""
    return loaded[2]


@pytest.fixture
def warehouse(loaded):
    """The six loads."""
    place, kept, _ = loaded
    shutil.rmtree(place)
    shutil.copytree(kept, place, symlinks=True)
    return Warehouse(place / "w.duckdb")


def everything(warehouse):
    """Return a digest of the rows of each raw table that has some, and their order in each file."""
    with warehouse.connect() as db:
        digests = {}
        for table in lakes.tables_with_rows(warehouse):
            digests[table] = db.execute(
                f"SELECT count(*), bit_xor(hash(t)), sum(hash(t)::HUGEINT) FROM raw.{table} t"
            ).fetchall()
        order = db.execute("SELECT source_id, list(record_no) FROM raw.smf_record GROUP BY ALL")
        return digests, sorted(order.fetchall())


def files_of(warehouse):
    return sum(1 for _ in warehouse.raw.glob("*/*.parquet"))


def test_a_merge_keeps_every_row_and_their_order(warehouse, before):
    files = files_of(warehouse)
    assert warehouse.store.compact(enough=2) == 6
    assert everything(warehouse) == before
    assert files_of(warehouse) < files


def test_too_few_loads_are_left_alone_and_a_killed_merge_leaves_nothing(warehouse):
    raw = warehouse.raw.resolve()
    (warehouse.staging / f".merge.draft-{'0' * 16}").mkdir(parents=True)
    assert warehouse.store.compact(enough=7) == 0
    assert warehouse.raw.resolve() == raw
    assert [*warehouse.staging.iterdir()] == []


def test_merged_content_is_not_loaded_again(warehouse, small, before):
    warehouse.store.compact(enough=2)
    assert load_file(warehouse, small[0]).status == "duplicate"
    assert everything(warehouse) == before


def test_later_loads_are_merged_into_their_own_folder(warehouse, small, tmp_path):
    warehouse.store.compact(enough=2)
    for i in range(2):
        later = tmp_path / f"{i}.later"
        later.write_bytes(small[0].read_bytes() + bytes(5 + i))
        load_file(warehouse, later, "simulated")
    before = everything(warehouse)
    assert warehouse.store.compact(enough=2) == 2
    assert everything(warehouse) == before
    assert len([p for p in warehouse.raw.iterdir() if p.name.startswith("day-")]) == 2


def test_a_load_that_commits_during_a_merge_is_kept(warehouse, small, tmp_path, monkeypatch):
    later = tmp_path / "later"
    later.write_bytes(small[0].read_bytes() + b"\0\0\0")
    merge = merged.write_merged
    loaded = []

    def load_and_merge(*arguments):
        if not loaded:
            loaded.append(load_file(warehouse, later, "simulated"))
        merge(*arguments)

    monkeypatch.setattr(folders, "write_merged", load_and_merge)
    assert warehouse.store.compact(enough=2) == 6
    with warehouse.connect() as db:
        seen = db.execute("SELECT source_id FROM raw.ledger").fetchall()
    assert len(seen) == 7
    assert (loaded[0].source_id,) in seen


@pytest.mark.parametrize("merged", [False, True])
def test_a_load_is_undone_and_can_be_loaded_again(warehouse, small, merged, before):
    if merged:
        warehouse.store.compact(enough=2)
    loaded = load_file(warehouse, small[0])
    assert loaded.status == "duplicate"
    assert warehouse.forget(loaded.source_id)
    with warehouse.connect() as db:
        for table in before[0]:
            left = db.execute(
                f"SELECT count(*) FROM raw.{table} WHERE source_id = $1", [loaded.source_id]
            ).fetchall()
            assert left == [(0,)], table
        assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(5,)]
    assert not warehouse.forget(loaded.source_id)
    assert load_file(warehouse, small[0], "simulated").status == "loaded"
    after = everything(warehouse)
    assert after[1] == before[1]


def test_only_a_load_can_be_undone(warehouse, before):
    for name in ("_schema", "nothing", "", ".."):
        assert not warehouse.forget(name)
    assert everything(warehouse) == before


def test_the_last_load_of_a_merge_can_be_undone(warehouse):
    warehouse.store.compact(enough=2)
    with warehouse.connect() as db:
        loads = [s for (s,) in db.execute("SELECT source_id FROM raw.ledger").fetchall()]
    for source_id in loads:
        assert warehouse.forget(source_id)
    assert {p.name for p in warehouse.raw.iterdir()} == {"_schema"}


def test_loads_are_merged_into_folders_of_a_limited_number(warehouse, monkeypatch, before):
    monkeypatch.setattr(folders, "_MOST", 4)
    assert warehouse.store.compact(enough=6) == 6
    with duckdb.connect() as db:
        loads = [
            db.read_parquet(f"{folder}/ledger.0.parquet").shape[0]
            for folder in warehouse.raw.iterdir()
            if folder.name.startswith("day-")
        ]
    assert sorted(loads) == [2, 4]
    assert everything(warehouse) == before


def test_large_loads_are_not_merged(warehouse, monkeypatch):
    largest = max(
        sum(file.stat().st_size for file in folder.glob("*.parquet"))
        for folder in warehouse.raw.iterdir()
        if folder.name != SCHEMA_FOLDER
    )
    monkeypatch.setattr(folders, "_LARGE", largest)
    assert 0 < warehouse.store.compact(enough=1) < 6


@pytest.mark.parametrize("mark", ["{load}/merged-into", "_merged/loads/{load}"])
def test_marks_of_an_earlier_version_are_removed(warehouse, small, mark, before):
    warehouse.store.compact(enough=2)
    for load in warehouse.loads():
        file = warehouse.raw / mark.format(load=load)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("day-2026-01-01.0")
    (warehouse.lake / "format").unlink()
    warehouse.create()
    assert load_file(warehouse, small[0]).status == "duplicate"
    assert warehouse.store.compact(enough=1) == 0
    assert everything(warehouse) == before


def test_a_merge_adds_no_file_per_load(warehouse):
    warehouse.store.compact(enough=2)
    folders = {p.name for p in warehouse.raw.iterdir()}
    assert len(folders) == 2
    assert "_schema" in folders


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w.store.compact(enough=2),
        lambda w: w.forget("none"),
    ],
)
def test_what_a_killed_change_left_is_removed_by_the_next(warehouse, change):
    left = warehouse.staging / ".merge.draft-0123456789abcdef" / "day-2026-01-01.0"
    left.mkdir(parents=True)
    (left / "smf_record.0.parquet").write_bytes(b"half")
    change(warehouse)
    assert not list(warehouse.staging.iterdir())
