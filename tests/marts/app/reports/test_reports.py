"""Reports: self-contained files with the values of the marts, in three formats."""

import json
import re
import zipfile
from datetime import datetime
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import duckdb
import polars as pl
import pytest
from syrupy.assertion import SnapshotAssertion

from app.cli.main import main
from app.reports import environment
from app.reports import pdf as printing
from app.reports.cells import cell_text
from app.reports.charts import WIDTH, chart_spec, fits_half
from app.reports.document import (
    Chart,
    Column,
    Contents,
    Document,
    Heading,
    PageBreak,
    ReportError,
    Table,
    Text,
)
from app.reports.html import html
from app.reports.markdown import markdown
from app.reports.numbering import number_blocks
from app.reports.pdf import browser, pages_of_bookmarks, pdf
from app.reports.presets import preset_of, presets
from app.reports.report import Report as Report_
from app.reports.writing import make_report, write, zip_report
from app.results.queries.advice import judged
from app.results.reader import Reader
from app.results.regressions import split_of
from tests.kit.cases import cases
from tests.kit.presets import written
from tests.kit.report import LINUX, Report, outline, tables, text_of, unfounded

MOST_BYTES = 3_000_000
NAMES = [preset.name for preset in presets()]


def loads_nothing(page: str) -> bool:
    """Whether a page loads nothing from elsewhere, and may not."""
    policy = "default-src 'none'; style-src 'unsafe-inline'" in page
    return policy and not re.search(
        r"<(?:script|link|img|iframe|object)\b|@import|url\((?!#)|(?:src|href)=.https?:", page
    )


def cells(document: Document, column: str) -> set[str]:
    """Return all cells under a heading."""
    return {
        row[place]
        for table in tables(document)
        for place, head in enumerate(table.columns)
        if head.heading == column
        for row in table.rows
    }


def test_a_report_without_its_campaign_says_what_it_needs(bundled: Path) -> None:
    with pytest.raises(ReportError, match="no loaded data for this report: it needs"):
        make_report(Reader(bundled), LINUX, {})


