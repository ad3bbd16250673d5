"""Records without descriptor words: where they end, and files of them."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats.binary.extent import extent
from ingest.formats.binary.framing import Framing, detect_framing, read_batches
from ingest.formats.binary.records import decode_batch
from ingest.formats.binary.write import frame_records
from tests.kit.zos_records import DATA_SETS, EXAMPLES, RECORDS, example, made


@pytest.mark.parametrize("key", EXAMPLES)
def test_a_record_ends_with_its_last_section(key: tuple[int, int]) -> None:
    record, _ = example(key)
    buffer = bytearray(b"\x77" * 9 + record + record)
    assert extent(buffer, 9, 2 * len(record), RECORDS) == len(record)


@pytest.mark.parametrize("key", EXAMPLES)
def test_part_of_a_record_never_looks_complete(key: tuple[int, int]) -> None:
    record, _ = example(key)
    for available in range(24, len(record)):
        found = extent(bytearray(record[:available]), 0, available, RECORDS)
        assert found == 0 or found > available


def test_a_record_of_an_unknown_type_has_no_extent() -> None:
    record, _ = example((30, 4))
    assert extent(bytearray(record), 0, len(record), {}) == 0
    assert extent(bytearray(record), 0, 20, RECORDS) == 0


@pytest.mark.parametrize("key", EXAMPLES)
@settings(max_examples=40)
@given(data=st.data())
def test_damage_has_an_extent_or_none(key: tuple[int, int], data: st.DataObject) -> None:
    record, _ = example(key)
    damaged = bytearray(record)
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(24, len(damaged) - 1))] = data.draw(
            st.sampled_from([0, 1, 4, 255])
        )
    assert extent(damaged, 0, len(damaged), RECORDS) >= 0


def test_an_endless_chain_is_not_followed_forever() -> None:
    (record,) = made((42, 6), DATA_SETS)
    job = int.from_bytes(record[36:40])
    first = int.from_bytes(record[job + 24 : job + 28])
    endless = bytearray(record)
    endless[first : first + 4] = first.to_bytes(4)
    assert 0 < extent(endless, 0, len(endless), RECORDS) <= len(endless)


def test_records_of_many_types_are_separated() -> None:
    records = [example(key)[0] for key in EXAMPLES] * 20
    content = b"".join(frame_records(records, framing=Framing.NONE))
    assert detect_framing(content, whole=True, records=RECORDS) is Framing.NONE
    assert detect_framing(content[:3000], whole=False, records=RECORDS) is Framing.NONE
    found = []
    for batch in read_batches(io.BytesIO(content), Framing.NONE, 5000, RECORDS):
        assert not batch.damages
        assert not decode_batch(batch, RECORDS).rejected
        found += batch.length.tolist()
    assert found == [len(record) for record in records]
