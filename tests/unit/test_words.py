"""Plain words: names say what a thing is, and documents say it as an engineer would."""

import ast
import re

import pytest

from app.pipeline.places import ROOT

ROOMS = ("app", "dags", "expectations", "ingest", "models_sim", "perfhouse", "scripts")
#: Names of values and functions that say nothing of what these hold or do.
FILLERS = {"asked", "beside", "found", "one", "told"}
PROSE = re.compile(
    r"\b(?:is|are|was|were|be) told\b(?! apart)|\bgiven again\b|\bhands? (?:it|them) out\b"
)
PAGES = [
    page
    for folder in ("", "docs", "docs/developers", "docs/decisions", "deploy", "examples")
    for page in sorted((ROOT / folder).glob("*.md"))
    if page.name != "CHANGELOG.md" and not page.name.endswith("-figures.md")  # of benches
]


@pytest.mark.parametrize("room", ROOMS)
def test_names_say_what_a_thing_is(room):
    fillers = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in sorted((ROOT / room).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if (name := _bound_name(node)).strip("_") in FILLERS
    ]
    assert fillers == []


def _bound_name(node: ast.AST) -> str:
    """Return the name that a node gives to a value or a function, '' if it gives none."""
    if isinstance(node, ast.Assign | ast.For | ast.comprehension | ast.NamedExpr):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = (part.id for target in targets for part in ast.walk(target)
                 if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))  # fmt: skip
        return next((name for name in names if name.strip("_") in FILLERS), "")
    return node.name if isinstance(node, ast.FunctionDef) else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_documents_are_in_plain_words(page):
    assert PROSE.findall(page.read_text()) == []
