"""Costs in money on the pages: only where the site gives prices."""

import pytest

from app.dashboard.navigation import view_of
from tests.kit.dashboard import altered

PRICES = """
    INSERT INTO marts.fct_run_price BY NAME
    SELECT
        origin, source_id, record_no, run_id, campaign, configuration_id, git_revision, start_utc,
        'EUR' AS currency, 0.5 AS money_per_cp_second, 0.0 AS network_money
    FROM marts.fct_run;
    UPDATE marts.fct_usage_hour SET cost_money = 0.5 * general_purpose_seconds, currency = 'EUR'
"""


@pytest.fixture(scope="module")
def priced(bundled, tmp_path_factory):
    """A copy of the bundled warehouse's file in which each second on a CP costs 50 cents."""
    return altered(bundled, tmp_path_factory.mktemp("priced"), [PRICES])


def words(page):
    texts = [str(one.value) for one in (*page.markdown, *page.caption)]
    columns = [table.proto.columns for table in page.dataframe]
    columns += [str(t.value["currency"].iloc[0]) for t in page.dataframe if "currency" in t.value]
    return "\n".join([*texts, *columns, *(one.label for one in page.metric)])


@pytest.mark.parametrize("name", ["cost", "usage"])
def test_money_is_shown_where_there_are_prices(open_page, bundled, priced, name):
    assert "EUR" not in words(open_page(view_of(name), bundled))
    page = open_page(view_of(name), priced)
    assert not page.exception
    assert "EUR" in words(page)
