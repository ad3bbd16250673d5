from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from duckdb import DuckDBPyConnection

from expectations.audit import columns_in
from expectations.limits import read_limits
from expectations.rule import Rule
from expectations.suites.raw import EYECATCHERS, raw_suite
from tests.kit.databases import RECOUNT, A, broken, changed, make_raw

B = "bbbbbbbbbbbbbbbb"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(make_raw(tmp_path_factory.mktemp("raw") / "w.duckdb"))) as database:
        yield database


def rules_of(database: DuckDBPyConnection) -> list[Rule]:
    return list(raw_suite(read_limits(), columns_in(database)))


def failed(database: DuckDBPyConnection, *damage: str) -> dict[str, tuple[int, list[str]]]:
    """Return rule -> number of failing rows and the first of them, after `damage`."""
    with changed(database, "; ".join(damage)):
        found = {rule.name: broken(database, rule) for rule in rules_of(database)}
    return {name: rows for name, rows in found.items() if rows[0]}


def test_good_rows_break_no_rule(good: DuckDBPyConnection) -> None:
    assert failed(good) == {}


def test_empty_tables_break_no_rule(tmp_path: Path) -> None:
    with duckdb.connect(str(make_raw(tmp_path / "w.duckdb", fill=False))) as empty:
        assert len(rules_of(empty)) > 15
        assert failed(empty) == {}


