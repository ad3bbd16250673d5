"""What each page of the dashboard shows, with its picture, and which marts: writes docs/pages.md.

python -m tests.dbt.pages; the pictures: python -m tests.app.dashboard.pictures WAREHOUSE
"""

from __future__ import annotations

from pathlib import Path

import yaml

from app.dashboard.navigation import VIEWS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "pages.md"
#: The marts that no page reads, and why.
ON_NO_PAGE = {
    "fct_figure": "every figure with its factors in one long table: Factors reads what is built "
    "from it",
    "fct_mq_rmf_interval": "which intervals of MQ and of RMF share time: for joins in SQL",
    "fct_pipeline_day": "Pipeline reads the log itself (`meta.pipeline_step`), which has what came "
    "after the last publish",
    "fct_pipeline_step": "as `fct_pipeline_day`",
}


def marts() -> list[str]:
    """Return the names of all marts."""
    return sorted(file.stem for file in (ROOT / "dbt/models/marts").glob("*/*.sql"))


def exposures() -> dict[str, dict[str, object]]:
    """Return the pages of the dbt project by name: their description and the marts they read."""
    text = (ROOT / "dbt/models/exposures.yml").read_text()
    return {
        one["name"]: {
            "description": one["description"],
            "marts": [reference.split("'")[1] for reference in one["depends_on"]],
        }
        for one in yaml.safe_load(text)["exposures"]
    }


def text() -> str:
    """Return docs/pages.md."""
    known = exposures()
    shown: dict[str, list[str]] = {}
    lines = []
    for view in VIEWS:
        page = known[view.script.stem]
        where = f"{view.group} > {view.title}" if view.group else view.title
        lines.append(f"| {where} | {page['description']} |")
        for mart in page["marts"]:  # type: ignore[attr-defined]
            shown.setdefault(mart, []).append(view.title)
    pictures = [f"![{view.title}](pages/{view.path}.png)" for view in VIEWS]
    pairs = [pictures[place : place + 2] for place in range(0, len(pictures), 2)]
    listed = [f"| `{mart}` | {', '.join(shown[mart])} |" for mart in marts() if mart in shown]
    hidden = [f"| `{mart}` | {why} |" for mart, why in ON_NO_PAGE.items() if mart not in shown]
    return "\n".join(
        [
            "# Pages of the dashboard",
            "",
            "Written by `python -m tests.dbt.pages`; a test compares.",
            "",
            "| page | shows |",
            "|---|---|",
            *lines,
            "",
            "## Pictures",
            "",
            "On simulated campaigns and the bundled data: what each page shows without scrolling.",
            "",
            "| | |",
            "|---|---|",
            *(f"| {' | '.join(pair)} |{'' if pair[1:] else ' |'}" for pair in pairs),
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