@pytest.mark.parametrize("name", [name for name in NAMES if name != LINUX])
def test_each_preset_is_one_small_file_for_everyone_that_loads_nothing(
    name: str, report: Report, snapshot: SnapshotAssertion
) -> None:
    assert outline(report(name)) == snapshot
    assert not unfounded(report(name))  # each number of a sentence is in a table or chart
    page = html(report(name))
    assert loads_nothing(page)
    assert len(page.encode()) < MOST_BYTES
    assert page.count("<h1") == 1
    assert page.count('<svg role="img" aria-label="') == page.count("<svg")
    assert "\x02" not in page  # a mark of a block
    assert not re.search(r"\b(?:None|nan|Undefined)\b", re.sub(r"<svg.*?</svg>", "", page))
    # It is read by screen readers, and printed without cuts.
    assert '<html lang="en">' in page
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", page)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    labels = re.findall(r'<svg role="img" aria-label="([^"]*)"', page)
    assert all(re.search(r"\d", label) for label in labels)  # says values, not only a title
    assert page.count('role="region" aria-label="') == page.count('class="wide')
    style = page[page.index("<style") : page.index("</style")]
    assert "figure { margin: 1.1rem 0; break-inside: avoid; }" in style
    assert "@top-left" in style  # running heads


def test_campaign_report_has_the_figures_of_its_runs(bundled: Path, report: Report) -> None:
    document = report("campaign")
    with duckdb.connect(str(bundled), read_only=True) as db:
        rates = db.execute(
            "SELECT exp(avg(ln(value))) FROM marts.fct_measurement WHERE campaign = 'smoke' "
            "AND metric = 'rate' AND is_compared GROUP BY configuration_id"
        ).fetchall()
    assert rates
    printed = cells(document, "Transfer rate, MB/s")
    for (rate,) in rates:
        assert {f"{rate:,.1f}", f"{rate:,.2f}"} & printed
    assert "transfers.xml" in cells(document, "File")


def test_every_figure_is_attached_as_csv(report: Report, tmp_path: Path) -> None:
    write(report("z16"), tmp_path / "r.html")
    rows = pl.read_csv(tmp_path / "r.csv")
    assert rows.columns[:2] == ["configuration", "metric"]
    assert rows.filter(metric="transactions_per_second").height == 24


def test_published_figures_stand_below_those_of_the_runs(bundled: Path, report: Report) -> None:
    document = report("mft-zos", campaign="smoke")
    with duckdb.connect(str(bundled), read_only=True) as db:
        printed = db.execute(
            "SELECT DISTINCT published_value FROM marts.fct_print_on_runs "
            "JOIN marts.dim_configuration USING (configuration_id) WHERE campaign = 'smoke' "
            "AND metric = 'rate' AND address_space IS NULL"
        ).fetchall()
    assert printed
    said = {cell for table in tables(document) for row in table.rows for cell in row[1:]}
    for (value,) in printed:
        assert {f"{value:,.1f}", f"{value:,.2f}", f"{value:,.3f}"} & said


def test_the_environment_is_that_of_the_records(bundled: Path, report: Report) -> None:
    document = report("campaign")
    with duckdb.connect(str(bundled), read_only=True) as db:
        levels = db.execute(
            "SELECT DISTINCT zos_level FROM marts.fct_processor_interval WHERE origin = 'simulated'"
        ).fetchall()
        disks = db.execute(
            "SELECT DISTINCT control_unit_model FROM marts.fct_volume_interval"
        ).fetchall()
    assert sorted(levels) == [("ZV020400",), ("ZV020500",)]
    assert cells(document, "z/OS") == {"2.4"}  # of the systems of the campaign
    assert cells(document, "Control unit") == {model for (model,) in disks}


def test_headings_between_rows_are_in_every_kind_of_report(bundled: Path, team: Path) -> None:
    written(
        team,
        """
[[chapter.section]]
mart = "fct_run, (values ('a', 1), ('a', 2), ('b|', 3)) t(part, n)"
columns = { n = "n", part = "" }
order = "n"
section = "part"
caption = "z16_A01* & co"
""",
    )
    document = make_report(Reader(bundled), "own", {})
    (table,) = tables(document)
    assert table.sections == ((0, "a"), (2, "b|"))
    assert table.caption == "z16_A01* & co"
    rows = re.findall(r"<tr[ >].*?</tr>", html(document).split("<tbody>")[1], re.DOTALL)
    assert [re.sub(r"<.*?>", "", row).strip() for row in rows] == ["a", "1", "2", "b|", "3"]
    assert markdown(document, "x")[0].split("\n")[-7:-1] == [
        "| ---: |", "| **a** |", "| 1 |", "| 2 |", "| **b\\|** |", "| 3 |",
    ]  # fmt: skip


def test_two_half_charts_share_a_row_and_a_third_has_its_own() -> None:
    rows = [{"name": "a", "level": float(size), "value": float(size)} for size in (1, 10)]
    spec = chart_spec("by_size", rows, unit="MB/s", axis="file_size_mb", half=True)
    assert spec is not None
    charts = [
        Chart(title, spec, "2 values from 1 MB/s (a) to 10 MB/s (a).", True) for title in "abc"
    ]
    page = html(Document("T", "", None, datetime(2026, 1, 2), [*charts]))
    assert [row.count("<figure>") for row in page.split('<div class="pair">')[1:]] == [2, 1]
    assert "a. 2 values from 1 MB/s (a) to 10 MB/s (a)." in page
    assert spec["width"] < WIDTH / 2


def test_a_chart_with_long_names_takes_the_whole_width() -> None:
    name = "a name of a configuration that is far too long for half a page"
    assert not fits_half("bars", [{"name": name}])
    assert fits_half("bars", [{"name": "TLS 1.3"}])


def test_capacity_has_the_msu_of_the_marts(bundled: Path) -> None:
    options = {"origin": "simulated", "sysplex": "PERFPLEX", "ziips": 2, "price": "1.5"}
    document = make_report(Reader(bundled), "capacity", options)
    with duckdb.connect(str(bundled), read_only=True) as db:
        recorded = db.execute(
            "SELECT system_id, sum(service_units) / 1e6 FROM marts.fct_lpar_capacity_interval "
            "WHERE origin = 'simulated' AND sysplex = 'PERFPLEX' GROUP BY 1"
        ).fetchall()
    assert recorded
    assert cells(document, "LPAR") == {system for system, _ in recorded}
    # a million service units are an MSU hour
    assert {cell_text(round(float(msu), 3)) for _, msu in recorded} <= cells(document, "MSU hours")


def test_capacity_is_judged_on_its_sysplex(bundled: Path) -> None:
    reader = Reader(bundled)
    document = make_report(reader, "capacity", {"origin": "simulated", "sysplex": "PERFPLEX"})
    own = judged(reader, "simulated", sysplex="PERFPLEX")
    said = html(document).replace("\u00a0", " ")
    assert all(rule["title"] in said for rule in own if rule["state"] == "act")
    assert {rule["title"] for rule in own if rule["state"] == "fine"} <= cells(document, "Rule")


def test_a_machine_without_runs_is_refused(bundled: Path) -> None:
    options = {"campaign": "z16", "before": "z14", "after": "z16"}
    with pytest.raises(ReportError, match="no before 'z14'; did you mean 'z15'"):
        make_report(Reader(bundled), "z16", options)


def test_a_release_compares_only_runs_with_the_held_levels(bundled: Path) -> None:
    sides = {"baseline": "machine=z15", "candidate": "machine=z16", "only": "ams=Privacy"}
    document = make_report(Reader(bundled), "release", sides)
    named = cells(document, "Configuration")
    assert named
    assert not any("Integrity" in name or "Confidentiality" in name for name in named)


def test_a_comparison_counts_its_verdicts(report: Report) -> None:
    counts = next(one for one in tables(report("release")) if one.caption == "Verdicts")
    found = {word: int(n) for word, n in counts.rows}
    assert found.pop("all") == sum(found.values())
    assert {"worse", "better", "same", "not decided"} == set(found)


@pytest.mark.parametrize("name", ["queue-manager", "system"])
def test_records_alone_are_a_report(name: str, report: Report) -> None:
    document = report(name)
    assert {"Check", "Limit"} <= {c.heading for t in tables(document) for c in t.columns}
    assert any(isinstance(block, Chart) for block in document.blocks)
    assert "beyond a limit" in text_of(document)


def test_charts_of_markdown_are_files_beside_it(report: Report, tmp_path: Path) -> None:
    file = tmp_path / "r.md"
    document = report("campaign")
    write(document, file)
    named = re.findall(r"!\[[^\]]*\]\(<([^>]+)>\)", file.read_text(encoding="utf-8"))
    assert named
    for path in named:
        assert (tmp_path / path).read_text(encoding="utf-8").startswith("<svg")
    with zipfile.ZipFile(BytesIO(zip_report(document, "r"))) as archive:
        assert set(archive.namelist()) == {"r.md", "r.csv", *named}


@pytest.mark.skipif(browser() is None, reason="needs Chromium")
def test_pdf_has_pages(report: Report, tmp_path: Path) -> None:
    file = tmp_path / "r.pdf"
    write(report("regressions"), file)
    printed = file.read_bytes()
    assert printed.startswith(b"%PDF-")
    assert b"/StructTreeRoot" in printed  # tagged
    assert b"/FontFile" in printed


@pytest.mark.skipif(browser() is None, reason="needs Chromium")
def test_contents_have_the_pages_of_their_headings() -> None:
    document = Document("T", "about it", "simulated", datetime(2026, 3, 1))
    headings = [Heading(2, f"Part {n}", str(n)) for n in range(1, 4)]
    document.blocks.append(Contents(tuple(headings)))
    for heading in headings:
        document.blocks.extend([heading, Text("text"), PageBreak()])
    assert pages_of_bookmarks(pdf(html(document))) == [1, 2, 3, 4]


def test_figures_and_tables_are_numbered_and_headings_of_nothing_left_out() -> None:
    column = (Column("n", is_number=True),)
    blocks = [
        Heading(2, "First"), Heading(3, "Part"), Chart("a", None), Chart("b", None),
        Heading(3, "None"),
        Table("t", column, (("1",),)), Heading(3, "Bare"), Heading(2, "Bare too"),
        Heading(2, "Appendix: all"), Text("a"), Heading(2, "End"),
    ]  # fmt: skip
    contents, *found = number_blocks(blocks, is_note=False)
    assert isinstance(contents, Contents)
    assert [one.number for one in contents.headings] == ["1", "1.1", "1.2", "A"]
    assert [b.number for b in found if isinstance(b, Chart | Table)] == [1, 2, 1]
    assert found[-2] == Heading(2, "All", "A")


def test_a_team_writes_beside_its_manifest(
    bundled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = Report_(
        Reader(bundled), preset_of("campaign"), {"campaign": "smoke", "origin": "simulated"}
    )
    (tmp_path / "smoke.introduction.md").write_text("# Why\n\nWe asked.")
    found = pl.DataFrame({"path": [str(tmp_path / "manifest.toml")]})
    monkeypatch.setattr(Reader, "frame", lambda *_: found)
    assert environment.team_text(report, "introduction") == [Text("**Why**\n\nWe asked.")]
    assert environment.team_text(report, "conclusions") == []
    report.values["campaign"] = "../smoke"
    assert environment.team_text(report, "introduction") == []


def test_pdf_without_a_browser_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing.shutil, "which", lambda _: None)
    with pytest.raises(ReportError, match="apt install chromium"):
        pdf("<p>text</p>")


def test_command_writes_a_report(bundled: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    command = ["report", "campaign", "--campaign", "smoke", "--out", str(out)]
    assert main([*command, "--warehouse", str(bundled)]) == 0
    assert "<h1>Campaign smoke" in out.read_text(encoding="utf-8")


def test_command_lists_the_presets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in NAMES)


@cases
def test_usage_error_is_one_line(
    bundled: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    out = ["--out", str(tmp_path / "r.html"), "--warehouse", str(bundled)]
    assert main(["report", *arguments, *out]) == 2
    complaint = capsys.readouterr().err
    assert says in complaint
    assert complaint.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_report_needs_a_suffix_that_it_knows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "campaign", "--out", str(tmp_path / "r.doc")]) == 2
    assert "ending in .html, .pdf, .md" in capsys.readouterr().err


def test_other_metrics_are_not_parts_of_a_regression() -> None:
    parts = [
        {"dimension": "address space", "what": "AGNTA3", "before": 1.0, "after": 1.5, "unit": None},
        {
            "dimension": "figure",
            "what": "cpu_per_get",
            "before": 3.0,
            "after": 5.0,
            "unit": "CPU us",
        },
    ]
    split = split_of({"unit": "CPU s/GB", "parts": json.dumps(parts)})
    assert split.select("dimension", "name", "unit", "change").rows() == [
        ("figure", "CPU time per MQGET", "CPU µs", 2.0),
        ("address space", "AGNTA3", "CPU s/GB", 0.5),
    ]
    assert split_of({"unit": "s", "parts": None}).is_empty()
