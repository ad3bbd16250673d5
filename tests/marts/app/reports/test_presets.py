"""Presets as teams write them: declarations, values escaped, nothing but reading."""

import os
import re
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from app.pipeline.places import ROOT
from app.reports.cache import cached_report
from app.reports.document import Column, Document, ReportError, Table, Text
from app.reports.html import html
from app.reports.markdown import markdown
from app.reports.presets import preset_of, presets
from app.reports.writing import make_report
from app.results.reader import Reader
from tests.kit.cases import cases
from tests.kit.presets import written
from tests.kit.report import tables

QUESTION = """
[[chapter.section]]
mart = "fct_run"
columns = {{ {columns} }}
where = "run_id = (select min(run_id) from marts.fct_run)"
"""


def asked(bundled: Path, team: Path, columns: str, more: str = "") -> Document:
    """Return a report with one question of one run."""
    written(team, QUESTION.format(columns=columns) + more)
    return make_report(Reader(bundled), "own", {})


def test_names_in_data_are_neither_markdown_nor_html(bundled: Path, team: Path) -> None:
    name = "'**a** <b>x</b> [l](http://h/) ![i](http://h/p) `c` | d' || chr(27) || chr(8238)"
    document = asked(
        bundled,
        team,
        f'"{name}" = "N <i>", "1.5" = "n"',
        'caption = "caption <u>"\nsays = "Name: {c0}, {c1}."\n',
    )
    text = html(document)
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


@cases
def test_a_faulty_section_is_refused_in_one_line(
    bundled: Path, team: Path, section: str, says: str
) -> None:
    written(team, f"[[chapter.section]]\n{section}")
    with pytest.raises(ReportError, match=says) as caught:
        make_report(Reader(bundled), "own", {})
    assert "\n" not in str(caught.value)
    assert "own.toml" in str(caught.value)


@cases
def test_a_faulty_preset_is_refused(team: Path, toml: str, says: str) -> None:
    (team / "own.toml").write_text(toml)
    with pytest.raises(ReportError, match=says):
        preset_of("own")


@pytest.mark.parametrize(
    "name", ["slowest/report.md.j2", "campaign/figures.sql", "slowest/preset.toml"]
)
def test_files_of_the_old_form_are_refused_with_what_replaces_them(team: Path, name: str) -> None:
    (team / name).parent.mkdir()
    (team / name).write_text("")
    with pytest.raises(ReportError, match=r"no longer .*NAME\.toml declares .*docs/upgrading\.md"):
        presets()


def test_sections_have_defaults_and_one_is_for_each_level(team: Path) -> None:
    (team / "own.toml").write_text("""
        title = "T"
        for = "x"
        defaults = { contrast = "tls", from = "N", where = { mode = "text" }, axes = ["mode"] }
        [[chapter]]
        title = "A"
        section = [
            { title = "{each}", each = { chunk_size = ["65536", "131072"] } },
            { contrast = "ams", where = { mode = "binary" } },
        ]
        [[chapter]]
        title = "B"
        defaults = { where = "campaign = $campaign" }
        section = [{ mart = "fct_run", columns = { run_id = "Run" }, where = "is_compared" }]
    """)
    (_, _, (small, large, ams)), (_, _, (question,)) = preset_of("own").chapters
    assert (small.title, large.title) == ("Chunk size 64 KB", "Chunk size 128 KB")
    assert large.says["where"] == {"mode": "text", "chunk_size": "131072"}
    assert ams.says["where"] == {"mode": "binary"}
    assert "from" not in ams.says  # a level of another factor
    assert question.says["where"] == "campaign = $campaign and is_compared"


def test_a_teams_preset_goes_before_ours(bundled: Path, team: Path) -> None:
    written(team, '[[chapter.section]]\ntext = "Our why."\n', "campaign")
    document = make_report(Reader(bundled), "campaign", {})
    assert document.title == "Ours"
    assert document.blocks[-1] == Text("Our why.")


def test_a_report_without_its_records_says_what_it_needs(bundled: Path, team: Path) -> None:
    (team / "own.toml").write_text(
        'title = "T"\nfor = "x"\n[options.a]\nneeds = "runs"\n'
        'choices = { mart = "fct_run", column = "campaign", where = "false" }\n'
    )
    with pytest.raises(ReportError, match="no loaded data for this report: it needs runs"):
        make_report(Reader(bundled), "own", {})


def test_what_says_nothing_is_left_out(bundled: Path, team: Path) -> None:
    document = asked(bundled, team, 'run_id = "Run", "null" = "None", "0" = "Zero"')
    assert not tables(document)
    written(
        team,
        '[[chapter.section]]\ntitle = "a"\nmart = "fct_run"\n'
        'columns = { run_id = "Run" }\nwhere = "false"\n',
    )
    assert not make_report(Reader(bundled), "own", {}).blocks


def test_a_report_is_kept_until_its_preset_changes(bundled: Path, team: Path) -> None:
    written(team, '[[chapter.section]]\ntext = "first"\n')
    before = cached_report(Reader(bundled), preset_of("own"), {})
    assert cached_report(Reader(bundled), preset_of("own"), {}) is before
    assert {hash(preset) for preset in presets()}  # also those with options can be kept
    written(team, '[[chapter.section]]\ntext = "second"\n')
    file = team / "own.toml"
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))
    assert "second" in cached_report(Reader(bundled), preset_of("own"), {}).html


@pytest.mark.parametrize("page", ["reports.md", "upgrading.md"])
def test_the_example_of_the_documentation_is_a_report(page: str, bundled: Path, team: Path) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(title = .*?)```", text, re.DOTALL)
    written(team, example, "slowest")
    document = make_report(Reader(bundled), "slowest", {"campaign": "smoke", "most": "2"})
    assert document.title == "Slowest runs of smoke"
    table = tables(document)[0]
    with duckdb.connect(str(bundled), read_only=True) as db:
        slowest = db.execute(
            "SELECT run_id FROM marts.fct_measurement WHERE campaign = 'smoke' AND is_compared "
            "AND metric = 'rate' ORDER BY value LIMIT 2"
        ).fetchall()
    assert [(row[0],) for row in table.rows] == slowest
