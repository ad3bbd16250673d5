"""The variable parts of the AMS record are found by doublets in its data section."""

from __future__ import annotations

from ingest.formats.layouts.ams import RECIPIENTS, SMF180_DATA, SMF180_PARTS, SMF180_RECIPIENT


def test_every_variable_part_has_its_doublet() -> None:
    prefixes = [p.prefix for p in SMF180_PARTS] + [RECIPIENTS.prefix]
    doublets = [f.name.removesuffix("_offset") for f in SMF180_DATA.fields if "_offset" in f.name]
    assert sorted(prefixes) == sorted(doublets)
    for prefix in prefixes:
        start, length = (SMF180_DATA.by_name[f"{prefix}_{x}"] for x in ("offset", "length"))
        assert (start.length, length.length, length.offset) == (4, 4, start.offset + 4)


def test_variable_parts_do_not_hide_a_column() -> None:
    assert not {p.name for p in SMF180_PARTS} & set(SMF180_DATA.by_name)
    assert {p.kind for p in SMF180_PARTS} == {"text", "bytes"}


def test_recipients_are_counted_and_measured() -> None:
    assert SMF180_DATA.by_name[RECIPIENTS.count].note == "recipients"
    assert RECIPIENTS.layout is SMF180_RECIPIENT
    (length,) = SMF180_RECIPIENT.fields
    assert (length.offset, length.length) == (0, SMF180_RECIPIENT.length)
    assert RECIPIENTS.text.offset == length.end