# Description -> the statements that damage good rows, the rules that then fail and words of their
# message.
DAMAGE = {
    "a load that is older than hours of removed records": (
        (
            f"INSERT INTO raw.ledger_rolled VALUES ('{A}', '2016-03-01', NULL), "
            "('removed', '2016-03-01', '2026-01-01')"
        ),
        {
            "records_are_not_older_than_those_removed": [
                "load bbbbbbbbbbbb (b.dat)",
                "records from 2016-02-27",
            ]
        },
    ),
    "a record that the ledger did not count": (
        f"UPDATE raw.ledger SET records = records + 1 WHERE source_id = '{A}'",
        {"records_add_up": ["load aaaaaaaaaaaa (a.dat)", "12 records, 11 loaded"]},
    ),
    "a missing row of smf_record": (
        f"DELETE FROM raw.smf_record WHERE source_id = '{B}' AND record_no = 4",
        {"counts_agree_with_records": ["load bbbbbbbbbbbb (b.dat), type 115.215", "1 in", "0 r"]},
    ),
    "a record type that is not in the ledger": (
        f"DELETE FROM raw.ledger_count WHERE source_id = '{A}' AND record_type = 2",
        {"counts_agree_with_records": ["type 2: 0 in the ledger, 1 rows"]},
    ),
    "a quarantined record that is not in the ledger": (
        f"INSERT INTO raw.quarantine VALUES ('{A}', 'a.dat', 5, 77, NULL, 'cut short')",
        {
            "quarantine_agrees_with_ledger": ["(a.dat): 0 in the ledger, 1 rows"],
            "nothing_is_damaged": ["record 5 at offset 77 of a.dat: cut short"],
        },
    ),
    "rows of an unknown load": (
        "INSERT INTO raw.quarantine VALUES ('cccccccccccccccc', 'c.dat', 5, 77, NULL, 'cut short')",
        {
            "every_row_has_a_load": ["load cccccccccccc: 1 rows"],
            "nothing_is_damaged": ["record 5 at offset 77 of c.dat: cut short"],
        },
    ),
    "a wrong count of sections": (
        (
            f"UPDATE raw.ledger_count SET sections = sections + 1 WHERE source_id = '{B}' "
            "AND record_subtype = 1"
        ),
        {"sections_agree_with_rows": ["(b.dat): 5 in the ledger, 4 rows"]},
    ),
    "an empty load": (
        (
            "INSERT INTO raw.ledger VALUES ('dd', 'd.txt', 'measured', 'smf', 9, 'quarantined', "
            "'2026-01-01', 0, 0, 0)"
        ),
        {"loads_are_not_empty": ["load dd (d.txt): status quarantined, 9 bytes"]},
    ),
    "too many quarantined records": (
        (
            f"UPDATE raw.ledger SET records = 7, records_quarantined = 3 WHERE source_id = '{B}'; "
            "INSERT INTO raw.quarantine "
            f"SELECT '{B}', 'b.dat', i, 0, NULL, 'bad' FROM range(5, 8) t(i); "
            f"UPDATE raw.ledger SET records = 6 WHERE source_id = '{B}'"
        ),
        {
            "quarantine_is_small": ["load bbbbbbbbbbbb (b.dat): 3 of 6 records"],
            "nothing_is_damaged": [],
        },
    ),
    "a record of an unknown form": (
        (
            f"UPDATE raw.ledger SET records = records + 1, records_quarantined = 1 "
            f"WHERE source_id = '{A}'; "
            f"INSERT INTO raw.quarantine VALUES ('{A}', 'a.dat', 5, 77, 115, 'no QSRS')"
        ),
        {"every_form_is_known": ["record 5 at offset 77 of a.dat: no QSRS"]},
    ),
    "a line of an unknown form, in a compressed file that is cut": (
        (
            f"UPDATE raw.ledger SET kind = 'ioping', records = records + 2, "
            f"records_quarantined = 2 WHERE source_id = '{A}'; INSERT INTO raw.quarantine VALUES "
            f"('{A}', 'a.txt.gz', 5, 77, NULL, 'no request'), "
            f"('{A}', 'a.txt.gz', 0, 99, NULL, 'the gzip stream is cut')"
        ),
        {
            "quarantine_is_small": [],
            "nothing_is_damaged": ["record 0 at offset 99 of a.txt.gz: the gzip stream is cut"],
            "every_form_is_known": ["record 5 at offset 77 of a.txt.gz: no request"],
        },
    ),
    "a duplicate record number": (
        (
            f"INSERT INTO raw.smf_record SELECT * FROM raw.smf_record WHERE source_id = '{A}' "
            "AND record_no = 11; UPDATE raw.ledger_count SET records = 2 WHERE record_type = 116; "
            f"UPDATE raw.ledger SET records = records + 1, records_loaded = records_loaded + 1 "
            f"WHERE source_id = '{A}'"
        ),
        {
            "records_are_numbered_once": ["record 11 of load aaaaaaaaaaaa: 2 rows"],
            "records_come_once": [],
        },
    ),
    "a record from the future": (
        (
            "UPDATE raw.smf_record SET smf_time = now()::TIMESTAMP + INTERVAL 30 HOUR "
            f"WHERE source_id = '{A}' AND record_no = 11"
        ),
        {"moments_are_plausible": ["record 11 of load aaaaaaaaaaaa"]},
    ),
    "a record from 1971": (
        (
            f"UPDATE raw.smf_record SET smf_time = '1971-01-01' WHERE source_id = '{A}' "
            "AND record_no = 11"
        ),
        {"moments_are_plausible": ["1971-01-01 00:00:00"]},
    ),
    "a record without a time": (
        f"UPDATE raw.smf_record SET smf_time = NULL WHERE source_id = '{A}' AND record_no = 11",
        {"moments_are_plausible": ["no time"]},
    ),
    "a record loaded from two files": (
        (
            f"UPDATE raw.smf115_qwhs SET source_id = '{A}', record_no = record_no + 100 "
            f"WHERE source_id = '{B}'; UPDATE raw.smf_record SET source_id = '{A}', "
            f"record_no = record_no + 100 WHERE source_id = '{B}'; "
            f"UPDATE raw.smf115_qmst SET source_id = '{A}', record_no = record_no + 100 "
            f"WHERE source_id = '{B}'; "
            f"INSERT INTO raw.smf115_qwhs "
            f"SELECT * REPLACE ('{B}' AS source_id) FROM raw.smf115_qwhs "
            f"WHERE record_no > 100; "
            f"INSERT INTO raw.smf_record SELECT * REPLACE ('{B}' AS source_id) FROM raw.smf_record "
            f"WHERE record_no > 100; "
            "DELETE FROM raw.ledger_count; INSERT INTO raw.ledger_count "
            "SELECT source_id, record_type, record_subtype, count(*), 0 FROM raw.smf_record "
            "GROUP BY ALL; UPDATE raw.ledger SET records = n, records_loaded = n "
            "FROM (SELECT source_id AS s, count(*) AS n FROM raw.smf_record GROUP BY ALL) "
            "WHERE source_id = s"
        ),
        {"records_come_once": ["QM1 on SYS1, type 115.1: 1 records of load aaaaaaaaaaaa again in"]},
    ),
    "an interval of zero length": (
        (
            "UPDATE raw.smf115_qwhs SET qwhsdurn = INTERVAL 0 SECOND, qwhstime = qwhstime + "
            f"INTERVAL 1 MINUTE WHERE source_id = '{B}' AND record_no = 3"
        ),
        {
            "durations_are_plausible": ["QM1 on SYS1", "2016-02-27 10:04:00", "record 3", "0.0 s"],
            "intervals_have_all_subtypes": [],
        },
    ),
    "an interval longer than a day": (
        (
            "UPDATE raw.smf115_qwhs SET qwhsdurn = INTERVAL 25 HOUR, qwhstime = qwhstime - "
            f"INTERVAL 1499 MINUTE WHERE source_id = '{A}' AND qwhsiseq = 100"
        ),
        {"durations_are_plausible": ["subtype 1, 90000.0 s"]},
    ),
    "an interval that ends long before its record": (
        (
            f"UPDATE raw.smf115_qwhs SET qwhsstck = qwhsstck + INTERVAL 90 SECOND, qwhswseq = 5000 "
            f"WHERE source_id = '{B}' AND record_no = 4"
        ),
        {"intervals_end_with_their_record": ["subtype 215, written 90.0 s after its end"]},
    ),
    "an interval after a later one": (
        (
            "UPDATE raw.smf115_qwhs SET record_no = 105 - record_no; "
            "UPDATE raw.smf_record SET record_no = 105 - record_no; "
            "UPDATE raw.smf115_qmst SET record_no = 105 - record_no"
        ),
        {
            "intervals_are_in_time_order": [
                "interval from 2016-02-27 10:00:00 UTC (record 101 of load aaaaaaaaaaaa): ",
                "after the one from 2016-02-27 10:01:00",
            ]
        },
    ),
    "a missing interval inside a file": (
        "DELETE FROM raw.smf115_qwhs WHERE qwhsiseq = 101",
        {"no_gaps_within_a_load": ["interval from 2016-02-27 10:02:00", "60.0 s", "1 missing by"]},
    ),
    "a gap with consecutive numbers": (
        (
            "DELETE FROM raw.smf115_qwhs WHERE qwhsiseq = 101; "
            "UPDATE raw.smf115_qwhs SET qwhsiseq = qwhsiseq - 1 WHERE qwhsiseq > 101"
        ),
        {"no_gaps_within_a_load": ["60.0 s after", "none missing by number"]},
    ),
    "a gap without numbers": (
        (
            "DELETE FROM raw.smf115_qwhs WHERE qwhsiseq = 101; "
            "UPDATE raw.smf115_qwhs SET qwhsiseq = 0, qwhswseq = 0"
        ),
        {"no_gaps_within_a_load": ["60.0 s after the end of the previous one"]},
    ),
    "a gap in a load with damaged records": (
        (
            f"DELETE FROM raw.smf115_qwhs WHERE qwhsiseq = 101; INSERT INTO raw.quarantine "
            f"VALUES ('{A}', 'a.dat', 5, 77, NULL, 'cut'); "
            f"UPDATE raw.ledger SET records_quarantined = 1, "
            f"records_loaded = records_loaded - 1 WHERE source_id = '{A}'"
        ),
        {"no_gaps_beside_quarantine": ["60.0 s after"], "nothing_is_damaged": []},
    ),
    "a gap between two files": (
        (
            f"UPDATE raw.smf115_qwhs SET qwhstime = qwhstime + INTERVAL 1 HOUR, "
            f"qwhsstck = qwhsstck + INTERVAL 1 HOUR WHERE source_id = '{B}'; "
            f"UPDATE raw.smf_record SET smf_time = smf_time + INTERVAL 1 HOUR "
            f"WHERE source_id = '{B}'"
        ),
        {"no_gaps_between_loads": ["interval from 2016-02-27 11:03:00", "3600.0 s after the end"]},
    ),
    "an interval with a missing record": (
        f"DELETE FROM raw.smf115_qwhs WHERE source_id = '{A}' AND record_no = 6",
        {"intervals_have_all_subtypes": ["2016-02-27 10:01:00", "no record of subtype 2"]},
    ),
    "a structure read from the wrong place": (
        f"UPDATE raw.smf115_qmst SET qmsteyec = 'XXXX' WHERE source_id = '{B}'",
        {"eyecatcher_holds": ["section 1 of record 3 of load bbbbbbbbbbbb: XXXX"]},
    ),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damaged_rows_break_their_rule_and_are_named(what: str, good: DuckDBPyConnection) -> None:
    statements, expected = DAMAGE[what]
    recount = "" if "sections_agree_with_rows" in expected else RECOUNT
    found = failed(good, statements, recount)
    assert set(found) == set(expected)
    for rule, words in expected.items():
        count, sample = found[rule]
        assert count >= len(sample) > 0
        for word in words:
            assert word in sample[0]


def test_every_rule_is_broken_by_some_case(good: DuckDBPyConnection) -> None:
    rules = {rule.name for rule in rules_of(good)}
    assert rules == {rule for _, expected in DAMAGE.values() for rule in expected}


@pytest.mark.parametrize(
    ("last", "number"),
    [(100, 1), (3, 1), (1, 1)],
    ids=["a lower number", "a number close by", "the same number"],
)
def test_restart_explains_a_gap(last: int, number: int, good: DuckDBPyConnection) -> None:
    restarted = (
        "DELETE FROM raw.smf115_qwhs WHERE qwhsiseq = 101",
        f"UPDATE raw.smf115_qwhs SET qwhsiseq = {number} + qwhsiseq - 102 WHERE qwhsiseq > 101",
        f"UPDATE raw.smf115_qwhs SET qwhsiseq = {last} WHERE qwhsiseq = 100",
    )
    assert failed(good, *restarted, RECOUNT) == {}


def test_only_missing_or_changed_bytes_need_another_transfer(good: DuckDBPyConnection) -> None:
    advice = {rule.name: rule.advice for rule in rules_of(good) if "ransfer" in rule.advice}
    assert set(advice) == {"nothing_is_damaged", "quarantine_is_small"}
    assert "if bytes are missing or changed" in advice["quarantine_is_small"]


AN_HOUR_LATER = (
    (
        f"UPDATE raw.smf115_qwhs SET qwhstime = qwhstime + INTERVAL 1 HOUR, "
        f"qwhsstck = qwhsstck + INTERVAL 1 HOUR WHERE source_id = '{B}'"
    ),
    f"UPDATE raw.smf_record SET smf_time = smf_time + INTERVAL 1 HOUR WHERE source_id = '{B}'",
)


@pytest.mark.parametrize(
    ("until", "rules"), [("02-28", set()), ("02-27", {"no_gaps_between_loads"})]
)
def test_retention_explains_a_gap(until: str, rules: set[str], good: DuckDBPyConnection) -> None:
    removed = (
        f"INSERT INTO raw.ledger_rolled VALUES ('{A}', '2016-{until}', NULL), "
        f"('{B}', '2016-{until}', NULL), ('removed', '2016-{until}', '2026-01-01')"
    )
    assert set(failed(good, *AN_HOUR_LATER, removed)) == rules


def test_gap_within_the_tolerance_passes(good: DuckDBPyConnection) -> None:
    late = "qwhstime = qwhstime + INTERVAL 900 MILLISECOND"
    assert failed(good, f"UPDATE raw.smf115_qwhs SET {late} WHERE source_id = '{B}'") == {}


def test_queue_managers_with_one_name_on_two_systems_are_distinct(good: DuckDBPyConnection) -> None:
    elsewhere = f"UPDATE raw.smf_record SET system_id = 'SYS2' WHERE source_id = '{B}'"
    assert set(failed(good, *AN_HOUR_LATER)) == {"no_gaps_between_loads"}
    assert failed(good, *AN_HOUR_LATER, elsewhere) == {}


def test_severities_are_those_of_the_limits(good: DuckDBPyConnection) -> None:
    severity = {rule.name: rule.severity for rule in rules_of(good)}
    assert severity["no_gaps_within_a_load"] == "error"
    assert severity["no_gaps_between_loads"] == "warning"
    assert severity["no_gaps_beside_quarantine"] == "warning"
    assert severity["records_come_once"] == "warning"


def test_only_rows_that_perfhouse_lost_or_doubled_are_its_fault(good: DuckDBPyConnection) -> None:
    assert {rule.name for rule in rules_of(good) if rule.severity == "fault"} == {
        "records_add_up",
        "counts_agree_with_records",
        "quarantine_agrees_with_ledger",
        "every_row_has_a_load",
        "sections_agree_with_rows",
        "records_are_numbered_once",
    }


def test_eyecatchers_are_those_of_the_layouts() -> None:
    from ingest.formats.layouts import LAYOUTS

    declared = {
        layout.table: layout.eyecatcher
        for layout in LAYOUTS
        # The eyecatcher of a repeated section precedes its entries and is in no column.
        if layout.eyecatcher and layout.repeat is None
    }
    assert {table: text for table, (_, text) in EYECATCHERS.items()} == declared
    fields = {(layout.table, f.name): f.offset for layout in LAYOUTS for f in layout.fields}
    assert all(fields[table, column] == 4 for table, (column, _) in EYECATCHERS.items())
