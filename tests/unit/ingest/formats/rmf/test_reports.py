"""The parser of RMF's printed reports and XML, compared with the excerpts."""

import re
from datetime import datetime
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats import published
from ingest.formats.rmf.figures import align, duration, moment, number, size, stacked_cells
from ingest.formats.rmf.report import cut, reports, title_of
from ingest.formats.rmf.reports import COLUMN_DOCS, SCHEMAS, TITLES, parse, recognise
from ingest.formats.text.lines import decode, lines
from ingest.formats.text.parser import Parsed
from tests.kit.cases import cases
from tests.kit.expected import check, excerpt_of, expected
from tests.kit.rmf_excerpts import EXCERPTS, FOLDER, text

PRINTED = [name for name in EXCERPTS if name.endswith(".txt")]


def rows(name, table, *columns, change=lambda text: text):
    """Return the values of some columns of an excerpt's table."""
    frame = parse(change(text(name)).encode()).tables[table]
    return frame.select(columns).rows()


@given(st.integers(1, 400), st.lists(st.sampled_from(PRINTED), max_size=6))
def test_parts_of_a_file_are_what_the_whole_is(size, names):
    printed = "".join(text(name) for name in names).encode()
    parts = list(cut(lines(printed), size))
    assert [line for part in parts for line in part] == lines(printed)
    assert all(len(part) >= size for part in parts[:-1])
    assert [r for part in parts for r in reports(part)] == list(reports(lines(printed)))


# --- what the excerpts print ------------------------------------------------------------------


@cases
def test_durations_are_seconds_and_fractions_of_any_length(text, seconds):
    assert duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("file", expected(Path(__file__).parent / "expected"), ids=lambda f: f.stem)
def test_printed_values_are_read(file):
    check(file, parse(text(excerpt_of(file)).encode()).tables)


@cases
def test_the_heading_is_read(name, expected):
    for frame in parse(text(name).encode()).tables.values():
        found = frame.select("system_id", "sysplex", "interval_start_local", "interval_end_local",
                             "interval_seconds", "rmf_version").unique().rows()  # fmt: skip
        assert found == [expected]


def test_the_line_of_a_row_is_kept():
    (number_,) = parse(text("workload_scper.txt").encode()).tables["rmf_workload"]["record_no"]
    assert text("workload_scper.txt").splitlines()[number_ - 1].startswith("REPORT BY: POLICY=")


def test_an_unknown_label_is_rejected_by_name():
    (rejected,) = parse(text("workload_more.txt").encode()).rejected
    line = next(n for n, x in enumerate(text("workload_more.txt").splitlines(), 1) if "NEW" in x)
    assert rejected == (line, "appl: 'NEW 1.00' is not known", None)


@pytest.mark.parametrize("name", sorted(set(PRINTED) - {"workload_more.txt"}))
def test_no_part_of_an_excerpt_is_rejected(name):
    assert parse(text(name).encode()).rejected == []


def test_states_of_other_subsystems_with_blank_lines_or_none():
    """As WebSphere's page prints them: other waits, and a blank line below the headings."""
    states = (
        "           RESP  --------------------- STATE SAMPLES BREAKDOWN (%) ---------  ---STATE--\n"
        "   SUB    P   TIME  --ACTIVE-- READY IDLE  ------WAITING FOR-----------------  SWITCHED"
        " SAMPL(%)\n"
        "   TYPE        (%)   SUB  APPL             TYP4 REGT LOCL                      LOCAL SYSPL"
        " REMOT\n\n"
        "   CB    BTE   0.0  26.9   0.0   0.0  0.0  65.4  3.8  3.8                       0.0   0.0"
        "   0.0\n"
    )
    block, own = text("workload_cics.txt").split("           RESP ")
    found = parse((block + states).encode())
    waits = found.tables["rmf_workload_state"].select("subsystem", "state", "samples_pct").rows()
    assert found.rejected == []
    assert waits[4:8] == [("CB", "WAITING FOR TYP4", 65.4), ("CB", "WAITING FOR REGT", 3.8),
                          ("CB", "WAITING FOR LOCL", 3.8), ("CB", "SWITCHED LOCAL", 0)]  # fmt: skip
    close = parse((block.rstrip() + "\n           RESP " + own).encode())
    assert close.rejected == []
    assert close.tables["rmf_workload_state"].height == 22


