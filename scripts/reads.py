"""Which marts a page reads: those in its declaration, or in the SQL that its script refers to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from app.results.pages import FOLDER, page_of

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("app", "expectations")
#: The verdicts on top of a page are on what its charts show.
_VERDICTS = ("app.dashboard.health", "strip")
#: What pages that need runs say where there are none.
_WITHOUT_RUNS = ("app.dashboard.no_runs", "no_runs")
#: The menu names all pages.
_MENU = {("app.results.pages", name) for name in ("files", "page_of")}
#: What draws a page that a file declares.
_DRAWN = ("app.dashboard.systems", "draw")
_MART = re.compile(r"\bmarts\.(\w+)")
_PAGE = re.compile(r'^page = "([\w-]+)"', re.MULTILINE)


class Module(NamedTuple):
    """What a module defines, by name, and the names that it imports: (module, name in it)."""

    defined: dict[str, list[ast.stmt]]
    imported: dict[str, tuple[str, str]]


def marts_of(script: Path) -> set[str]:
    """Return the marts that a page reads."""
    reached, names = {_VERDICTS, _WITHOUT_RUNS, *_MENU}, ""
    if script.suffix == ".toml":
        todo = [_DRAWN]
        names = _marts_of_page(script)
    else:
        page = ".".join(script.relative_to(ROOT).with_suffix("").parts)
        todo = [(page, name) for name in _module(page).defined]
    while todo:
        module, name = reached_name = todo.pop()
        if reached_name in reached:
            continue
        reached.add(reached_name)
        defined, imported = _module(module)
        if name not in defined and name in imported:
            todo.append(imported[name])
        for node in defined.get(name, ()):
            names += "".join(_texts(node, module))
            todo += _references(node, module)
    marts = {file.stem for file in (ROOT / "dbt/models/marts").glob("*/*.sql")}
    return marts & set(_MART.findall(names))


def _file(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    return next((f for f in (path.with_suffix(".py"), path / "__init__.py") if f.exists()), None)


@cache
def _module(name: str) -> Module:
    file, module = _file(name), Module({}, {})
    if file is None or name.partition(".")[0] not in ROOMS:
        return module
    tree = ast.parse(file.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            module.imported.update((n.asname or n.name, (node.module, n.name)) for n in node.names)
    for statement in tree.body:
        for defined in _defined(statement):
            module.defined.setdefault(defined, []).append(statement)
    return module


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.If):
        return ["__main__"]
    targets: list[ast.expr] = (
        node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", ast.expr())]
    )
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _texts(node: ast.AST, module: str) -> Iterator[str]:
    """Yield all texts, and the declarations that it names: files below its module's folder."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value + " "
            if part.value.endswith(".toml"):
                if (page := FOLDER / part.value).exists():
                    yield _marts_of_page(page)
                for file in ROOT.joinpath(*module.split(".")).rglob(part.value):
                    text = file.read_text()
                    yield text.replace('mart = "', "marts.")
                    for name in dict.fromkeys(_PAGE.findall(text)):  # a section of a page
                        yield _marts_of_page(FOLDER / f"{name.replace('-', '_')}.toml")


def _marts_of_page(page: Path) -> str:
    return "".join(f"marts.{mart} " for mart in page_of(page).reads)


def _references(node: ast.AST, module: str) -> Iterator[tuple[str, str]]:
    """Yield (module, name) of what a part of a module mentions."""
    defined, imported = _module(module)
    for part in ast.walk(node):
        value = part.value if isinstance(part, ast.Attribute) else part
        if not isinstance(value, ast.Name):
            continue
        if value.id in defined:
            yield module, value.id
        elif value.id in imported:
            parent, name = imported[value.id]
            if _file(f"{parent}.{name}") is None:
                yield parent, name
            elif isinstance(part, ast.Attribute):
                yield f"{parent}.{name}", part.attr
