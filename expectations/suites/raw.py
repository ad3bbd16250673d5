"""The raw suite: whether loads agree with their ledger and their intervals are plausible."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from expectations.limits import Limits
from expectations.rule import ERROR, FAULT, WARNING, Rule, literal
from expectations.suites.raw_intervals import interval_rules

__all__ = ["EYECATCHERS", "raw_suite"]

Columns = Mapping[str, Mapping[str, str]]

# The structures that have an eyecatcher: table -> its column and text.
EYECATCHERS = {
    "smf115_q5st": ("q5steyec", "Q5ST"),
    "smf115_qcct": ("qccteyec", "QCCT"),
    "smf115_qesd": ("qesdeyec", "QESD"),
    "smf115_qis1": ("qis1eyec", "QIS1"),
    "smf115_qist": ("qisteyec", "QIST"),
    "smf115_qjst": ("qjsteid", "QJST"),
    "smf115_qlst": ("qlsteyec", "QLST"),
    "smf115_qmst": ("qmsteyec", "QMST"),
    "smf115_qpst": ("qpsteyec", "QPST"),
    "smf115_qqst": ("qqsteyec", "QQST"),
    "smf115_qsgm": ("qsgmeyec", "QSGM"),
    "smf115_qsph": ("qspheyec", "QSPH"),
    "smf115_qsrs": ("qsrseyec", "QSRS"),
    "smf115_qsst": ("qsstdesc", "QSST"),
    "smf115_qtst": ("qtstdesc", "QTST"),
    "smf116_qcst": ("qcsteyec", "QCST"),
    "smf116_qmac": ("qmaceyec", "QMAC"),
    "smf116_wq": ("wqeye", "WQST"),
    "smf116_wtas": ("wtaseyec", "WTAS"),
    "smf116_wtid": ("wtideyec", "WTID"),
}

# Tables of records, of their headers and of entries inside a section: they hold no sections.
_NO_SECTIONS = re.compile(r"raw\.(smf_record|smf\d+(_\d+)?_header|\w+_recipient)")
_LOAD_AGAIN = "Load the file again; if the difference remains, the loader has a defect"
_LOAD = "'load ' || left(l.source_id, 12) || ' (' || l.path || ')'"


def raw_suite(limits: Limits, columns: Columns) -> Iterator[Rule]:
    """Yield all rules on raw tables; `columns` tells which tables there are."""
    yield from _ledger_rules(limits)
    yield from _section_rules(columns)
    yield from _record_rules(limits)
    yield from interval_rules(limits)
    yield from _eyecatcher_rules(columns)


def _ledger_rules(limits: Limits) -> Iterator[Rule]:
    yield Rule(
        suite="raw",
        table="raw.ledger",
        name="records_add_up",
        severity=FAULT,
        expected="records = loaded + quarantined",
        problem="the record counts of a load do not add up",
        advice=_LOAD_AGAIN,
        query=f"""
            SELECT {_LOAD} AS place,
                records || ' records, ' || records_loaded || ' loaded, '
                || records_quarantined || ' quarantined' AS observed
            FROM batch AS l
            WHERE records IS DISTINCT FROM records_loaded + records_quarantined
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.ledger_count",
        name="counts_agree_with_records",
        severity=FAULT,
        expected="record count by type and subtype = rows in raw.smf_record",
        problem="the ledger and raw.smf_record have different record counts",
        advice=_LOAD_AGAIN,
        query=f"""
            WITH counted AS (
                SELECT source_id, record_type, record_subtype, count(*) AS found
                FROM raw.smf_record GROUP BY ALL
            ),
            noted AS (
                SELECT source_id, record_type, record_subtype, sum(records) AS records
                FROM batch GROUP BY ALL
            )
            SELECT {_LOAD} || ', type ' || coalesce(c.record_type, r.record_type)
                || coalesce('.' || coalesce(c.record_subtype, r.record_subtype), '') AS place,
                coalesce(c.records, 0) || ' in the ledger, ' || coalesce(r.found, 0) || ' rows'
                AS observed
            FROM noted AS c
            FULL JOIN counted AS r
                ON c.source_id = r.source_id AND c.record_type = r.record_type
                AND c.record_subtype IS NOT DISTINCT FROM r.record_subtype
            JOIN raw.ledger AS l ON l.source_id = coalesce(c.source_id, r.source_id)
            WHERE coalesce(c.records, 0) <> coalesce(r.found, 0)
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.quarantine",
        name="quarantine_agrees_with_ledger",
        severity=FAULT,
        expected="rows per load = records_quarantined in the ledger",
        problem="the ledger and raw.quarantine have different counts",
        advice=_LOAD_AGAIN,
        query=f"""
            WITH counted AS (SELECT source_id, count(*) AS found FROM batch GROUP BY source_id)
            SELECT {_LOAD} AS place,
                records_quarantined || ' in the ledger, ' || coalesce(found, 0) || ' rows'
                AS observed
            FROM raw.ledger AS l LEFT JOIN counted USING (source_id)
            WHERE records_quarantined <> coalesce(found, 0)
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.smf_record",
        name="every_row_has_a_load",
        severity=FAULT,
        expected="source_id is in raw.ledger",
        problem="rows from a file that is not in the ledger",
        advice="Load the file again, or remove its folder from the lake",
        column="source_id",
        query="""
            SELECT 'load ' || left(source_id, 12) AS place, count(*) || ' rows' AS observed
            FROM (SELECT source_id FROM batch UNION ALL SELECT source_id FROM raw.quarantine)
            WHERE source_id NOT IN (SELECT source_id FROM raw.ledger)
            GROUP BY source_id
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.ledger",
        name="loads_are_not_empty",
        severity=WARNING,
        expected="records_loaded > 0",
        problem="files from which nothing was loaded",
        advice="Check that the file holds records",
        column="records_loaded",
        query=f"""
            SELECT {_LOAD} AS place, 'status ' || status || ', ' || bytes || ' bytes' AS observed
            FROM batch AS l WHERE coalesce(records_loaded, 0) + coalesce(records_quarantined, 0) = 0
                AND kind <> 'lost'
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.ledger",
        name="quarantine_is_small",
        severity=ERROR,
        expected=f"at most {limits.most_percent:g} % of a load's records are in quarantine",
        problem="loads with too many damaged records",
        advice=(
            "raw.quarantine has the reasons; if bytes are missing or changed, transfer the file "
            "again, in binary"
        ),
        column="records_quarantined",
        query=f"""
            SELECT {_LOAD} AS place,
                records_quarantined || ' of ' || records || ' records' AS observed
            FROM batch AS l
            WHERE records_loaded > 0
                AND 100 * records_quarantined > {limits.most_percent} * records
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.ledger",
        name="records_are_not_older_than_those_removed",
        severity=WARNING,
        expected="no load begins before the hours of removed records end, and came after them",
        problem="loads with records as old as others that were removed",
        advice="The hours that were kept take from them what they lack, and nothing twice",
        query=f"""
            SELECT {_LOAD} AS place, 'records from ' || first_day AS observed
            FROM batch AS l
            JOIN (
                SELECT source_id, min(first_day) AS first_day FROM raw.ledger_day GROUP BY ALL
            ) USING (source_id)
            WHERE (kind = 'smf' OR kind LIKE 'rmf%')
                AND first_day < (
                    SELECT max(rolled_until) FROM raw.ledger_rolled WHERE removed_at < l.loaded_at
                )
        """,
    )


def _section_rules(columns: Columns) -> Iterator[Rule]:
    tables = sorted(
        table
        for table in columns
        if table.startswith("raw.smf") and not _NO_SECTIONS.fullmatch(table)
    )
    if not tables:
        return
    counts = " UNION ALL ".join(
        f"SELECT source_id, count(*) AS n FROM {table} GROUP BY source_id" for table in tables
    )
    yield Rule(
        suite="raw",
        table="raw.ledger_count",
        name="sections_agree_with_rows",
        severity=FAULT,
        expected="section count of a load = its rows in the section tables",
        problem="the ledger and the section tables have different counts",
        advice=_LOAD_AGAIN,
        column="sections",
        query=f"""
            WITH noted AS (
                SELECT source_id, sum(sections) AS sections FROM batch GROUP BY source_id
            ),
            counted AS (SELECT source_id, sum(n) AS found FROM ({counts}) GROUP BY source_id)
            SELECT {_LOAD} AS place,
                coalesce(n.sections, 0) || ' in the ledger, ' || coalesce(c.found, 0) || ' rows'
                AS observed
            FROM raw.ledger AS l
            LEFT JOIN noted AS n USING (source_id)
            LEFT JOIN counted AS c USING (source_id)
            WHERE coalesce(n.sections, 0) <> coalesce(c.found, 0)
        """,
    )


def _record_rules(limits: Limits) -> Iterator[Rule]:
    record_name = "'record ' || record_no || ' of load ' || left(source_id, 12)"
    yield Rule(
        suite="raw",
        table="raw.smf_record",
        name="records_are_numbered_once",
        severity=FAULT,
        expected="source_id, record_no are unique",
        problem="records that occur more than once",
        advice="Remove the load's folder from the lake and load the file again",
        column="record_no",
        query=f"""
            SELECT {record_name} AS place, count(*) || ' rows' AS observed
            FROM batch GROUP BY source_id, record_no HAVING count(*) > 1
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.smf_record",
        name="moments_are_plausible",
        severity=ERROR,
        expected=f"from {limits.earliest} to {limits.future_hours:g} h from now",
        problem="records with an impossible time",
        advice="The system's clock was wrong, or the file was read in the wrong format",
        column="smf_time",
        query=f"""
            SELECT {record_name} AS place,
                coalesce(strftime(smf_time, '%Y-%m-%d %H:%M:%S'), 'no time') AS observed
            FROM batch
            WHERE smf_time IS NULL OR smf_time < DATE {literal(limits.earliest)}
                OR smf_time > (now() AT TIME ZONE 'UTC')
                    + to_seconds({3600 * limits.future_hours})
        """,
    )
    # Sequence numbers by destination distinguish records of one moment; zero (in records of the
    # channel initiator) means that there is no number.
    yield Rule(
        suite="raw",
        table="raw.smf_record",
        name="records_come_once",
        severity=WARNING,
        expected="each record of a queue manager is loaded once",
        problem="the same records were loaded from two files, or twice from one",
        advice="The marts count them once; the raw tables hold them twice",
        query="""
            WITH numbered AS (
                SELECT source_id, record_no, 115 AS record_type, qwhsstck, qwhsiseq, qwhswseq
                FROM raw.smf115_qwhs
                UNION ALL
                SELECT source_id, record_no, 116, qwhsstck, qwhsiseq, qwhswseq
                FROM raw.smf116_qwhs
            ),
            repeated AS (
                SELECT l.origin, system_id, subsystem_id, n.record_type, record_subtype,
                    min(source_id) AS one, max(source_id) AS other
                FROM numbered AS n
                JOIN batch AS r USING (source_id, record_no)
                JOIN raw.ledger AS l USING (source_id)
                WHERE qwhswseq > 0
                GROUP BY l.origin, system_id, subsystem_id, n.record_type, record_subtype,
                    qwhsstck, qwhsiseq, qwhswseq
                HAVING count(*) > 1
            )
            SELECT subsystem_id || ' on ' || system_id || ', type ' || record_type || '.'
                || record_subtype AS place,
                count(*) || ' records of load ' || left(one, 12)
                || if(one = other, ' twice', ' again in load ' || left(other, 12)) AS observed
            FROM repeated
            GROUP BY place, one, other
        """,
    )


def _eyecatcher_rules(columns: Columns) -> Iterator[Rule]:
    for table, (column, text) in EYECATCHERS.items():
        if column not in columns.get(f"raw.{table}", {}):
            continue
        yield Rule(
            suite="raw",
            table=f"raw.{table}",
            name="eyecatcher_holds",
            severity=ERROR,
            expected=f"{column} = {text}",
            problem="structures without their eyecatcher",
            advice="Their fields were read from the wrong place; report the record as a defect",
            column=column,
            query=f"""
                SELECT 'section ' || section_no || ' of record ' || record_no || ' of load '
                    || left(source_id, 12) AS place, coalesce({column}, 'NULL') AS observed
                FROM batch WHERE {column} IS DISTINCT FROM {literal(text)}
            """,
        )
