"""The raw gate: what was loaded agrees with its ledger, and its intervals can be counted on."""

from __future__ import annotations

from collections.abc import Iterator

from expectations.limits import Limits
from expectations.rule import ERROR, WARNING, Rule, literal

__all__ = ["EYECATCHERS", "raw_suite"]

Columns = dict[str, dict[str, str]]

# The structures that bear an eyecatcher: table, its column and its text.
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

_LOAD = "'load ' || left(l.source_id, 12) || ' (' || l.path || ')'"
_MOMENT = "'%Y-%m-%d %H:%M:%S'"


def raw_suite(limits: Limits, columns: Columns) -> list[Rule]:
    """All rules of the raw gate; `columns` says which raw tables there are."""
    return [
        *_ledger_rules(limits),
        *_record_rules(limits),
        *_interval_rules(limits),
        *_eyecatcher_rules(columns),
    ]


def _ledger_rules(limits: Limits) -> Iterator[Rule]:
    again = "Load the file again; if it stays so, the loader is wrong"
    yield Rule(
        suite="raw",
        table="raw.ledger",
        name="records_add_up",
        severity=ERROR,
        expected="records = loaded + quarantined",
        problem="a load's records do not add up",
        advice=again,
        query=f"""
            SELECT {_LOAD} AS place,
                records || ' records, ' || records_loaded || ' loaded, '
                || records_quarantined || ' quarantined' AS observed
            FROM batch AS l
            WHERE kind = 'smf' AND records IS DISTINCT FROM records_loaded + records_quarantined
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.ledger_count",
        name="counts_agree_with_records",
        severity=ERROR,
        expected="records of each type and subtype = rows of raw.smf_record",
        problem="the ledger's count and the rows of raw.smf_record differ",
        advice=again,
        query=f"""
            WITH counted AS (
                SELECT source_id, record_type, record_subtype, count(*) AS found
                FROM raw.smf_record GROUP BY ALL
            )
            SELECT {_LOAD} || ', type ' || coalesce(c.record_type, r.record_type)
                || coalesce('.' || coalesce(c.record_subtype, r.record_subtype), '') AS place,
                coalesce(c.records, 0) || ' in the ledger, ' || coalesce(r.found, 0) || ' rows'
                AS observed
            FROM batch AS c
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
        severity=ERROR,
        expected="rows of a load = its records_quarantined",
        problem="the ledger's count and the rows of raw.quarantine differ",
        advice=again,
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
        severity=ERROR,
        expected="source_id is in raw.ledger",
        problem="rows of a file that the ledger does not know",
        advice="Load the file again, or remove its folder from the lake",
        column="source_id",
        query="""
            SELECT 'load ' || left(source_id, 12) AS place, count(*) || ' records' AS observed
            FROM (
                SELECT source_id FROM batch UNION ALL
                SELECT source_id FROM raw.ledger_count UNION ALL
                SELECT source_id FROM raw.quarantine
            )
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
        problem="nothing was loaded from a file",
        advice="See its reason in raw.quarantine, and whether it is a file of records at all",
        column="records_loaded",
        query=f"""
            SELECT {_LOAD} AS place, 'status ' || status || ', ' || bytes || ' bytes' AS observed
            FROM batch AS l WHERE coalesce(records_loaded, 0) = 0
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.ledger",
        name="quarantine_is_small",
        severity=ERROR,
        expected=f"at most {limits.most_percent:g} % of a load's records in quarantine",
        problem="too many of a load's records are damaged",
        advice="See raw.quarantine for the reasons; transfer the file again, in binary",
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
        table="raw.quarantine",
        name="nothing_is_damaged",
        severity=WARNING,
        expected="no records in quarantine",
        problem="damaged records were left out",
        advice="Transfer the file again if the reason is not known",
        query="""
            SELECT 'record ' || record_no || ' at offset ' || file_offset || ' of ' || path
                AS place, reason AS observed
            FROM batch
        """,
    )


