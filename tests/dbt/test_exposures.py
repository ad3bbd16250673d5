"""Each page of the dashboard is an exposure in the dbt project, with the marts that it reads."""

import re
from pathlib import Path

import pytest
import yaml

from tests.dbt import pages

ROOT = Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "app/dashboard"
QUERIES = ROOT / "app/results/queries"
PRESETS = ROOT / "app/reports/presets"
VIEWS = sorted(file.stem for file in DASHBOARD.glob("views/*.py") if file.stem != "__init__")
# an import in a query module -> the files that name its marts
BEHIND = {
    "from app.results.comparison import": [
        "app/results/comparison.py",
        "app/results/sides.py",
        "expectations/regressions/series.py",
    ],
    "from app.results.queries.rules import": ["app/results/queries/rules.py"],
    "from app.results.regressions import": ["expectations/regressions/series.py"],
}
EXPOSURES = {
    exposure["name"]: exposure
    for exposure in yaml.safe_load((ROOT / "dbt/models/exposures.yml").read_text())["exposures"]
}


def marts_of(view: str) -> set[str]:
    """Return the marts that the query modules of a page name."""
    text = (DASHBOARD / "views" / f"{view}.py").read_text()
    listed = re.findall(r"from app\.results\.queries import ([\w, ]+)", text)
    modules = [part.split()[0] for parts in listed for part in parts.split(",")]
    modules += re.findall(r"from app\.results\.queries\.(\w+) import", text)
    if "from app.dashboard.no_runs import" in text:
        modules.append("recorded")
    if re.search(r"from app\.dashboard import .*\bsystems\b", text):  # its frame shades runs
        modules.append("systems")
    queries = "".join((QUERIES / f"{name}.py").read_text() for name in modules)
    for pattern, files in BEHIND.items():
        if pattern in queries:
            queries += "".join((ROOT / file).read_text() for file in files)
    if "from app.reports" in text:  # their own queries, and those of app.reports.facts
        queries += "".join(file.read_text() for file in PRESETS.glob("*/*.sql"))
        for name in (
            "app/results/queries/advice.py",
            "app/results/queries/rules.py",
            "app/results/comparison.py",
            "app/results/sides.py",
            "expectations/regressions/series.py",
        ):
            queries += (ROOT / name).read_text()
    return set(re.findall(r"\bmarts\.(\w+)", queries))


def test_every_page_has_an_exposure() -> None:
    assert VIEWS
    assert sorted(EXPOSURES) == VIEWS


@pytest.mark.parametrize("view", VIEWS)
def test_an_exposure_names_the_marts_of_its_page(view: str) -> None:
    assert marts_of(view)
    assert {f"ref('{mart}')" for mart in marts_of(view)} == set(EXPOSURES[view]["depends_on"])


def test_every_mart_is_on_a_page() -> None:
    """But a justified few: add a mart to a page rather than to these."""
    shown = {mart for page in pages.exposures().values() for mart in page["marts"]}
    assert sorted(set(pages.marts()) - shown) == sorted(pages.ON_NO_PAGE)


def test_docs_list_every_page_and_mart() -> None:
    assert pages.PAGE.read_text() == pages.text(), "run: python -m tests.dbt.pages"
