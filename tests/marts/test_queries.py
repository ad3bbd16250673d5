"""The queries that README.md and docs/queries.md show run as printed, through the command line."""

import json
import re

import pytest

from app.cli.main import main
from app.pipeline.places import ROOT

PAGE = (ROOT / "docs/queries.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
# A heading, at most a paragraph of prose, and the query below it.
HEADED = re.compile(r"^##+ ([^\n]+)\n\n(?:[^#]+?\n\n)?```sql\n(.+?)```", re.MULTILINE | re.DOTALL)
QUERIES = dict(HEADED.findall(PAGE))
QUESTIONS = [title for title in QUERIES if title.endswith("?")]
# The bundled campaigns have one build each, came a few times, and their runs lack nothing.
WITHOUT_ROWS = {
    "What changed since the previous build, and where?",
    "What was expected last night, and is missing, suspected or worse?",
    "Which runs are not compared, or refused, and why?",
}


def answer(query, warehouse, capsys):
    assert main(["sql", query, "--format", "json", "--warehouse", str(warehouse)]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_query_on_the_page_is_found_by_its_heading():
    assert PAGE.count("```sql") == len(QUERIES)


def test_the_page_has_thirteen_questions():
    assert len(QUESTIONS) == 13
    assert set(QUESTIONS) >= WITHOUT_ROWS
    assert all("marts." in QUERIES[question] for question in QUESTIONS)


@pytest.mark.parametrize("title", QUERIES)
def test_query_on_the_page_runs(title, bundled, capsys):
    rows = answer(QUERIES[title], bundled, capsys)
    assert bool(rows) == (title not in WITHOUT_ROWS)


@pytest.mark.parametrize("title", QUESTIONS)
def test_answer_gives_the_origin_of_each_row(title, bundled, capsys):
    rows = answer(f"DESCRIBE ({QUERIES[title]})", bundled, capsys)
    assert "origin" in {row["column_name"] for row in rows}


def test_queries_in_the_readme_run(bundled, capsys):
    queries = re.findall(r"```sql\n(.+?)```", README, re.DOTALL)
    assert queries
    for query in queries:
        assert answer(query, bundled, capsys), query