def test_a_duration_report_has_start_and_end():
    def duration_heading(text):
        return text.replace("DATE 09/28/2013 ", "START 09/28/2013-16.45.00").replace(
            "INTERVAL 15.00.037", "INTERVAL 00.15.00"
        ).replace("TIME 16.45.00", "END 09/28/2013-17.45.00")  # fmt: skip

    found = rows("cpu_v2r1_mt.txt", "rmf_cpu", "interval_start_local", "interval_end_local",
                 "interval_seconds", change=duration_heading)  # fmt: skip
    assert set(found) == {(datetime(2013, 9, 28, 16, 45), datetime(2013, 9, 28, 17, 45), 900)}


# --- every form that a file may have ----------------------------------------------------------


def asa(text):
    return "".join(("1" if title_of(x) else " ") + x + "\n" for x in text.splitlines())


FORMS = {
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "form feeds": lambda text: re.sub(
        r"(?m)^(?=.*[A-Z] [A-Z] [A-Z] )", "\f", text
    ).encode(),
    "asa": lambda text: asa(text).encode(),
    "asa with overprint": lambda text: asa(text).replace("\n", "\n+   ____\n").encode(),
    "latin-1": lambda text: (text + "\nsch\xf6n\n").encode("latin-1"),
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "037, NEL": lambda text: text.replace("\n", "\x85").encode("cp037"),
    "037, LF": lambda text: text.encode("cp037"),
    "500": lambda text: text.encode("cp500"),
    "1140": lambda text: text.encode("cp1140"),
    "037, fixed records with asa": lambda text: "".join(
        x[:133].ljust(133) for x in asa(text).splitlines()
    ).encode("cp037"),
    "037, machine codes": lambda text: b"".join(
        b"\x09" + x.encode("cp037") + b"\x15" for x in text.splitlines()
    ),
}  # fmt: skip


SOME = cycle(("cpu_v2r1_mt.txt", "workload_scper.txt", "cf_lock.txt"))


@pytest.mark.parametrize(
    ("form", "name"), [*zip(FORMS, SOME, strict=False), ("500", "cf_lock.txt")]
)
def test_the_form_of_a_file_does_not_matter(name, form):
    content, plain = FORMS[form](text(name)), parse(text(name).encode())
    assert recognise(content) == "rmf_text"
    found = parse(content)
    assert found.rejected == []
    assert found.tables.keys() == plain.tables.keys()
    for table, frame in plain.tables.items():
        assert found.tables[table].drop("record_no").equals(frame.drop("record_no"))


def test_code_page_1047_is_detected_by_its_brackets():
    content = "  RMF  [A] ^ ".encode("cp037").translate(
        bytes.maketrans(b"\xba\xbb\xb0", b"\xad\xbd\x5f")
    )
    assert decode(content) == "  RMF  [A] ^ "
    assert decode("  RMF  [A] ^ ".encode("cp037")) == "  RMF  [A] ^ "


def test_one_file_can_hold_several_systems_and_intervals():
    one = text("cpu_v2r1_mt.txt")
    files = [one, one.replace("TRX1", "TRX2"), one.replace("16.45.00", "17.00.00")]
    everything = "\n".join([*files, text("dasd.txt"), text("workload_scper.txt")])
    found = parse(everything.encode())
    keys = found.tables["rmf_cpu"].group_by("system_id", "interval_start_local").len()
    assert sorted(keys.rows()) == [
        ("TRX1", datetime(2013, 9, 28, 16, 45), 11),
        ("TRX1", datetime(2013, 9, 28, 17), 11),
        ("TRX2", datetime(2013, 9, 28, 16, 45), 11),
    ]
    assert found.tables["rmf_dasd"].height == 2
    assert found.tables["rmf_workload"].height == 1
    assert found.rejected == []


def test_a_report_continues_after_a_page_break():
    first, last = text("dasd.txt").rsplit("\n", 2)[:2]
    heading = "\n".join(text("dasd.txt").splitlines()[:9])
    whole = parse(text("dasd.txt").encode()).tables["rmf_dasd"].drop("record_no")
    broken = f"{first}\n{heading.replace('PAGE    2', 'PAGE    3')}\n{last}\n"
    assert parse(broken.encode()).tables["rmf_dasd"].drop("record_no").equals(whole)


# --- what is refused --------------------------------------------------------------------------


