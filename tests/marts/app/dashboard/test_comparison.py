"""The page Comparison: two sides of any kind, and every published table as a preset."""

from urllib.parse import parse_qs

import pytest

from app.dashboard.navigation import view_of
from app.results.queries import comparison
from app.results.reader import Reader
from expectations.verdicts.verdict import NOT_JUDGED
from tests.kit.cases import cases
from tests.kit.dashboard import altered, charts, metrics, said

PAGE = view_of("comparison")
VERDICTS = ("Worse", "Better", "Undecided", "Same")


@cases
def test_sides_are_chosen_by_the_address(bundled, open_page, address, text, more):
    """The page asked for by an address, and what it says of it."""
    page = open_page(PAGE, bundled, **address)
    assert not page.exception
    assert text.lower() in said(page).lower()
    assert more in said(page)


def test_a_link_matches_runs_in_spite_of_what_they_differ_in(bundled, open_page):
    page = open_page(PAGE, bundled, compare="Factor", factor="message_size_bytes", ignore="ams")
    (link,) = (one.proto for one in page.get("page_link") if "in spite" in one.proto.label)
    address = parse_qs(link.query_string)
    assert address["ignore"] == ["ams", "messages"]
    page = open_page(PAGE, bundled, **address)
    assert charts(page) >= 3


def test_what_is_said_first_is_in_the_table(bundled, open_page):
    page = open_page(PAGE, bundled, compare="Machine")
    counts = {verdict: int(metrics(page)[verdict]) for verdict in VERDICTS}
    assert sum(counts.values()) > 0
    table = page.dataframe[0].value
    assert {v: (table["verdict"] == v.lower()).sum() for v in VERDICTS} == counts
    assert NOT_JUDGED not in set(table["verdict"])
    assert "Totals of runs" in said(page)
    assert charts(page) >= 3  # changes, rates, costs


def test_the_first_comparison_has_the_stored_verdicts(bundled, open_page):
    reader = Reader(bundled)
    begin = comparison.suggestion(reader, "simulated")
    assert begin.can_decide
    assert "begins with the latest comparison of which most is decided" in said(
        open_page(PAGE, bundled)
    )
    found = comparison.compare_sides(reader, *comparison.sides_of(begin, "simulated"))
    columns = "metric, baseline, candidate, estimate, low, high, noise_source, verdict, reason"
    stored = reader.frame(
        f"select {columns} from marts.fct_comparison where kind = 'machine' and level_before = ?"
        " and level_after = ? order by all",
        (*begin.baseline, *begin.candidate),
    )
    judged = [
        (pair.metric, *(getattr(pair.judged, name) for name in columns.split(", ")[1:]))
        for pair in found.pairs
        if pair.judged.verdict != NOT_JUDGED
    ]
    assert stored.rows() == sorted(judged)


@pytest.mark.parametrize("campaign", ["z16", "zcx"])
def test_what_compare_says_of_prints_is_stored(campaign, bundled):
    reader = Reader(bundled)
    candidate = {"campaign": campaign, "origin": "simulated"}
    found = comparison.compare_sides(reader, {"published": None}, candidate, parts=True)
    columns = "metric, estimate, low, high, verdict, reason, more_runs"
    stored = reader.frame(
        "select metric, difference_percent, low_percent, high_percent, verdict, reason, more_runs"
        " from marts.fct_print_on_runs where campaign = ? order by all",
        (campaign,),
    )
    judged = [
        (pair.metric, *(getattr(pair.judged, name) for name in columns.split(", ")[1:]))
        for pair in found.pairs
    ]
    assert stored.rows() == sorted(judged)


def test_names_with_a_comma_are_compared(bundled, tmp_path, open_page):
    name = 'z16, "second"'
    renamed = "update marts.{} set machine = '" + name + "' where machine = 'z16'"
    file = altered(bundled, tmp_path, [renamed.format(m) for m in ("fct_run", "dim_configuration")])
    page = open_page(PAGE, file, compare="Machine", candidate=name, baseline="z15")
    assert not page.exception
    assert f"{name} (" in said(page)
    assert charts(page) >= 1


def test_cpu_time_is_compared_at_one_speed(bundled, open_page):
    page = open_page(PAGE, bundled, figures="at one speed")
    assert not page.exception
    assert page.button_group(key="figures").value == "at one speed"
    against = open_page(PAGE, bundled, against="Published figures", figures="at one speed")
    assert against.button_group(key="figures").value == "whole runs"  # figures have no speed
