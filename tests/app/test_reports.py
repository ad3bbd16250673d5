"""Reports: one file that needs nothing else, with the figures of the marts."""

import re
from pathlib import Path

import duckdb
import polars as pl
import pytest

from app.cli.main import main
from app.reports.page import Page


def report(full: Path, tmp_path: Path, *arguments: str) -> str:
    out = tmp_path / "report.html"
    assert main(["report", *arguments, "--out", str(out), "--warehouse", str(full)]) == 0
    return out.read_text(encoding="utf-8")


def loads_nothing(html: str) -> bool:
    """Whether no part of a page comes from elsewhere."""
    names = "(?:src|href)"
    return not re.search(
        rf"<(?:script|link|img|iframe)\b|@import|url\((?!#)|{names}=.https?:", html
    )


def test_a_campaign_report_has_the_rates_of_its_runs(full: Path, tmp_path: Path) -> None:
    html = report(full, tmp_path, "campaign", "--campaign", "smoke")
    assert loads_nothing(html)
    assert html.count("<svg") >= 3
    with duckdb.connect(str(full), read_only=True) as db:
        rates = db.execute(
            "SELECT median(value) FROM marts.fct_measurement WHERE campaign = 'smoke' "
            "AND metric = 'rate' AND system_id IS NULL GROUP BY configuration_id"
        ).fetchall()
    assert rates
    for (rate,) in rates:
        assert f'<td class="n">{rate:,.4g}</td>' in html
    assert "transfers.xml" in html  # a source file


def test_a_comparison_report_judges_every_pair(full: Path, tmp_path: Path) -> None:
    html = report(
        full, tmp_path, "comparison", "--baseline", "machine=z15", "--candidate", "machine=z16"
    )
    assert loads_nothing(html)
    assert "machine=z16 against machine=z15" in html
    assert "<svg" in html


def test_a_report_of_no_regressions_says_so(full: Path, tmp_path: Path) -> None:
    assert "0 open" in report(full, tmp_path, "regressions")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["campaign", "--campaign", "none"], "no such campaign"),
        (["comparison"], "say --baseline and --candidate"),
        (["comparison", "--baseline", "x", "--candidate", "y"], "no run's campaign"),
        (["weather"], "invalid choice"),
    ],
)
def test_a_wrong_use_is_one_line(
    full: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    out = ["--out", str(tmp_path / "r.html"), "--warehouse", str(full)]
    assert main(["report", *arguments, *out]) == 2
    complaint = capsys.readouterr().err
    assert says in complaint
    assert complaint.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_what_stands_in_cells_is_text() -> None:
    page = Page("<b>", "a & b")
    page.table(pl.DataFrame({"a": ["<script>"], "n": [1234567.0]}), {"a": "A<", "n": "N"})
    assert "<script>" not in page.html()
    assert "1,234,567" in page.html()
