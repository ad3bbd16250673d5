"""Views of ingest.formats.names: values in plain units, texts with unit and source."""

import duckdb
import pytest

from ingest.formats.names import PLAIN_VIEWS, View
from ingest.lake.catalogue import plain_columns

VIEWS = {view.name: view for view in PLAIN_VIEWS}
OFF = "INTERVAL '4294967295 us'"  # what MQ writes where online monitoring is off
MOST = 2**53 - 1  # a counter beyond it is damage
# view, field, plain name -> value of the field as SQL, value shown
CONVERTED = {
    ("mq__message_manager", "qmstspp", "persistent_puts"): [
        ("0", 0), (f"{MOST}", MOST), (f"{MOST + 1}", None), ("-1", None),
    ],
    ("mq__queue", "qqstqtst", "recent_time_on_queue_us"): [
        (OFF, None), ("INTERVAL '1500 us'", 1500),
    ],
    ("mq__channel", "qcstetav", "exit_average_us"): [("INTERVAL '1500 us'", 1500)],
    ("mq__storage_summary", "qsrsaval64", "storage_available_64bit"): [
        ("5368709120", 5368709120), ("18446744073709547521::UBIGINT", 18446744073709547521),
    ],
    ("mq__storage_summary", "qsrsmemlim", "storage_memory_limit_64bit"): [
        ("8192", 8589934592.0), ("17592186040320", 1.8446744069414584e19),
        ("18446744073709551615::UBIGINT", 1.9342813113834067e25),
    ],
    ("mq__channel_initiator", "qcctslim", "storage_limit_64bit"): [
        ("1073741824", 1073741824), ("18446744073709551615::UBIGINT", 18446744073709551615),
    ],
    ("mq__task_identification", "wtidcori", "correlation_hex"): [("'\\x5C\\x00'::BLOB", "5C00")],
    ("zos_cpu__job_identification", "smf30jnm", "job_id"): [("''", None), ("'JOB1'", "JOB1")],
    ("rmf_report__cf_request", "request", "request_kind"): [
        ("'CHNGD'", "changed"), ("'NEW'", "NEW"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("view", "field", "name", "given", "shown"),
    [(*column, *case) for column, cases in CONVERTED.items() for case in cases],
)
def test_a_field_is_shown_in_the_unit_of_its_plain_name(
    view: str, field: str, name: str, given: str, shown: object
) -> None:
    sql = {plain: sql for plain, sql, _ in plain_columns(VIEWS[view])}[name]
    assert duckdb.sql(f"SELECT {sql} FROM (SELECT {given} AS {field})").fetchall() == [(shown,)]


def test_a_view_may_have_some_rows_of_its_table() -> None:
    where = VIEWS["mq__record"].where
    kept = f"SELECT * FROM (VALUES (115), (30), (116)) AS record (record_type) WHERE {where}"
    assert duckdb.sql(kept).fetchall() == [(115,), (116,)]


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
