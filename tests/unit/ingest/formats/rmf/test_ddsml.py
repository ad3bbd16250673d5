"""The Postprocessor's XML: its values, and what is refused."""

from datetime import datetime

import pytest

from ingest.formats.rmf.reports import parse, recognise
from tests.kit.rmf_excerpts import text

XML = text("cpu.xml")
HEAD, ROOT = XML.split("<ddsml ", 1)[0], "<ddsml " + XML.split("<ddsml ", 1)[1]


def values(content):
    return parse(content.encode()).tables["rmf_xml_value"]


def test_every_value_is_a_row():
    frame = values(XML)
    found = frame.select("segment", "part", "table_no", "row", "row_type", "column", "value",
                         "number").rows()  # fmt: skip
    assert found[0] == ("CPU Activity", None, 3, None, None, "CPU", "8562", 8562)
    assert ("CPU Activity", None, 4, 3, "SUM", "Time% MVS Busy", "0.73", 0.73) in found
    queue = "Distribution of In-ready Work Unit Queue"
    assert ("CPU Activity", queue, 9, 1, None, "Number of Work Units", "<=N", None) in found
    assert ("Partition Data Report", None, 16, None, None, "Group Name", "N/A", None) in found
    assert frame["report"].unique().to_list() == ["CPU"]
    assert frame["resource"].unique().to_list() == ["RPRT"]
    assert frame["record_no"].is_sorted()
    filled = XML.count("</col>") - XML.count('<col type="')
    assert frame.height == filled + XML.count("<value>")


def test_sysplex_and_other_reports_are_kept_as_values():
    changed = XML.replace(">SYSTEM<", ">SYSPLEX<").replace('id="CPU"', 'id="WLMGL"')
    frame = values(changed)
    assert frame.select("report", "system_id", "sysplex").unique().rows() == [
        ("WLMGL", None, "RPRT")
    ]


# --- Monitor III ------------------------------------------------------------------------------

CPC = text("cpc.xml")


def test_a_report_of_monitor_three_has_its_caption_and_rows():
    frame = values(CPC)
    key = frame.select("report", "system_id", "sysplex", "interval_start_local",
                       "interval_end_local", "interval_seconds",
                       "rmf_version").unique()  # fmt: skip
    assert key.rows() == [("CPC", "RPRT", "VIPLEX", datetime(2022, 4, 21, 12, 20),
                           datetime(2022, 4, 21, 12, 21, 40), 100, "ZOSV2R5")]  # fmt: skip
    found = frame.select("table_no", "row", "column", "value", "number").rows()
    assert found[:2] == [(1, None, "CPCHPNAM", "VIRPT", None), (1, None, "CPCHMOD", "8562", 8562)]
    assert found.count((2, 5, "CPCPHWCC", "10.00", 10)) == 1
    assert found[-1] == (2, 9, "CPCPCAPI", "NO", None)
    assert frame["record_no"].is_sorted()
    cells = CPC.count("</col>") - CPC.count('<col type="') - CPC.count("<col></col>")
    assert frame.height == cells + CPC.count("<value>") - CPC.count("<value></value>")
    assert parse(CPC.encode()).rejected == []


def test_the_sysplex_is_that_of_the_own_partition():
    """Another partition of the machine may run a system of the same name in another sysplex."""
    frame = values(CPC.replace("<col>CPAC</col>", "<col>RPRT</col>"))
    assert frame["sysplex"].unique().to_list() == ["VIPLEX"]
    assert values(CPC.replace(",RPRT,MVS_IMAGE", ",APLEX,SYSPLEX")).select(
        "system_id", "sysplex").unique().rows() == [(None, "APLEX")]  # fmt: skip


def test_two_reports_of_monitor_three_do_not_mix():
    report = CPC[CPC.index("<report>") : CPC.index("</ddsml>")]
    later = report.replace("12:20:00", "12:21:40").replace("RPRT", "SYSB").replace("VIPLEX", "B")
    frame = values(CPC.replace("</ddsml>", later + "</ddsml>"))
    sizes = frame.group_by("system_id", "sysplex", "table_no").len().sort("system_id", "table_no")
    caption, rows = sizes["len"].to_list()[:2]
    assert sizes.rows() == [("RPRT", "VIPLEX", 1, caption), ("RPRT", "VIPLEX", 2, rows),
                            ("SYSB", "B", 1, caption), ("SYSB", "B", 2, rows)]  # fmt: skip


