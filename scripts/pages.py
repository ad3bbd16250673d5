"""What each page of the dashboard shows, and which marts: writes docs/pages.md and dbt's exposures.

python -m scripts.pages; the pictures: python -m scripts.pictures WAREHOUSE
"""

from __future__ import annotations

import json
from textwrap import fill
from typing import NamedTuple

from app.dashboard.navigation import VIEWS, View
from scripts.reads import ROOT, marts_of

PAGE = ROOT / "docs" / "pages.md"
EXPOSURES = ROOT / "dbt/models/exposures.yml"
#: The marts that no page reads, and why.
ON_NO_PAGE = {
    "dim_published_configuration": "the settings of each printed figure: the pages word them",
    "fct_figure": "every figure with its factors in one long table: Comparison reads what is "
    "built from it",
    "fct_by_file_size": "rate and cost in a column per file size: Comparison has any factor",
    "fct_mq_rmf_interval": "which intervals of MQ and of RMF share time: for joins in SQL",
    "fct_pipeline_day": "Loads reads the log itself (`meta.pipeline_step`), which has what came "
    "after the last publish",
    "fct_pipeline_step": "as `fct_pipeline_day`",
    "fct_relative_measurement": "what the comparisons with documents and models read beside "
    "`fct_measurement`",
}


NOTES = """## Clocks and phones

Pages with a time range, and Run, show UTC or the local time of their systems, also where it changes
within the range. Systems with different local times, and pages about many systems, such as Runs,
Loads and Today, have UTC. Addresses always have UTC.

On a phone, tables begin with what names a row and with its numbers. That goes by what the browser
calls itself: Streamlit does not tell a page how wide it is. Legends and labels go by the width.
"""


def marts() -> list[str]:
    """Return the names of all marts."""
    return sorted(file.stem for file in (ROOT / "dbt/models/marts").glob("*/*.sql"))


class Page(NamedTuple):
    """A page of the dashboard: what it shows, in the first words of its script, and its marts."""

    view: View
    description: str
    marts: list[str]


def pages() -> list[Page]:
    """Return the pages of the dashboard, in menu order."""
    return [
        Page(
            view,
            view.about,
            sorted(marts_of(view.script)),
        )
        for view in VIEWS
    ]


def exposures() -> str:
    """Return dbt/models/exposures.yml."""
    lines = [
        "# Written by `python -m scripts.pages` from the pages; a test compares.",
        "version: 2",
        "",
    ]
    lines.append("exposures:")
    for view, description, read in pages():
        named = ", ".join(f"ref('{mart}')" for mart in read)
        lines += [
            f"  - name: {view.script.stem}",
            f"    label: {view.title}",
            "    type: dashboard",
            f"    description: {json.dumps(description)}",
            "    owner: {name: perfhouse}",
            fill(f"depends_on: [{named}]", 100, initial_indent="    ", subsequent_indent="      "),
            "",
        ]
    return "\n".join(lines)


def text() -> str:
    """Return docs/pages.md."""
    shown: dict[str, list[str]] = {}
    lines = []
    for view, description, read in pages():
        where = " > ".join(filter(None, (view.group, view.page, view.tab)))
        lines.append(f"| {where} | {description} |")
        for mart in read:
            shown.setdefault(mart, []).append(view.title)
    pictures = [
        "".join(f"| ![{view.title}{of}](pages/{folder}{view.path}.webp) "
                for folder, of in (("", ""), ("dark/", ", dark"), ("phone/", " on a phone"))) + "|"
        for view in VIEWS
    ]  # fmt: skip
    listed = [f"| `{mart}` | {', '.join(shown[mart])} |" for mart in marts() if mart in shown]
    hidden = [f"| `{mart}` | {why} |" for mart, why in ON_NO_PAGE.items() if mart not in shown]
    return "\n".join(
        [
            "# Pages of the dashboard",
            "",
            "Written by `python -m scripts.pages`; a test compares.",
            "",
            f"{len({view.page for view in VIEWS})} pages, some of them with tabs.",
            "",
            "| page | shows |",
            "|---|---|",
            *lines,
            "",
            NOTES,
            "## Pictures",
            "",
            "On simulated campaigns and the bundled data: what each page shows without scrolling.",
            "",
            "| light | dark | on a phone |",
            "|---|---|---|",
            *pictures,
            "",
            "## Which page reads which mart",
            "",
            "The pages SQL and Lineage read whatever is asked for.",
            "",
            "| mart | pages |",
            "|---|---|",
            *listed,
            "",
            "## Marts that no page reads",
            "",
            "| mart | why |",
            "|---|---|",
            *hidden,
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(text())
    EXPOSURES.write_text(exposures())
