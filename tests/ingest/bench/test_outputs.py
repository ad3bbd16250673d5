"""Outputs of tools: what each excerpt says, what is passed over, and that nothing raises."""

from datetime import datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.bench import amqsrua, harness, manifest, measurements, mft, mqsc
from ingest.published import CELL
from tests.ingest.bench.excerpts import EXCERPTS, FOLDER, content

at = datetime.fromisoformat
PARSERS = (manifest, measurements, mft, amqsrua, harness, mqsc)
PUBLISHED = at("2019-03-03T18:21:10.99")

#: File, table, columns, rows.
EXPECTED = [
    ("amqsrua_log.txt", "bench_amqsrua",
     ("record_no", "time_utc", "interval_seconds", "metric", "value", "unit", "rate_per_second"),
     [(number, at("2019-03-03T18:20:10.13"), 10.0, *row) for number, row in enumerate((
         ("Log - bytes in use", 50331648, None, None),
         ("Log - bytes max", 83886080, None, None),
         ("Log file system - bytes in use", 16434135040, None, None),
         ("Log file system - bytes max", 19549782016, None, None),
         ("Log - physical bytes written", 33718272, None, 3371827),
         ("Log - logical bytes written", 5418954, None, 541895),
         ("Log - write latency", 994, "us", None),
         ("Log - write size", 4099, None, None)), 3)]),
    ("amqsrua_document.txt", "bench_amqsrua", ("time_utc", "metric", "value", "rate_per_second"),
     [(None, "Log - physical bytes written", 703823872, 35840850),
      (None, "Log - logical bytes written", 659445800, 33580984),
      (None, "Log - write latency", 700, None), (None, "Log - write size", 34716, None)]),
    ("amqsrua_queue.txt", "bench_amqsrua",
     ("time_utc", "interval_seconds", "class", "type", "object", "metric", "value", "unit",
      "rate_per_second"),
     [(PUBLISHED, 62.5, "STATQ", "PUT", "PERF.Q1", *row) for row in (
         ("MQPUT/MQPUT1 count", 6250, None, 100), ("MQPUT byte count", 0, None, None),
         ("lock contention", 1.25, "%", None), ("queue avoided puts", 0, "%", None),
         ("average queue time", 412, "us", None))]),
    ("amqsrua_cpu.txt", "bench_amqsrua", ("class", "type", "object", "metric", "value", "unit"),
     [("CPU", "SystemSummary", None, *row) for row in (
         ("User CPU time percentage", 19.01, "%"), ("System CPU time percentage", 9.66, "%"),
         ("CPU load - one minute average", 1.27, None), ("RAM total bytes", 15988, "MB"))]),
    ("cph.txt", "bench_harness",
     ("record_no", "harness", "kind", "process_id", "interval_no", "rate_per_second",
      "iterations", "seconds", "threads"),
     [(1, None, "interval", "0", 1, 2401.5, None, None, 2),
      (2, None, "interval", "1", 1, 2534, None, None, 2),
      (3, None, "interval", "0", 2, 2410.25, None, None, 2),
      (4, "mq-cph", "total", None, None, 2405.75, 9623, 4, None),
      (5, "mq-cph", "total", None, None, 2535, 10140, 4, None),
      (6, "mq-cph", "total", None, None, 4940.75, 19763, 4, None)]),
    ("jms_harness.txt", "bench_harness",
     ("record_no", "harness", "kind", "process_id", "rate_per_second", "iterations", "seconds",
      "threads"),
     [(2, "jms", "interval", None, 1066, 10660, 10, 10),
      (3, "jms", "interval", "JVM2", 1066.6, 10666, 10, 10),
      (4, "jms", "total", None, 1064.4, 63960, 60.09, None)]),
    ("mqsc_chstatus.txt", "bench_mqsc_chstatus",
     ("record_no", "queue_manager", "channel", "channel_type", "connection_name", "status",
      "substate", "messages", "batches", "batch_size", "bytes_sent", "nettime_us_short",
      "nettime_us_long", "xbatchsz_short", "xbatchsz_long", "xqtime_us_short", "xqtime_us_long"),
     [(5, "MY.TEST", "LDB0.TO.LDB1", "SDR", "127.0.0.1(1415)", "RUNNING", "MQGET", 2000, 457, 50,
       3472472, 25, 0, 2, 2, 3151, 1099),
      (23, "MY.TEST", "HERE.TO.THERE.TWO", "SDR", "55.888.222.333(1414),22,333.444.555(1414)",
       "RETRYING", None, None, None, None, None, None, None, 0, 0, 0, 1)]),
    ("mqsc_qstatus.txt", "bench_mqsc_qstatus",
     ("record_no", "queue", "depth", "input_handles", "output_handles", "oldest_message_s",
      "qtime_us_short", "qtime_us_long", "monitoring", "last_get_time"),
     [(8, "MY.QUEUE.ONE", 0, None, None, 0, None, None, "MEDIUM", None),
      (15, "MY.QUEUE.TWO", 1400, 5, 0, 2201, 999999999, 999999999, "MEDIUM", "08.49.13")]),
    ("mqsc_zos.txt", "bench_mqsc_attribute",
     ("message_id", "display", "object", "attribute", "value"),
     [("CSQM201I", "CHSTATUS", "USER1.SSL.SVRCONN", *row) for row in (
         ("CHSTATUS", "USER1.SSL.SVRCONN"), ("CHLDISP", "PRIVATE"), ("CONNAME", "9.31.118.212"),
         ("CURRENT", None), ("CHLTYPE", "SVRCONN"), ("STATUS", "RUNNING"), ("SUBSTATE", None),
         ("STOPREQ", "NO"), ("RAPPLTAG", "MQ Explorer 9.4.1"), ("SSLCERTU", "SYSPROG"),
         ("MCAUSER", "USER1"))]),
    ("mqsc_zos.txt", "bench_mqsc_chstatus", ("queue_manager", "channel", "status", "substate"),
     [("ZQS1", "USER1.SSL.SVRCONN", "RUNNING", None)]),
    ("mqsc_zos_chinit.txt", "bench_mqsc_chinit", ("record_no", "message_id", "name", "value"),
     [(1, "CSQX830I", "Channel initiator active", None),
      (3, "CSQX831I", "adapter subtasks started", 8), (3, "CSQX831I", "requested", 8),
      (4, "CSQX832I", "dispatchers started", 5), (4, "CSQX832I", "requested", 5),
      (5, "CSQX833I", "SSL server subtasks started", 0), (5, "CSQX833I", "requested", 0),
      (6, "CSQX840I", "channels current", 12), (6, "CSQX840I", "maximum", 200),
      (7, "CSQX841I", "channels active", 10), (7, "CSQX841I", "maximum", 200),
      (7, "CSQX841I", "including paused", 0), (8, "CSQX842I", "channels starting", 1),
      (8, "CSQX842I", "stopped", 0), (8, "CSQX842I", "retrying", 1),
      (9, "CSQX845I", "TCP/IP system name is TCPIP", None),
      (10, "CSQX846I", "TCP/IP listener INDISP=QMGR started, for port 1414 address *", None)]),
    ("mqsc_zos_chinit.txt", "bench_mqsc_pubsub",
     ("queue_manager", "partner", "type", "status", "subscriptions", "topic_nodes"),
     [("!MQ1", "MQ1", "LOCAL", "ACTIVE", 21, 14)]),
]  # fmt: skip


