"""Damaged files of every kind are read to the end, and lose no good record before the damage.

The same with tens of thousands of mutants: python -m tests.bench fuzz.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.formats.binary.framing import Framing, RecordBatch, read_batches
from ingest.lake.warehouse import Warehouse
from tests.kit import damaged as mutants
from tests.kit import framings

MUTANTS, LOADED = 220, 8
CHUNK = 1 << 16

given_settings = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def dump(dumps: list[Path]) -> bytes:
    return framings.longest_plain(dumps)


@pytest.fixture(scope="module")
def bases(dump: bytes) -> list[mutants.Base]:
    return mutants.make_bases(dump)


def test_mutants_lose_no_good_record(bases: list[mutants.Base]) -> None:
    broken = {}
    for seed in range(MUTANTS):
        base, mutation, content = mutants.mutate(seed, bases)
        try:
            mutants.examine(base, content, CHUNK)
        except Exception as error:
            broken[seed, base.name, mutation] = repr(error)
    assert not broken


def test_every_mutation_changes_something(bases: list[mutants.Base]) -> None:
    seen: set[str] = set()
    for seed in range(MUTANTS):
        base, mutation, content = mutants.mutate(seed, bases)
        if content != base.content:
            seen.add(mutation)
    assert seen == {mutation.__name__ for mutation in mutants.MUTATIONS}


def test_loading_a_mutant_matches_reading_it(bases: list[mutants.Base], tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    for seed in range(LOADED):
        base, mutation, content = mutants.mutate(seed, bases)
        mutants.examine_load(base, content, warehouse, tmp_path / f"{seed}.{mutation}")


def test_a_file_with_damage_throughout_is_read(dump: bytes) -> None:
    for name, content in mutants.make_large(dump, 300_000):
        found = mutants.read(content)
        mutants.check_counts(found, len(content))
        assert found.damages, name


@given_settings
@given(content=st.binary(max_size=300))
def test_any_bytes_can_be_read(content: bytes) -> None:
    mutants.check_counts(mutants.read(content, CHUNK), len(content))


@given_settings
@given(data=st.data())
def test_bytes_spliced_into_a_dump_lose_no_good_record(
    data: st.DataObject, bases: list[mutants.Base]
) -> None:
    base = data.draw(st.sampled_from(bases))
    places = st.integers(0, len(base.content)) | st.sampled_from(base.ends)
    begin, end = sorted((data.draw(places), data.draw(places)))
    middle = data.draw(st.binary(max_size=40) | st.sampled_from([bytes(4), b"\0\x12\0\0"]))
    mutants.examine(base, base.content[:begin] + middle + base.content[end:], CHUNK)


# --- where a window ends makes no difference


def everything(content: bytes, framing: Framing, chunk: int) -> tuple[list[object], list[object]]:
    """Return records (number, position, bytes) and damages of a file read by `chunk` bytes."""

    def records(batch: RecordBatch) -> Iterator[object]:
        for i in range(len(batch.start)):
            yield int(batch.record_no[i]), int(batch.file_offset[i]), batch.content(i)[4:]

    found: list[object] = []
    damages: list[object] = []
    for batch in read_batches(io.BytesIO(content), framing, chunk):
        found += records(batch)
        damages += batch.damages
    return found, damages


@pytest.mark.parametrize("name", ["rdw", "rdw, spanned", "bdw", "none"])
def test_windows_of_any_size_give_the_same_records(name: str, bases: list[mutants.Base]) -> None:
    (base,) = [b for b in bases if b.name == name]
    framing = base.found.framing
    assert framing
    content = base.content * (3_000_000 // len(base.content) + 1)
    whole = everything(content, framing, 1 << 23)
    assert len(whole[0]) % len(base.ends) == 0
    for chunk in (1, 300_000, 1_000_001):
        assert everything(content, framing, chunk) == whole
