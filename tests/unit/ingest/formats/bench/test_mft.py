"""Transfers of MFT: the content of messages and logger lines, and what is left out."""

import re
import time
from datetime import datetime

import pytest

from ingest.formats.bench.mft import parse, recognise
from tests.kit.bench_excerpts import content

SINGLE = "414d51205553322e42494e44494e47538b0f404d223d0020"
LOGGED = "414d5120535256505241474e20202020f409726502083525"


def rows(name, table, *columns):
    parsed = parse(content(name))
    assert parsed.rejected == []
    assert recognise(content(name)) == parsed.kind
    return parsed.tables[table].select(columns).rows()


def test_a_single_transfer_from_its_start_to_its_end():
    at = datetime.fromisoformat
    assert rows("mft_single.xml", "bench_mft_transfer", "record_no", "message", "action",
                "time_utc", "files", "bytes_sent", "elapsed_seconds", "result_code") == [
        (2, "transfer", "started", at("2011-01-26T13:03:26.484"), 1, 0, None, None),
        (26, "status", None, at("2011-01-26T13:03:26.542"), 1, 1198, 0.018, None),
        (45, "transfer", "progress", at("2011-01-26T13:03:26.615"), 1, 1198, None, None),
        (71, "transfer", "completed", at("2011-01-26T13:03:26.622"), 1, 1198, 0.081, 0),
    ]  # fmt: skip
    assert rows("mft_single.xml", "bench_mft_transfer", "transfer_id", "source_agent",
                "source_queue_manager", "source_system", "destination_system", "user_id",
                "retries", "file_failures", "file_warnings")[-1] == (
        SINGLE, "AGENT_JUPITER", "QM_JUPITER", None, None, "mqm", 0, 0, 0)  # fmt: skip


def test_times_of_another_zone_are_turned_into_utc():
    there = content("mft_single.xml").replace(b"26.484Z", b"26.484+02:00")
    times = parse(there).tables["bench_mft_transfer"]["time_utc"].to_list()
    assert times[0] == datetime.fromisoformat("2011-01-26T11:03:26.484")


def test_the_file_of_a_single_transfer():
    checksum = ("MD5", "2287181c07199f879de28296371cb24c")
    assert rows("mft_single.xml", "bench_mft_item", "message", "item_index", "mode", "source",
                "source_type", "source_bytes", "source_disposition", "source_checksum_method",
                "source_checksum", "destination", "destination_bytes",
                "destination_checksum_method", "destination_checksum", "transferred_bytes",
                "result_code") == [
        ("status", 0, None, "/etc/passwd", None, 1151, None, None, None, "/tmp/passwd", None, None,
         None, 1151, None),
        ("transfer", 0, "binary", "/etc/passwd", "file", 1151, "leave", *checksum, "/tmp/passwd",
         1151, *checksum, None, 0),
    ]  # fmt: skip


def test_a_transfer_of_several_files_that_partly_fails():
    exists = 'BFGIO0006E: File "C:\\destinationfiles\\dest1.doc" already exists.'
    assert rows("mft_failed.xml", "bench_mft_item", "item_index", "mode", "source", "source_type",
                "destination_bytes", "destination_exist", "result_code", "supplement") == [
        (2, "text", "C:\\sourcefiles\\source1.doc", "file", None, "error", 1, exists),
        (3, "text", "IN@QM1", "queue", 79, None, 0, None),
    ]  # fmt: skip
    assert rows("mft_failed.xml", "bench_mft_transfer", "action", "elapsed_seconds", "files",
                "result_code", "retries", "file_failures") == [
        ("progress", None, 4, None, None, None), ("completed", 1.0, 4, 20, 1, 1)]  # fmt: skip


def test_a_schedule():
    assert rows("mft_schedule.xml", "bench_mft_transfer", "transfer_id", "message", "action",
                "user_id", "result_code") == [("5", "schedule", "submit", "USER1", 0)]  # fmt: skip
    assert rows("mft_schedule.xml", "bench_mft_item", "source_checksum_method", "destination") == [
        ("MD5", "c:\\destinationfiles\\dest1.doc")
    ]


def test_lines_of_the_file_logger():
    agents = ("SRVPRAGN.AG", "SRVPRAGN", "BAN01AGN.AG", "BAN01AGN", "Carlos.Gomez")
    done = "BFGRP0032I: The file transfer request has successfully completed."
    assert rows("mft_log.txt", "bench_mft_transfer", "record_no", "transfer_id", "action",
                "source_agent", "source_queue_manager", "destination_agent",
                "destination_queue_manager", "user_id", "result_code", "supplement") == [
        (3, LOGGED, "started", *agents, None, None),
        (6, LOGGED, "completed", *agents, 0, done),
    ]  # fmt: skip
    assert rows("mft_log.txt", "bench_mft_item", "record_no", "source", "source_bytes",
                "source_disposition", "destination", "destination_exist", "result_code") == [
        (number, f"/intercambio/entrada/{name}", 0, "delete", f"/intercambio/salida/{name}",
         "overwrite", 0)
        for number, name in ((4, "ARCHIVO_DE_PRUEBA.TXT"), (5, "MQCONTROL.TXT"))
    ]  # fmt: skip


def test_both_sizes_of_a_file_in_the_log():
    other = content("mft_log.txt").replace(b"PRUEBA.TXT;0;file;delete", b"PRUEBA.TXT;7;file;delete")
    item = parse(other).tables["bench_mft_item"]
    assert item.select("source_bytes", "destination_bytes").rows() == [(7, 0), (0, 0)]


MANY = 70_000


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("mft_failed.xml", r"(?s)\s*<item .*?</item>"), ("mft_log.txt", r"(?m)^.*TPRO.*\n")],
)
def test_a_transfer_of_70_000_files_is_read_in_bounded_time(name, pattern):
    one = content(name).decode()
    item = re.search(pattern, one)[0]
    start = time.process_time()
    parsed = parse(one.replace(item, item * MANY, 1).encode())
    assert time.process_time() - start < 60
    assert parsed.rejected == []
    assert parsed.tables["bench_mft_item"].height == MANY + 1
    assert parsed.tables["bench_mft_transfer"].height == 2


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


@pytest.mark.parametrize("head", [b"", b"<?xml version='1.0'?><ddsml/>", b"<transaction x='1'>",
                                  b"2023-12-07T18:44:34;1;2\n"])  # fmt: skip
def test_other_files_are_not_recognised(head):
    assert recognise(head) is None
