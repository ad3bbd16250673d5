"""Transfers of MFT: other forms of the excerpts, and what is left out."""

from datetime import datetime

import pytest

from ingest.formats.bench.mft import parse
from tests.kit.bench_excerpts import content


def test_times_of_another_zone_are_turned_into_utc():
    there = content("mft_single.xml").replace(b"26.484Z", b"26.484+02:00")
    times = parse(there).tables["bench_mft_transfer"]["time_utc"].to_list()
    assert times[0] == datetime.fromisoformat("2011-01-26T11:03:26.484")


def test_both_sizes_of_a_file_in_the_log():
    other = content("mft_log.txt").replace(b"PRUEBA.TXT;0;file;delete", b"PRUEBA.TXT;7;file;delete")
    item = parse(other).tables["bench_mft_item"]
    assert item.select("source_bytes", "destination_bytes").rows() == [(7, 0), (0, 0)]


@pytest.mark.parametrize("name", ["mft_single.xml", "mft_log.txt"])
def test_ebcdic_and_other_line_ends_give_the_same_rows(name):
    plain = parse(content(name))
    for other in (content(name).decode().encode("cp037"), content(name).replace(b"\n", b"\r\n")):
        parsed = parse(other)
        assert parsed.rejected == []
        for table, frame in plain.tables.items():
            assert frame.equals(parsed.tables[table])


BOMB = b"""<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>"""


@pytest.mark.parametrize(
    ("damaged", "line", "reason"),
    [
        (lambda text: text.replace(b"</transaction>", b"", 1), 2, "<transaction> has no end"),
        (lambda text: text.replace(b'"2011-01-26T13:03:26.542Z"', b'"soon"'), 26, "has no time"),
        (lambda text: text.replace(b"</metaDataSet>", b""), 2, "mismatched tag"),
        (lambda text: text.replace(b"<stats", b"<a>" * 40 + b"<stats"), 26, "nested deeper"),
        (lambda text: text.replace(b"<current ", BOMB + b"<current "), 26, "not a message"),
    ],
)
def test_a_damaged_message_is_left_out_and_the_others_are_kept(damaged, line, reason):
    parsed = parse(damaged(content("mft_single.xml")))
    (rejected,) = parsed.rejected
    assert rejected.line == line
    assert reason in rejected.reason
    assert parsed.tables["bench_mft_transfer"].height == 3


def test_a_damaged_line_of_the_logger_is_left_out():
    text = content("mft_log.txt").replace(b"[TPRO];0  ;/intercambio/entrada/MQ", b"[TPRO];0  ;", 1)
    parsed = parse(text[: text.rindex(b";STANDARD;Carlos")] + b"\nwhat is this\n")
    assert [rejected.line for rejected in parsed.rejected] == [6, 7]
    assert parsed.tables["bench_mft_item"].height == 2