def _record_rules(limits: Limits) -> Iterator[Rule]:
    place = "'record ' || record_no || ' of load ' || left(source_id, 12)"
    yield Rule(
        suite="raw",
        table="raw.smf_record",
        name="records_are_numbered_once",
        severity=ERROR,
        expected="source_id, record_no are unique",
        problem="a record stands there more than once",
        advice="Remove the load's folder from the lake and load the file again",
        column="record_no",
        query=f"""
            SELECT {place} AS place, count(*) || ' rows' AS observed
            FROM batch GROUP BY source_id, record_no HAVING count(*) > 1
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.smf_record",
        name="moments_are_plausible",
        severity=ERROR,
        expected=f"from {limits.earliest} to {limits.future_hours:g} h from now",
        problem="records from a time that cannot be",
        advice="The system's clock was wrong, or the file is not what it was read as",
        column="smf_time",
        query=f"""
            SELECT {place} AS place,
                coalesce(strftime(smf_time, {_MOMENT}), 'no time') AS observed
            FROM batch
            WHERE smf_time IS NULL OR smf_time < DATE {literal(limits.earliest)}
                OR smf_time > (now() AT TIME ZONE 'UTC')
                    + to_seconds({3600 * limits.future_hours})
        """,
    )
    # The destination's sequence number tells two records of one moment apart; where it is zero
    # (the channel initiator's records) nothing can be said.
    yield Rule(
        suite="raw",
        table="raw.smf_record",
        name="records_come_once",
        severity=WARNING,
        expected="each record of a queue manager is loaded once",
        problem="the same records were loaded from two files, or stand twice in one",
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


# One row for each record of statistics with an interval: its times in UTC by the offset between
# the header's local time and the clock's moment, to a quarter of an hour.
_INTERVALS = """
    SELECT r.source_id, r.record_no, l.origin, r.system_id, r.subsystem_id, r.record_subtype,
        r.subsystem_id || ' on ' || r.system_id AS queue_manager,
        q.qwhsstck AS made_at, q.qwhsiseq AS sequence, epoch(q.qwhsdurn) AS seconds,
        q.qwhstime - to_minutes(15 * round(epoch(r.smf_time - q.qwhsstck) / 900)::INTEGER)
            AS started_at,
        started_at + q.qwhsdurn AS ended_at
    FROM raw.smf115_qwhs AS q
    JOIN raw.smf_record AS r USING (source_id, record_no)
    JOIN raw.ledger AS l USING (source_id)
    WHERE r.record_subtype IN ({subtypes}) AND q.section_no = 1
"""

# The chain of a queue manager's intervals, each with the one before it. The records of one
# interval, and the same record from two loads, are one link.
_CHAIN = """
    SELECT *,
        lag(ended_at) OVER chain AS last_ended_at,
        lag(started_at) OVER chain AS last_started_at,
        lag(sequence) OVER chain AS last_sequence,
        lag(source_ids) OVER chain AS last_source_ids
    FROM (
        SELECT origin, system_id, subsystem_id, queue_manager, started_at,
            max(ended_at) AS ended_at,
            min_by(sequence, record_subtype) AS sequence,
            list_sort(list_distinct(list(source_id))) AS source_ids,
            source_ids[1] AS source_id,
            min(record_subtype) AS record_subtype,
            min(record_no) AS record_no
        FROM ({intervals})
        GROUP BY origin, system_id, subsystem_id, queue_manager, started_at
    )
    WINDOW chain AS (PARTITION BY origin, system_id, subsystem_id ORDER BY started_at, ended_at)
"""

_PLACE = f"""
    queue_manager || ', interval from ' || coalesce(strftime(started_at, {_MOMENT}), 'no time')
    || ' UTC (record ' || record_no || ' of load ' || left(source_id, 12) || ')'
"""


def _interval_rules(limits: Limits) -> Iterator[Rule]:
    intervals = _INTERVALS.format(subtypes=", ".join(map(str, limits.subtypes)))
    statistics = _INTERVALS.format(subtypes=", ".join(map(str, limits.queue_manager_subtypes)))
    yield from _single_interval_rules(limits, intervals)
    yield from _chain_rules(limits, _CHAIN.format(intervals=statistics))
    yield Rule(
        suite="raw",
        table="raw.smf115_qwhs",
        name="intervals_have_all_subtypes",
        severity=limits.missing_subtype,
        expected="each interval has every subtype that its load has for the queue manager",
        problem="intervals without one of their records",
        advice="What it measures is NULL there; see raw.quarantine for damaged records",
        query=f"""
            WITH found AS (SELECT * FROM ({statistics})),
            expected AS (
                SELECT source_id, queue_manager, started_at, record_no, t.record_subtype
                FROM (
                    SELECT source_id, queue_manager, started_at, min(record_no) AS record_no
                    FROM found GROUP BY ALL
                )
                JOIN (SELECT DISTINCT source_id, queue_manager, record_subtype FROM found) AS t
                    USING (source_id, queue_manager)
            )
            SELECT {_PLACE} AS place, 'no record of subtype ' || record_subtype AS observed
            FROM expected
            ANTI JOIN found USING (source_id, queue_manager, started_at, record_subtype)
        """,
    )


def _single_interval_rules(limits: Limits, intervals: str) -> Iterator[Rule]:
    yield Rule(
        suite="raw",
        table="raw.smf115_qwhs",
        name="durations_are_plausible",
        severity=ERROR,
        expected=f"above 0 and at most {limits.longest_seconds:g} s",
        problem="intervals of no or of an impossible length",
        advice="Their rates mean nothing; look at the record",
        column="qwhsdurn",
        query=f"""
            SELECT {_PLACE} AS place,
                'subtype ' || record_subtype || ', ' || coalesce(seconds || ' s', 'no length')
                AS observed
            FROM ({intervals})
            WHERE (seconds > 0 AND seconds <= {limits.longest_seconds}) IS NOT TRUE
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.smf115_qwhs",
        name="intervals_end_with_their_record",
        severity=WARNING,
        expected=f"start + length within {limits.made_after_seconds:g} s of the record's making",
        problem="intervals that do not end when their record was made",
        advice="The clock was set, or the interval's start or length was read wrongly",
        column="qwhstime",
        query=f"""
            SELECT {_PLACE} AS place,
                'subtype ' || record_subtype || ', made '
                || round(epoch(made_at) - epoch(ended_at), 3) || ' s after its end' AS observed
            FROM ({intervals})
            WHERE abs(epoch(made_at) - epoch(ended_at)) > {limits.made_after_seconds}
        """,
    )
    yield Rule(
        suite="raw",
        table="raw.smf115_qwhs",
        name="intervals_are_in_time_order",
        severity=WARNING,
        expected="in one load, later records of a subtype have later intervals",
        problem="intervals that stand behind later ones in their file",
        advice="Nothing is lost by it; see whether the dump was merged as intended",
        column="qwhstime",
        query=f"""
            SELECT {_PLACE} AS place,
                'subtype ' || record_subtype || ', behind one from '
                || strftime(before, {_MOMENT}) AS observed
            FROM (
                SELECT *, lag(started_at) OVER (
                    PARTITION BY source_id, system_id, subsystem_id, record_subtype
                    ORDER BY record_no
                ) AS before
                FROM ({intervals})
            )
            WHERE started_at < before
        """,
    )