NOT_READ = [
    (lambda t: t.replace(",RPRT,MVS_IMAGE", ",VOL001,VOLUME"),
     "Monitor III report CPC: the resource ',VOL001,VOLUME' is no system and no sysplex"),
    (lambda t: t.replace("04/21/2022 12:20:00", "soon"),
     "Monitor III report CPC: no readable date and time"),
    (lambda t: t[: t.index("<column-headers>")] + "</report></ddsml>",
     "Monitor III report CPC: 6 rows without headings"),
    (lambda t: t[: t.index("<column-headers>")],
     "Monitor III report CPC: 6 rows without headings"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), NOT_READ, ids=[r for _, r in NOT_READ])
def test_a_report_of_monitor_three_is_read_whole_or_rejected_by_name(change, reason):
    found = parse(change(CPC).encode())
    assert reason in [rejected.reason for rejected in found.rejected]
    assert found.tables == {}


def test_a_row_of_monitor_three_with_too_many_values_is_rejected_by_its_line():
    line = next(n for n, x in enumerate(CPC.splitlines(), 1) if "QCK2" in x)
    found = parse(CPC.replace("<col>QCK2</col>", "<col>QCK2</col><col>1</col>").encode())
    assert found.rejected == [(line, "36 values below 35 headings", None)]
    assert "VIRPT" in found.tables["rmf_xml_value"]["value"]


EMPTY = {
    "empty.xml": "an empty report: RMF wrote no values into it",
    "cpc_error.xml": "RMF says: The specified system 'DVLP' is not a member of the sysplex",
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_file_without_values_says_why(name):
    found = parse(text(name).encode())
    assert found.tables == {}
    assert [rejected.reason for rejected in found.rejected] == [EMPTY[name]]


def test_the_shortest_file_is_empty_too():
    assert recognise(b"<ddsml/>") == "rmf_xml"
    assert [r.reason for r in parse(b"<ddsml/>").rejected] == [EMPTY["empty.xml"]]


@pytest.mark.parametrize("page", ["cp037", "cp500", "latin-1"])
def test_code_pages(page):
    content = XML.encode(page)
    assert recognise(content) == "rmf_xml"
    assert parse(content).tables["rmf_cpu"].height == 3


def test_messages_of_rmf_are_rejected_with_their_text():
    message = (
        "<postprocessor><message id='GPM0739E'><description>Invalid DDS request parameter "
        "'DATE'</description><severity>3</severity></message></postprocessor></ddsml>"
    )
    found = parse(XML.replace("</ddsml>", message).encode())
    assert found.tables["rmf_cpu"].height == 3
    assert [r.reason for r in found.rejected] == ["RMF says: Invalid DDS request parameter 'DATE'"]


def test_truncated_xml_keeps_what_came_before():
    found = parse(XML[: XML.index('<row refno="2">') + 40].encode())
    assert found.tables["rmf_cpu"].height == 1
    (rejected,) = found.rejected
    assert rejected.reason.startswith("not well-formed XML: ")
    assert rejected.line == 21


def test_a_row_with_more_values_than_headings_is_rejected():
    found = parse(
        XML.replace("<col>0.71</col></row>", "<col>0.71</col><col>1</col></row>").encode()
    )
    assert found.tables["rmf_cpu"].height == 2
    assert [r.reason for r in found.rejected] == ["11 values below 10 headings"]


# --- what is refused --------------------------------------------------------------------------

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
DOCTYPES = {
    "billion laughs": f'<!DOCTYPE ddsml [<!ENTITY l0 "ha">{LAUGHS}]>',
    "quadratic": f'<!DOCTYPE ddsml [<!ENTITY l9 "{"a" * 30_000}">]>',
    "external file": '<!DOCTYPE ddsml [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>',
    "external dtd": '<!DOCTYPE ddsml SYSTEM "http://localhost/ddsml.dtd">',
    "parameter entity": '<!DOCTYPE ddsml [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
}


@pytest.mark.parametrize("name", DOCTYPES)
def test_a_document_type_declaration_is_never_read(name):
    content = (HEAD + DOCTYPES[name] + ROOT.replace("8562", "&l9;" * 100)).encode()
    assert recognise(content) == "rmf_xml"
    found = parse(content)
    assert found.tables == {}
    assert [r.reason for r in found.rejected] == ["a document type declaration is never read"]


def test_an_undeclared_entity_is_an_error():
    found = parse(XML.replace("8562", "&l9;").encode())
    assert found.rejected[0].reason.startswith("not well-formed XML: undefined entity")


def test_deep_nesting_is_refused():
    found = parse((HEAD + "<ddsml >" + "<part>" * 100_000).encode())
    assert [r.reason for r in found.rejected] == ["elements are nested deeper than in the format"]


def test_an_endless_value_is_truncated():
    value = values(XML.replace("8562", "8" * 2_000_000))["value"][0]
    assert len(value) == 4096
