"""The sources of the web site of the documentation, which zensical builds: see `make site`.

The Markdown files of the project keep their places, so that the links between them hold; pages of
the Python API, of every command and of the columns of every mart are made from the code.
"""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import duckdb

import perfhouse
from app.cli.main import _parser
from app.pipeline.empty import kept_build
from app.pipeline.places import ROOT

_PAGES = ("*.md", "*.webp", "*.png", "*.svg", "*.csv", "*.toml")


def python() -> Iterator[str]:
    """Yield the sections of the Python API: signatures, and docstrings with their examples."""
    yield f"# Python\n\n{_text(perfhouse)}"
    for name in (name for name in perfhouse.__all__ if not name.startswith("_")):
        attribute = getattr(perfhouse, name)
        yield f"## {name}\n\n{_signature(name, attribute)}{_text(attribute)}"
        if inspect.isclass(attribute):
            for key, member in vars(attribute).items():
                if not key.startswith("_") and inspect.getdoc(member):
                    yield f"### {key}\n\n{_signature(key, member)}{_text(member)}"


def _signature(name: str, of: object) -> str:
    is_plain = inspect.isclass(of) and issubclass(of, Exception)
    if is_plain or not callable(of):
        return ""
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(of)))
    return f"```python\n{name}{re.sub(r'^.self(, )?', '(', signature)}\n```\n\n"


def _text(of: object) -> str:
    paragraphs = (inspect.getdoc(of) or "").split("\n\n")
    return "\n\n".join(f"```python\n{p}\n```" if p.startswith(">>>") else p for p in paragraphs)


def commands(parser: ArgumentParser) -> Iterator[tuple[str, str]]:
    """Yield the name of each command with its help."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for name, command in action.choices.items():
                yield name, command.format_help()


def marts(database: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each mart with a page of its columns."""
    with duckdb.connect(str(database), read_only=True) as db:
        rows = db.execute("""
            SELECT table_name, any_value(relation.comment),
                list((column_name, data_type, own.comment) ORDER BY column_index)
            FROM duckdb_columns() AS own
            JOIN (
                SELECT schema_name, table_name, comment FROM duckdb_tables()
                UNION ALL
                SELECT schema_name, view_name, comment FROM duckdb_views()
            ) AS relation USING (schema_name, table_name)
            WHERE schema_name = 'marts' GROUP BY table_name ORDER BY table_name
        """).fetchall()
    for name, text, columns in rows:
        lines = [f"# {name}", "", text or "", "", "| column | type | is |", "|---|---|---|"]
        lines += [
            "| {} | {} | {} |".format(*(str(part or "").replace("|", "\\|") for part in column))
            for column in columns
        ]
        yield name, "\n".join(lines) + "\n"


def main(folder: Path) -> None:
    """Write the sources of the site to a folder, which is emptied before."""
    shutil.rmtree(folder, ignore_errors=True)
    files = subprocess.run(
        ["git", "ls-files", *_PAGES], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    for name in files:
        if not name.startswith(("tests/", "dbt/", "data/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    reference = folder / "reference"
    (reference / "marts").mkdir(parents=True)
    (reference / "python.md").write_text("\n\n".join(python()), encoding="utf-8")
    blocks = [f"## {name}\n\n```text\n{text}```\n" for name, text in commands(_parser())]
    (reference / "commands.md").write_text("\n".join(["# Commands\n", *blocks]), encoding="utf-8")
    if not (database := kept_build()):
        sys.exit("site: no build of an empty warehouse is in the cache; run make setup")
    index = ["# Columns of marts", ""]
    for name, page in marts(database):
        (reference / "marts" / f"{name}.md").write_text(page, encoding="utf-8")
        index.append(f"- [{name}]({name}.md): {page.splitlines()[2]}")
    (reference / "marts" / "README.md").write_text("\n".join(index) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
