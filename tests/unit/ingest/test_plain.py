"""Views of ingest.formats.names: values in plain units, texts with unit and source."""

import duckdb

from ingest.formats.names import PLAIN_VIEWS, View
from ingest.lake.catalogue import plain_columns
from tests.kit.cases import cases

VIEWS = {view.name: view for view in PLAIN_VIEWS}
OFF = "INTERVAL '4294967295 us'"  # what MQ writes where online monitoring is off
MOST = 2**53 - 1  # a counter beyond it is damage


@cases
def test_a_field_is_shown_in_the_unit_of_its_plain_name(
    view: str, field: str, name: str, given: str, shown: object
) -> None:
    """Given is a value of the field as SQL."""
    sql = {plain: sql for plain, sql, _ in plain_columns(VIEWS[view])}[name]
    assert duckdb.sql(f"SELECT {sql} FROM (SELECT {given} AS {field})").fetchall() == [(shown,)]


def test_a_view_may_have_some_rows_of_its_table() -> None:
    where = VIEWS["zos_cpu__job_identification"].where
    kept = f"SELECT * FROM (VALUES (1), (2)) AS section (section_no) WHERE {where}"
    assert duckdb.sql(kept).fetchall() == [(1,)]


def test_a_text_ends_with_the_fields_that_it_is_from() -> None:
    columns = (
        ("nullif(qmstopen, 0) + qmstclos", "calls", "Calls. Unit: calls."),
        ("qmstget", "gets", "Gets. Unit: calls. Source: said otherwise."),
    )
    texts = [text for *_, text in plain_columns(View("x", "smf115_qmst", "X.", columns))]
    assert texts == [
        "Calls. Unit: calls. Source: QMSTOPEN, QMSTCLOS.",
        "Gets. Unit: calls. Source: said otherwise.",
    ]
