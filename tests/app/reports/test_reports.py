"""Reports: a single self-contained file with the values of the marts."""

import json
import re
from pathlib import Path

import duckdb
import polars as pl
import pytest

from app.cli.main import main
from app.reports.page import Page
from app.results.regressions import split_of


def report(full: Path, tmp_path: Path, *arguments: str) -> str:
    out = tmp_path / "report.html"
    assert main(["report", *arguments, "--out", str(out), "--warehouse", str(full)]) == 0
    return out.read_text(encoding="utf-8")


def loads_nothing(html: str) -> bool:
    """Whether the page loads nothing from elsewhere."""
    names = "(?:src|href)"
    return not re.search(
        rf"<(?:script|link|img|iframe)\b|@import|url\((?!#)|{names}=.https?:", html
    )


def test_campaign_report_shows_the_rates_of_its_runs(full: Path, tmp_path: Path) -> None:
    html = report(full, tmp_path, "campaign", "--campaign", "smoke")
    assert loads_nothing(html)
    assert html.count("<svg") >= 3
    with duckdb.connect(str(full), read_only=True) as db:
        rates = db.execute(
            "SELECT median(value) FROM marts.fct_measurement WHERE campaign = 'smoke' "
            "AND metric = 'rate' GROUP BY configuration_id"
        ).fetchall()
    assert rates
    for (rate,) in rates:
        assert f'<td class="n">{rate:,.4g}</td>' in html
    assert "transfers.xml" in html  # a source file


def test_comparison_report_names_both_sides(full: Path, tmp_path: Path) -> None:
    html = report(
        full, tmp_path, "comparison", "--baseline", "machine=z15", "--candidate", "machine=z16"
    )
    assert loads_nothing(html)
    assert "machine=z16 against machine=z15" in html
    assert "<svg" in html


def test_report_without_regressions_says_so(full: Path, tmp_path: Path) -> None:
    assert "0 open" in report(full, tmp_path, "regressions")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["campaign", "--campaign", "none"], "no such campaign"),
        (["comparison"], "--baseline and --candidate are required"),
        (["comparison", "--baseline", "x", "--candidate", "y"], "'x' is no campaign"),
        (["weather"], "invalid choice"),
    ],
)
def test_usage_error_is_one_line(
    full: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    out = ["--out", str(tmp_path / "r.html"), "--warehouse", str(full)]
    assert main(["report", *arguments, *out]) == 2
    complaint = capsys.readouterr().err
    assert says in complaint
    assert complaint.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_texts_are_escaped() -> None:
    page = Page("<b>", "a & b", "<i>")
    page.section("<u>", "<s>")
    page.table(pl.DataFrame({"a": ["<script>"], "n": [1234567.0]}), {"a": "A<", "n": "N"})
    html = page.html()
    for tag in ("<b>", "<i>", "<u>", "<s>", "<script>", "A<<"):
        assert tag not in html
    assert "<h1>&lt;b&gt;" in html
    assert '<td class="n">1,234,567</td>' in html


def test_missing_values_are_dashes() -> None:
    page = Page("title", "summary")
    page.table(
        pl.DataFrame({"n": [None, float("nan"), 0.5], "ok": [None, True, False]}),
        {"n": "N", "ok": "OK"},
    )
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page.html())
    assert cells == ["–", "–", "–", "yes", "0.5", "no"]  # noqa: RUF001


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
        ("figure", "CPU per get", "CPU µs", 2.0),
        ("address space", "AGNTA3", "CPU s/GB", 0.5),
    ]
    assert split_of({"unit": "s", "parts": None}).is_empty()
