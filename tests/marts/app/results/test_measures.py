"""What pages on systems show adds up by the rules of the marts; a query by hand for each kind."""

import pytest

from app.results.measures import measure, rules, summarise
from app.results.pages import files, page_of
from app.results.reader import Reader
from tests.kit.cases import cases

#: Columns that only one row can give: charts have a line for each of what they are of.
OF_ONE_ROW = {"cache_hit_percent", "log_compression_percent", "reads_saved_percent"}


def shown(page):
    """Return mart and text of every measure of a page."""
    found = [(tile.mart, tile.value) for tile in page.tiles]
    for section in page.sections:
        for panel in section.panels:
            values = [panel.values] if isinstance(panel.values, str) else panel.values.values()
            found += [(panel.mart, value) for value in values]
        found += [
            (table.mart, name if isinstance(column, str) else column[1])
            for table in section.tables
            if table.by
            for name, column in table.columns.items()
        ]
    return found


@pytest.fixture(scope="module")
def reader(bundled):
    return Reader(bundled)


@pytest.mark.parametrize("file", files(), ids=lambda file: file.stem)
def test_every_measure_of_a_page_has_a_rule(file, reader):
    page = page_of(file)
    for mart, text in shown(page):
        known = rules(reader, mart)
        assert known or "marts." not in mart
        measure(text, known)
        if text in known and text not in OF_ONE_ROW:
            assert known[text].adds not in ("key", "no"), text


@cases
def test_a_measure_is_the_query_by_hand(mart, column, by_hand, reader):
    found = summarise(reader, mart, [column], ["origin"]).rows()
    wanted = reader.frame(f"select origin, {by_hand} from marts.{mart} group by all order by 1")
    assert [origin for origin, _ in found] == wanted["origin"].to_list()
    assert [value for _, value in found] == pytest.approx(wanted.to_series(1).to_list())