def _chain_rules(limits: Limits, chain: str) -> Iterator[Rule]:
    yield Rule(
        suite="raw",
        table="raw.smf115_qwhs",
        name="intervals_do_not_overlap",
        severity=limits.overlap,
        expected=f"an interval begins at most {limits.gap_seconds:g} s before the last one's end",
        problem="intervals of a queue manager overlap",
        advice="Two systems share a name, or a clock was set back: the rest is counted twice",
        column="qwhstime",
        query=f"""
            SELECT {_PLACE} AS place,
                round(epoch(last_ended_at) - epoch(started_at), 3)
                || ' s before the end of the one from ' || strftime(last_started_at, {_MOMENT})
                AS observed
            FROM ({chain})
            WHERE epoch(last_ended_at) - epoch(started_at) > {limits.gap_seconds}
        """,
    )
    together = "list_has_any(source_ids, last_source_ids)"
    damaged = "source_id IN (SELECT source_id FROM raw.ledger WHERE records_quarantined > 0)"
    kinds = (
        (
            "within_a_load",
            limits.gap_within_load,
            f"{together} AND NOT {damaged}",
            "Records are missing from the file: dump them again, or relax limits.toml knowingly",
        ),
        (
            "beside_quarantine",
            limits.gap_beside_quarantine,
            f"{together} AND {damaged}",
            "Damaged records of the load may be the cause; transfer the file again",
        ),
        (
            "between_loads",
            limits.gap_between_loads,
            f"NOT {together}",
            "Load the files in between, if there are any",
        ),
    )
    for kind, severity, condition, advice in kinds:
        yield Rule(
            suite="raw",
            table="raw.smf115_qwhs",
            name=f"no_gaps_{kind}",
            severity=severity,
            expected=(
                f"an interval begins within {limits.gap_seconds:g} s of the last one's end, "
                "or the queue manager restarted"
            ),
            problem="gaps between intervals, and the queue manager did not restart",
            advice=advice,
            column="qwhstime",
            # IFCIDs are numbered from the queue manager's start: a lower number is a restart.
            # Equal numbers are no evidence, for absent ones are zero.
            query=f"""
                SELECT {_PLACE} AS place,
                    round(epoch(started_at) - epoch(last_ended_at), 3)
                    || ' s after the end of the one before'
                    || CASE
                        WHEN sequence > last_sequence + 1
                            THEN ', ' || (sequence - last_sequence - 1) || ' missing by number'
                        WHEN sequence = last_sequence + 1 THEN ', none missing by number'
                        ELSE ''
                    END AS observed
                FROM ({chain})
                WHERE epoch(started_at) - epoch(last_ended_at) > {limits.gap_seconds}
                    AND (sequence < last_sequence) IS NOT TRUE AND {condition}
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
            advice="Their fields were read from the wrong place; report the record",
            column=column,
            query=f"""
                SELECT 'section ' || section_no || ' of record ' || record_no || ' of load '
                    || left(source_id, 12) AS place, coalesce({column}, 'NULL') AS observed
                FROM batch WHERE {column} IS DISTINCT FROM {literal(text)}
            """,
        )
