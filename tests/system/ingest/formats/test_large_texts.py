"""Texts of many megabytes are read in bounded CPU time and memory."""

import re
import resource

import pytest

from ingest.formats.bench import mft
from ingest.formats.parsers import PARSERS
from ingest.formats.rmf import reports
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.kit.bench_excerpts import content
from tests.kit.rmf_excerpts import text

MANY = 70_000


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("mft_failed.xml", r"(?s)\s*<item .*?</item>"), ("mft_log.txt", r"(?m)^.*TPRO.*\n")],
)
def test_a_transfer_of_70_000_files_is_read(name, pattern):
    one = content(name).decode()
    item = re.search(pattern, one)[0]
    parsed = mft.parse(one.replace(item, item * MANY, 1).encode())
    assert parsed.rejected == []
    assert parsed.tables["bench_mft_item"].height == MANY + 1
    assert parsed.tables["bench_mft_transfer"].height == 2


@pytest.mark.parametrize(
    ("name", "table", "rows"),
    [("top_fields.txt", "bench_top_process", 2), ("ioping_0_9.txt", "bench_ioping", 2),
     ("amqsrua_queue_45.txt", "bench_amqsrua", 3), ("free_old.txt", "bench_free", 20)],
)  # fmt: skip
@pytest.mark.parametrize("line", ["x y z", "( " * 250, "a" * 500])
def test_20_000_lines_are_read(name, table, rows, line):
    known = content(name)
    (parser,) = [parser for parser in PARSERS if parser.recognise(known)]
    parsed = parser.parse(known + (line + "\n").encode() * 20_000)
    assert parsed.tables[table].head(rows)["record_no"].max() <= known.count(b"\n")


def test_50_mb_of_xml_are_read_in_bounded_memory():
    whole = text("cpu.xml")
    begin, end = whole.index("<postprocessor>"), whole.index("</ddsml>")
    count = 50 * 2**20 // (end - begin)
    xml = (whole[:begin] + whole[begin:end] * count + "</ddsml>").encode()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = reports.parse(xml)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert found.rejected == []
    assert found.tables["rmf_cpu"].height == 3 * count
    assert grown < 2000


def test_70_000_rejected_lines_are_set_aside(tmp_path):
    head = b"--- . (ext4 /dev/vda) ioping statistics ---\n"
    (tmp_path / "a.txt").write_bytes(head + b"what is this\n" * MANY)
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    load_file(warehouse, tmp_path / "a.txt")
    with warehouse.connect() as db:
        found = db.execute(
            "SELECT count(*), max(record_no), max(file_offset) FROM raw.quarantine"
        ).fetchone()
    assert found == (MANY, MANY + 1, len(head) + 13 * (MANY - 1))
