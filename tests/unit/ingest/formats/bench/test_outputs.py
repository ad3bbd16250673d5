"""Outputs of tools: the content of each excerpt, what is ignored, and that nothing raises."""

import csv
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats import parsers
from ingest.formats.bench import harness, ioping, linux, mqsc, syslog
from ingest.formats.published import CELL  # noqa: F401 (a case)
from tests.kit.bench_excerpts import EXCERPTS, FOLDER, content
from tests.kit.cases import cases
from tests.kit.expected import check, excerpt_of, expected

PARSERS = [p for p in parsers.PARSERS if p.__name__.startswith("ingest.formats.bench.")]


def parser_of(text):
    known = [parser for parser in PARSERS if parser.recognise(text)]
    assert len(known) == 1, known
    return known[0]


@pytest.mark.parametrize("file", expected(Path(__file__).parent / "expected"), ids=lambda f: f.stem)
def test_an_excerpt(file):
    text = content(excerpt_of(file))
    parser = parser_of(text)
    parsed = parser.parse(text)
    assert parsed.kind == parser.recognise(text)
    assert parsed.rejected == []
    for table, frame in parsed.tables.items():
        assert dict(frame.schema) == parser.SCHEMAS[table]
    check(file, parsed.tables)


def test_every_excerpt_is_recognised_by_one_parser_and_has_a_source():
    assert {path.name for path in FOLDER.iterdir()} == set(EXCERPTS)
    for name, (origin, source) in EXCERPTS.items():
        parser_of(content(name))
        assert origin in {"MADE_HERE", "GENUINE", "PARTLY", "MADE"}
        assert source


def test_tables_are_described():
    for parser, table, schema in ((p, *item) for p in PARSERS for item in p.SCHEMAS.items()):
        assert table.startswith("bench_")
        assert next(iter(schema.items())) == ("record_no", pl.Int64())
        assert parser.COLUMN_DOCS[table].keys() == schema.keys()
        assert parser.TITLES[table].startswith("One row per ")


# --- damage -----------------------------------------------------------------------------------

with Path(__file__).with_name("damaged_lines.csv").open(newline="", encoding="utf-8") as _file:
    DAMAGED = list(csv.DictReader(_file))


@pytest.mark.parametrize("case", DAMAGED, ids=lambda case: f"{case['file']} {case['damaged_line']}")
def test_a_damaged_line_is_left_out_and_the_others_are_kept(case):
    """Columns in `nulls` have no value in any row."""
    good = content(case["file"])
    whole = parser_of(good).parse(good)
    text = good.replace(*(case[n].encode("latin-1") for n in ("line", "damaged_line")), 1)
    assert text != good
    parsed = parser_of(text).parse(text)
    assert [rejected.line for rejected in parsed.rejected] == [*map(int, case["rejected"].split())]
    table = next(iter(whole.tables))
    kept = parsed.tables[table]
    assert len(set(whole.tables[table]["record_no"]) - set(kept["record_no"])) <= 1
    for column in case["nulls"].split():
        assert kept[column].null_count() == kept.height


def test_the_owner_of_csm_storage_is_no_limit():
    tables = syslog.parse(content("syslog_csm_owner.txt")).tables
    assert tables.keys() == {"bench_syslog_message"}
    assert "OWNERID: ASID = 01F6 JOBNAME = VTAMAPPL" in tables["bench_syslog_message"]["text"]


@cases
def test_requests_and_times_of_ioping(printed, expected):
    """Requests that were too fast or too slow are generated, but not completed.

    Between 0.9 and 1.0 the time is that of the requests, but there is no line of the test. A rate
    below one half is printed as 0, and tells no time.
    """
    text = f"--- . (ext4) ioping statistics ---\n{printed}min/avg/max/mdev = 1/2/3/4 ms\n"
    parsed = ioping.parse(text.encode())
    columns = ("requests", "request_seconds", "all_requests", "all_seconds")
    assert parsed.rejected == []
    assert parsed.tables["bench_ioping"].select(columns).rows() == [expected]


@cases
def test_where_the_target_of_ioping_is(printed, place):
    text = f"4 KiB <<< /target ({printed}): request=1 time=1 us\n".encode()
    rows = ioping.parse(text).tables["bench_ioping_request"].select("file_system", "device").rows()
    assert rows == [place]


@cases
def test_headings_of_top_and_of_others(heading, is_top):
    assert linux.recognise(f"{heading}\n".encode()) == ("top" if is_top else None)


def test_a_command_amid_the_columns_keeps_its_blanks():
    text = (
        b" S COMMAND            PID %CPU\n"
        b" R java -jar x.jar   41  7.5\n"
        b" S sh                  x  0.0\n"
    )
    parsed = linux.parse(text)
    assert parsed.tables["bench_top_process"].select(
        "state", "command", "pid", "cpu_pct"
    ).rows() == [("R", "java -jar x.jar", 41, 7.5)]
    assert [rejected.line for rejected in parsed.rejected] == [3]


def test_statistics_match_the_requests():
    """The tool's own average and maximum follow from the requests that are counted."""
    tables = parser_of(content("ioping.json")).parse(content("ioping.json")).tables
    counted = tables["bench_ioping_request"].filter(~pl.col("is_ignored"))["time_us"]
    statistics = tables["bench_ioping"].row(0, named=True)
    assert statistics["requests"] == counted.len()
    assert statistics["avg_us"] == pytest.approx(counted.mean(), abs=0.002)
    assert statistics["max_us"] == counted.max()


def test_console_lines_that_begin_with_their_number():
    """DISPLAY on a console: continuation lines begin with the number that ends the first line."""
    numbered = content("mqsc_zos.txt").replace(b"\n ", b"\n610 ")
    first, second = (mqsc.parse(text) for text in (content("mqsc_zos.txt"), numbered))
    assert second.rejected == []
    for table, frame in first.tables.items():
        assert frame.equals(second.tables[table])


@pytest.mark.parametrize(
    ("parser", "text", "table", "column", "value"),
    [
        (harness, b"id=0,rate=1.50,threads=2\n" * 2, "bench_harness", "process_id", "0"),
        (harness, b"rate=2534,500,threads=2\n", "bench_harness", "rate_per_second", 2534.5),
        (
            ioping,
            b"10 190710 52435 85910545 10802 19071 51469 4236 15 326953\n",
            "bench_ioping",
            "requests",
            10,
        ),
        (
            syslog,
            b"14.55.43 STC48092 IXL015I STRUCTURE\n" * 2,
            "bench_syslog_message",
            "time_printed",
            "14.55.43",
        ),
    ],
)
def test_a_prefix_of_every_line_is_not_taken_for_carriage_control(
    parser, text, table, column, value
):
    assert set(parser.parse(text).tables[table][column]) == {value}


@cases
def test_other_files_are_not_recognised(head):
    assert [parser for parser in PARSERS if parser.recognise(head)] == []


@settings(max_examples=150)
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


@settings(max_examples=50)
@given(st.binary(max_size=200), st.sampled_from(PARSERS[2:]))
def test_any_bytes_never_raise(text, parser):
    for table, frame in parser.parse(text).tables.items():
        assert dict(frame.schema) == parser.SCHEMAS[table]
