"""Docstrings hold to their signatures: who says "Return" returns, who says "Yield" yields."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from app.pipeline.places import ROOT
from tests.kit.cases import cases

FOLDERS = ("app", "dags", "expectations", "ingest", "models_sim", "perfhouse", "scripts")
ITERATED = re.compile(r"^(Async)?(Iterator|Iterable|Generator)\b|^AbstractContextManager\b")


def wrong(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return what a function's docstring says that its signature does not; '' if it holds."""
    said = (ast.get_docstring(node) or "").partition("\n\n")[0]
    kind = ast.unparse(node.returns) if node.returns else ""
    if not said or not kind:
        return ""
    if re.search(r"(^|[.;] )Returns? (?!early\b)", said) and kind in {"None", "NoReturn"}:
        return "says Return, and returns nothing"
    if re.match(r"Yield\b", said) and not ITERATED.match(kind):
        return f"says Yield, and returns {kind}"
    if re.match(r"Return whether\b", said) and "bool" not in kind and "Expr" not in kind:
        return f"says Return whether, and returns {kind}"
    if kind == "bool" and re.match(r"Return (?!whether\b|False\b|True\b|if\b)", said):
        return "returns bool, and does not say Return whether"
    return ""


def functions(source: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions and methods of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_docstrings_hold_to_their_signatures() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}: {node.name} {reason}"
        for folder in FOLDERS
        for file in sorted((ROOT / folder).rglob("*.py"))
        for node in functions(file.read_text(encoding="utf-8"))
        if (reason := wrong(node))
    ]
    assert found == []


@cases
def test_what_contradicts_a_signature_is_found(source: str, is_wrong: bool) -> None:
    (node,) = functions(source)
    assert bool(wrong(node)) is is_wrong
