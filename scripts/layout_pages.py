"""docs/smf-explorer-names.md: fields under the names of IBM SMF Explorer and of perfhouse.

python -m scripts.layout_pages     # writes the page
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.pipeline.places import ROOT
from ingest.formats.names import PLAIN_VIEWS
from ingest.formats.names.smf_explorer import explorer_names
from scripts.evidence import RECORDS, layouts
from scripts.properties import STAGING, properties, resolve

PAGE = ROOT / "docs" / "smf-explorer-names.md"

_INTRODUCTION = """\
# Names of IBM SMF Explorer

Written by `python -m scripts.layout_pages`; do not edit.

IBM SMF Explorer, IBM's Python framework for SMF, gives many fields readable names. perfhouse has
names of its own, which say the unit. This page has both, for every field that perfhouse decodes and
to which SMF Explorer (z/OS 3.2) gives more than the manual's name. A name of perfhouse is a column
of the view or model in brackets, in schema `staging` of the working database; of a field without
one, `raw` has the field. What the marts make of a field, and fields by part of a name:

    perfhouse tables --field R723CVAL
    perfhouse tables --field goal_value
"""


def plain_names() -> dict[str, list[str]]:
    """Return the columns of staging that a field is in, or is part of, by the field."""
    result: dict[str, list[str]] = {}

    def add(text: str, name: str) -> None:
        for field in dict.fromkeys(re.findall(r"\w+", text.lower())):
            result.setdefault(field, []).append(name)

    for view in PLAIN_VIEWS:
        for column in view.columns:
            sql, name = (column, column) if isinstance(column, str) else column[:2]
            add(sql, f"`{name}` ({view.name})")
    for model in sorted(STAGING):
        for column in properties()[model].get("columns", ()):
            _, _, fields = resolve(column.get("description", "")).partition("Source: ")
            add(fields, f"`{column['name']}` ({model})")
    return result


def page() -> str:
    """Return the text of docs/smf-explorer-names.md."""
    return _INTRODUCTION + "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    names, plain = explorer_names(), plain_names()
    for prefix, title in RECORDS.items():
        rows = [
            (field, names[field], table, ", ".join(plain.get(field, ())))
            for table, layout in layouts().items()
            if table.startswith(f"{prefix}_")
            for field in layout.by_name
            if field in names
        ]
        if not rows:
            continue
        yield from ("", f"## {title}", "")
        yield "| field | IBM SMF Explorer | perfhouse | raw table |"
        yield "|---|---|---|---|"
        for field, name, table, ours in rows:
            yield f"| {field.upper()} | `{name}` | {ours} | {table} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