@cases
def test_unreadable_lines_are_rejected_and_the_rest_kept(name, find, put, reason):
    whole, found = (parse(x.encode()) for x in (text(name), re.sub(find, put, text(name))))
    assert reason in [rejected.reason for rejected in found.rejected]
    for table, frame in found.tables.items():
        kept = frame.drop("record_no").rows()
        assert set(kept) < set(whole.tables[table].drop("record_no").rows()) or len(kept) > 0


def test_unsupported_reports_are_recognised_and_listed_once():
    other = text("cpu_v2r1_mt.txt").replace("C P U  A C", "P A G I N G  A C")
    later = other.replace("16.45.00", "17.00.00")
    found = parse((other + later).encode())
    assert recognise(other.encode()) == "rmf_text"
    assert [r.reason for r in found.rejected] == ["report PAGINGACTIVITY is not supported"]
    assert found.tables == {}
    assert parse((other + text("cpu_v2r1_mt.txt")).encode()).tables["rmf_cpu"].height == 11


@cases
def test_other_files_are_not_recognised_as_reports(content):
    assert recognise(content) is None


@pytest.mark.parametrize("name", EXCERPTS)
def test_reports_are_recognised(name):
    kind = "rmf_xml" if name.endswith(".xml") else "rmf_text"
    assert recognise(text(name).encode()) == kind
    assert recognise(b"\n" * 3000 + text(name).encode()) == (kind if kind == "rmf_text" else None)
    assert published.recognise(text(name).encode()) is None


@settings(max_examples=80)
@given(st.data())
def test_damaged_reports_never_raise(data):
    content = bytearray(FORMS["crlf"](text(data.draw(st.sampled_from(sorted(EXCERPTS))))))
    if data.draw(st.booleans()):
        content = bytearray(bytes(content).decode().encode("cp037"))
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(content)))
        end = at + data.draw(st.integers(0, 200))
        content[at:end] = data.draw(st.binary(max_size=40))
    recognise(bytes(content))
    found = parse(bytes(content))
    assert isinstance(found, Parsed)
    assert found.tables.keys() <= SCHEMAS.keys()


@settings(max_examples=50)
@given(st.binary(max_size=2000))
def test_no_bytes_raise(content):
    recognise(content)
    parse(content)


# --- figures and columns ----------------------------------------------------------------------

NUMBERS = {"126K": 126000, "51.0%": 51, "1,234": 1234, ".256": 0.256, "8M": 8e6, "0.5*": 0.5,
           "-----": None, "N/A": None, "": None, "1.2.3": None, "-1.5": -1.5}  # fmt: skip


def test_numbers():
    assert {printed: number(printed) for printed in NUMBERS} == NUMBERS


def test_storage_is_binary_and_dates_are_checked():
    assert size("32M") == 32 * 2**20
    assert moment("02/30/2020-10.00.00") is None
    assert moment("09/28/15-10.00.00") == datetime(2015, 9, 28, 10)


def test_words_above_each_other_are_one_column():
    cells = stacked_cells(("        % OF", "STRUCT   CF  ", " NAME   STOR   #REQ"))
    assert [cell.name for cell in cells] == ["STRUCT NAME", "% OF CF STOR", "#REQ"]
    assert align(" ABC     0.5   126K", cells) == dict(
        zip(["STRUCT NAME", "% OF CF STOR", "#REQ"], ["ABC", "0.5", "126K"], strict=True)
    )
    assert align(" ABC            126K", cells) == {"STRUCT NAME": "ABC", "#REQ": "126K"}
    assert align(" ABC DEF        126K 7", cells) is None


def test_lines_keep_their_numbers():
    assert [line.number for line in lines(b"a\r\nb\n\nc") if line.text] == [1, 2, 4]


# --- the tables -------------------------------------------------------------------------------


def test_every_table_and_column_is_described():
    assert TITLES.keys() == SCHEMAS.keys() == COLUMN_DOCS.keys()
    for table, schema in SCHEMAS.items():
        assert table.startswith("rmf_")
        assert next(iter(schema)) == "record_no"
        assert list(COLUMN_DOCS[table]) == list(schema)
        for column, doc in COLUMN_DOCS[table].items():
            assert doc
            if column.endswith(("_pct", "_seconds", "_s", "_ms", "_us", "_bytes")):
                assert doc.endswith("]"), column


def test_every_excerpt_states_what_is_genuine():
    assert {path.name for path in FOLDER.iterdir()} == set(EXCERPTS)
    assert {what for what, _ in EXCERPTS.values()} == {"GENUINE", "LAID_OUT", "MADE"}
