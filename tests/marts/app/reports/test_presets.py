"""Presets as teams write them: files found one by one, values escaped, nothing but reading."""

import os
import re
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from app.pipeline.places import ROOT
from app.reports.cache import cached
from app.reports.document import Column, Document, ReportError, Table, Text
from app.reports.html import html
from app.reports.markdown import markdown
from app.reports.presets import preset_of
from app.reports.writing import made
from app.results.reader import Reader
from tests.kit.cases import cases
from tests.kit.presets import written


def page(bundled: Path, team: Path, template: str, **queries: str) -> str:
    files = {f"{name}.sql": sql for name, sql in queries.items()}
    written(team / "own", {"report.md.j2": template, **files})
    return html(made(Reader(bundled), "own", {}))


def test_names_in_data_are_neither_markdown_nor_html(bundled: Path, team: Path) -> None:
    sql = (
        "select '**a** <b>x</b> [l](http://h/) ![i](http://h/p) `c` | d' || chr(27) || chr(8238) "
        "as name, 1.5 as n"
    )
    text = page(
        bundled,
        team,
        '{% for row in rows("q") %}\nName: {{ row.name }}, {{ row.n }}.\n{% endfor %}\n'
        '{{ table("q", {"name": "N <i>", "n": "n"}, "caption <u>") }}',
        q=sql,
    )
    body = text[text.index("<main") :]
    assert not re.search(r"<(?:b|i|u|a|img|strong|code)\b", body)
    assert body.count("**a** &lt;b&gt;x&lt;/b&gt; [l](http://h/)") == 2
    assert body.count(r"| d\x1b\u202e") == 2


def test_a_title_from_data_does_not_turn_what_follows() -> None:
    name = "a\x1b]0;t\x07\u202eb"
    document = Document(name, name, "measured", datetime(2026, 3, 1))
    document.blocks.extend([Table(name, (Column(name, is_number=False),), ((name,),)), Text(name)])
    for text in (html(document), markdown(document, "own")[0]):
        assert all(sign.isprintable() or sign in "\n\t" for sign in text)
        assert text.replace("\\", "").count("ax1b]0;tx07u202eb") >= 5


def test_missing_values_are_dashes_and_numbers_have_three_digits(bundled: Path, team: Path) -> None:
    written(team / "own", {
        "report.md.j2": '{{ table("q", {"n": "n", "ok": "ok", "none": "none"}) }}',
        "q.sql": "select * from (values (null, true, null), ('nan'::double, null, null), "
        "(0.5, false, null), (1234567, true, null)) t(n, ok, none)",
    })  # fmt: skip
    (table,) = [b for b in made(Reader(bundled), "own", {}).blocks if isinstance(b, Table)]
    assert [column.heading for column in table.columns] == ["n", "ok"]  # none has no value
    assert table.rows == (
        ("–", "yes"), ("–", "–"), ("0.500", "no"), ("1,234,567", "yes"),  # noqa: RUF001
    )  # fmt: skip


@cases
def test_a_faulty_preset_is_refused_in_one_line(
    bundled: Path, team: Path, template: str, sql: str, says: str
) -> None:
    with pytest.raises(Exception, match=says) as caught:
        page(bundled, team, template, q=sql)
    assert "\n" not in str(caught.value)


def test_a_teams_query_goes_before_ours(bundled: Path, team: Path) -> None:
    written(team / "campaign", {"campaigns.sql": "select 'smoke' as campaign"})
    assert made(Reader(bundled), "campaign", {}).title == "Campaign smoke"
    assert preset_of("campaign").folders[0] == team / "campaign"


@cases
def test_a_faulty_preset_toml_is_refused(team: Path, toml: str, says: str) -> None:
    written(team / "own", {"preset.toml": toml})
    with pytest.raises(ReportError, match=says):
        preset_of("own")


def test_a_report_without_its_records_says_what_it_needs(bundled: Path, team: Path) -> None:
    written(team / "campaign", {"campaigns.sql": "select campaign from marts.fct_run where false"})
    with pytest.raises(ReportError, match="no loaded data for this report: it needs runs"):
        made(Reader(bundled), "campaign", {})


def test_figures_of_several_metrics_have_their_own_digits(bundled: Path, team: Path) -> None:
    written(team / "own", {
        "report.md.j2": '{{ table("q", {"metric": "M", "v": "v"}, figures=("v",)) }}',
        "q.sql": "select * from (values ('cost_per_GB', 2.8194), ('rate', 176.94)) t(metric, v)",
    })  # fmt: skip
    (table,) = [b for b in made(Reader(bundled), "own", {}).blocks if isinstance(b, Table)]
    assert [row[1] for row in table.rows] == ["2.819", "176.9"]


def test_a_heading_of_nothing_is_left_out(bundled: Path, team: Path) -> None:
    template = '## A\n\n### a\n\n{{ table("q", {"n": "n"}) }}\n\n## B\n\nb\n\n## C\n'
    text = page(bundled, team, template, q="select 1 as n where false")
    assert re.findall(r"<h\d>(.)</h", text) == ["B"]


def test_a_table_in_which_only_names_are_known_is_left_out(bundled: Path, team: Path) -> None:
    written(team / "own", {
        "report.md.j2": '{{ table("q", {"name": "Name", "n": "n"}) }}',
        "q.sql": "select 'MVS1' as name, null as n",
    })  # fmt: skip
    assert not [b for b in made(Reader(bundled), "own", {}).blocks if isinstance(b, Table)]


def test_a_report_is_kept_until_its_preset_changes(bundled: Path, team: Path) -> None:
    written(team / "own", {"report.md.j2": "first"})
    before = cached(Reader(bundled), preset_of("own"), {})
    assert cached(Reader(bundled), preset_of("own"), {}) is before
    file = team / "own" / "report.md.j2"
    file.write_text("second")
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))
    assert "second" in cached(Reader(bundled), preset_of("own"), {}).html


def test_the_example_of_the_documentation_is_a_report(bundled: Path, team: Path) -> None:
    text = (ROOT / "docs/reports.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL))
    written(
        team / "slowest",
        {
            "preset.toml": blocks["toml"],
            "slowest.sql": blocks["sql"],
            "report.md.j2": blocks["jinja"],
        },
    )
    document = made(Reader(bundled), "slowest", {"campaign": "smoke", "most": "2"})
    assert document.title == "Slowest runs of smoke"
    (table,) = [block for block in document.blocks if isinstance(block, Table)]
    with duckdb.connect(str(bundled), read_only=True) as db:
        slowest = db.execute(
            "SELECT run_id FROM marts.fct_measurement WHERE campaign = 'smoke' AND is_compared "
            "AND metric = 'rate' ORDER BY value LIMIT 2"
        ).fetchall()
    assert [(row[0],) for row in table.rows] == slowest
