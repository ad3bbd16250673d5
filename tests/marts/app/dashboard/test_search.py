"""The box that finds pages, owners of records, campaigns, builds, regressions and runs by name."""

import pytest

from app.dashboard.navigation import VIEWS, view_of
from app.results.queries.finding import destinations
from app.results.reader import Reader
from tests.kit.cases import cases


@cases
def test_a_part_of_a_name_finds_it(bundled, text, words, path):
    found = {one.words: one.path for one in destinations(Reader(bundled), text)}
    assert found[words] == path


def test_what_no_name_has_is_not_found(bundled):
    assert destinations(Reader(bundled), "no such thing") == []


@pytest.mark.parametrize(
    ("text", "title"),
    [("lineage", "Lineage"), ("SYN1/SYQ2", "Health of queue managers"), ("Runs", "Runs")],
)
def test_the_only_thing_with_a_name_is_opened(bundled, open_page, text, title):
    page = open_page(VIEWS[0], bundled)
    page.text_input(key="_find").set_value(text).run()
    assert not page.exception
    assert page.title[0].value == title


def test_several_are_listed_and_nothing_is_said(bundled, open_page):
    page = open_page(view_of("sql"), bundled)
    page.text_input(key="_find").set_value("smoke-").run()
    links = [link.proto.label for link in page.get("page_link")]
    assert len([label for label in links if "Run smoke" in label]) > 1
    page.text_input(key="_find").set_value("capacity").run()  # a subject
    assert page.title[0].value == "Usage"
    page.text_input(key="_find").set_value("![x](http://y)").run()
    assert "Nothing has" in "".join(one.value for one in page.caption)
    assert page.text_input(key="_find").value == ""