def parser_of(text):
    known = [parser for parser in PARSERS if parser.recognise(text)]
    assert len(known) == 1, known
    return known[0]


@pytest.mark.parametrize(("name", "table", "columns", "rows"), EXPECTED)
def test_an_excerpt(name, table, columns, rows):
    parser = parser_of(content(name))
    parsed = parser.parse(content(name))
    assert parsed.kind == parser.recognise(content(name))
    assert parsed.rejected == []
    assert dict(parsed.tables[table].schema) == parser.SCHEMAS[table]
    assert parsed.tables[table].select(columns).rows() == rows


def test_every_excerpt_is_known_by_one_parser_and_named_with_its_source():
    assert {path.name for path in FOLDER.iterdir()} == set(EXCERPTS)
    for name, (origin, source) in EXCERPTS.items():
        parser_of(content(name))
        assert origin in {"MADE_HERE", "GENUINE", "PARTLY", "MADE"}
        assert source


@pytest.mark.parametrize("parser", PARSERS)
def test_tables_are_described(parser):
    for table, schema in parser.SCHEMAS.items():
        assert table.startswith("bench_")
        assert next(iter(schema.items())) == ("record_no", pl.Int64())
        assert parser.COLUMN_DOCS[table].keys() == schema.keys()
        assert parser.TITLES[table].startswith("One row per ")


# --- hurt -------------------------------------------------------------------------------------

HURT = [
    ("amqsrua_log.txt", b"Interval:10.000", b"Interval:soon", [], {"interval_seconds": None}),
    ("amqsrua_log.txt", b"20190303", b"20191303", [2], {"time_utc": None}),
    ("amqsrua_log.txt", b"size 4099", b"size many", [10], {}),
    ("cph.txt", b"rate=2401.50", b"rate=fast", [1], {}),
    ("mqsc_chstatus.txt", b"CONNAME(127.0.0.1(1415))", b"CONNAME(127.0.0.1(1415)", [5], {}),
    ("mqsc_qstatus.txt", b"MSGAGE(0)", b"\xff(0)", [8], {}),
]


@pytest.mark.parametrize(("name", "old", "new", "lines", "values"), HURT)
def test_a_hurt_line_is_left_out_and_the_others_are_kept(name, old, new, lines, values):
    whole = parser_of(content(name)).parse(content(name))
    text = content(name).replace(old, new, 1)
    parsed = parser_of(text).parse(text)
    assert [rejected.line for rejected in parsed.rejected] == lines
    table = next(iter(whole.tables))
    kept = parsed.tables[table]
    assert kept.height >= whole.tables[table].height - 1
    for column, value in values.items():
        assert kept[column].to_list() == [value] * kept.height


OTHERS = [b"", b"\n", b"{}", b"[]", b"<a/>", b"rate\n1\n", b"\x00\x12\x00\x00\x5e\x02\x00\x40",
          b"Log \x00 physical bytes written 1", b"hello world\n" * 9,
          (",".join(column.name for column in CELL) + "\n").encode(),
          "C P U   A C T I V I T Y   REPORT".encode("cp037")]  # fmt: skip


@pytest.mark.parametrize("head", OTHERS)
@pytest.mark.parametrize("parser", PARSERS)
def test_recognises_nothing_else(parser, head):
    assert parser.recognise(head) is None


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_cut_and_changed_files_never_raise(data):
    source = content(data.draw(st.sampled_from(sorted(EXCERPTS))))
    start = data.draw(st.integers(0, len(source)))
    cut = data.draw(st.integers(0, 60))
    text = source[:start] + data.draw(st.binary(max_size=12)) + source[start + cut :]
    for parser in PARSERS:
        if parser.recognise(text):
            for table, frame in parser.parse(text).tables.items():
                assert dict(frame.schema) == parser.SCHEMAS[table]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(PARSERS[2:]))
def test_any_bytes_never_raise(text, parser):
    for table, frame in parser.parse(text).tables.items():
        assert dict(frame.schema) == parser.SCHEMAS[table]
