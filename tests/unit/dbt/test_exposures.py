"""Each page of the dashboard is an exposure in the dbt project, with the marts that it reads."""

import yaml

from app.dashboard.navigation import VIEWS
from scripts import pages
from scripts.reads import marts_of
from tests.kit.cases import cases


def test_the_exposures_of_dbt_are_the_pages_and_what_they_read() -> None:
    assert pages.EXPOSURES.read_text() == pages.exposures(), "run: python -m scripts.pages"


def test_every_page_has_an_exposure_that_says_what_it_shows() -> None:
    found = yaml.safe_load(pages.EXPOSURES.read_text())["exposures"]
    assert sorted(exposure["name"] for exposure in found) == sorted(v.script.stem for v in VIEWS)
    assert all(exposure["description"] and exposure["depends_on"] for exposure in found)


@cases
def test_a_page_reads_what_its_script_reaches(
    page: str, read: set[str], not_read: set[str]
) -> None:
    (script,) = (view.script for view in VIEWS if view.script.stem == page)
    found = marts_of(script)
    assert read <= found
    assert not not_read & found


def test_every_mart_is_on_a_page() -> None:
    """But a justified few: add a mart to a page rather than to these."""
    shown = {mart for page in pages.pages() for mart in page.marts}
    assert sorted(set(pages.marts()) - shown) == sorted(pages.ON_NO_PAGE)


def test_docs_list_every_page_and_mart() -> None:
    assert pages.PAGE.read_text() == pages.text(), "run: python -m scripts.pages"
