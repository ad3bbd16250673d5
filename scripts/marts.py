"""What follows from the files of the marts, so that nobody lists them by hand.

python -m scripts.marts     # writes dbt/macros/test_marts.sql
"""

from __future__ import annotations

import json

from scripts.properties import DBT, FILES, MARTS

LIST = DBT / "macros" / "test_marts.sql"


def macro() -> str:
    """Return the text of dbt/macros/test_marts.sql."""
    areas: dict[str, list[str]] = {}
    for name in sorted(MARTS):
        areas.setdefault(FILES[name].parent.name, []).append(name)
    return f"""{{# The marts of a folder, or all: for tests that read several. Written by `python -m scripts.marts`. #}}
{{% macro marts(area=none) -%}}
    {{%- set by_area = {json.dumps(dict(sorted(areas.items())), indent=4)} -%}}
    {{{{ return(by_area[area] if area else by_area.values() | sum(start=[])) }}}}
{{%- endmacro %}}
"""  # noqa: E501


if __name__ == "__main__":
    LIST.write_text(macro(), encoding="utf-8")
