"""The raw suite's rules on intervals: their length and order, and gaps.

The statistics of a queue manager form a chain: an interval begins where the last one ended. A gap
is allowed if the queue manager restarted in between, which its sequence numbers show.
"""

from __future__ import annotations

from collections.abc import Iterator

from expectations.limits import Limits
from expectations.rule import ERROR, WARNING, Rule

__all__ = ["interval_rules"]

_MOMENT = "'%Y-%m-%d %H:%M:%S'"

# One row per statistics record with an interval. It begins in local time, which differs by whole
# quarters of an hour from UTC: from the moment when the record was made, less its length.
_INTERVALS = """
    SELECT r.source_id, r.record_no, l.origin, r.system_id, r.subsystem_id, r.record_subtype,
        r.subsystem_id || ' on ' || r.system_id AS queue_manager,
        q.qwhsstck AS made_at, q.qwhsiseq AS sequence, epoch(q.qwhsdurn) AS seconds,
        q.qwhstime - to_minutes(
            15 * round(epoch(q.qwhstime + q.qwhsdurn - q.qwhsstck) / 900)::INTEGER
        ) AS started_at,
        started_at + q.qwhsdurn AS ended_at
    FROM raw.smf115_qwhs AS q
    JOIN raw.smf_record AS r USING (source_id, record_no)
    JOIN raw.ledger AS l USING (source_id)
    WHERE r.record_subtype IN ({subtypes}) AND q.section_no = 1
"""

# The chain of a queue manager's intervals, each with its predecessor. The records of one interval,
# and the same record from two loads, are one link.
_CHAIN = """
    SELECT *,
        lag(ended_at) OVER chain AS last_ended_at,
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


def interval_rules(limits: Limits) -> Iterator[Rule]:
    """Yield the rules on statistics intervals."""
    intervals = _INTERVALS.format(subtypes=", ".join(map(str, limits.subtypes)))
    statistics = _INTERVALS.format(subtypes=", ".join(map(str, limits.queue_manager_subtypes)))
    yield from _single_interval_rules(limits, intervals)
    yield from _chain_rules(limits, _CHAIN.format(intervals=statistics))
    yield Rule(
        suite="raw",
        table="raw.smf115_qwhs",
        name="intervals_have_all_subtypes",
        severity=limits.missing_subtype,
        expected="an interval has all subtypes that its load has for the queue manager",
        problem="intervals with a missing record",
        advice="Its figures are NULL in the marts; raw.quarantine has damaged records",
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
        problem="intervals of zero or impossible length",
        advice="Their rates are meaningless; inspect the record",
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
        expected=f"record written within {limits.made_after_seconds:g} s of the interval's end",
        problem="intervals that do not end when their record was written",
        advice="The clock was set, or the interval's start or length was misread",
        column="qwhstime",
        query=f"""
            SELECT {_PLACE} AS place,
                'subtype ' || record_subtype || ', written '
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
        expected="within a load, intervals of a subtype are in order of time",
        problem="intervals that follow later ones in their file",
        advice="No data are lost; check that the dump was merged as intended",
        column="qwhstime",
        query=f"""
            SELECT {_PLACE} AS place,
                'subtype ' || record_subtype || ', after the one from '
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
    together = "list_has_any(source_ids, last_source_ids)"
    damaged = "source_id IN (SELECT source_id FROM raw.ledger WHERE records_quarantined > 0)"
    # Retention removes loads up to some time, except those of runs.
    removed = (
        "coalesce(last_ended_at <= "
        "(SELECT max(rolled_until) FROM raw.ledger_rolled WHERE removed_at IS NOT NULL), false)"
    )
    kinds = (
        (
            "within_a_load",
            limits.gap_within_load,
            f"{together} AND NOT {damaged}",
            "Records are missing from the file: dump them again, or accept gaps in limits.toml",
        ),
        (
            "beside_quarantine",
            limits.gap_beside_quarantine,
            f"{together} AND {damaged}",
            "The missing records may be those in raw.quarantine, which has the reasons",
        ),
        (
            "between_loads",
            limits.gap_between_loads,
            f"NOT {together} AND NOT {removed}",
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
                "unless the queue manager restarted"
            ),
            problem="gaps between intervals without a restart of the queue manager",
            advice=advice,
            column="qwhstime",
            # IFCIDs are numbered from the queue manager's start: a number that is not higher means
            # a restart. Zeros prove nothing: there is no number.
            query=f"""
                SELECT {_PLACE} AS place,
                    round(epoch(started_at) - epoch(last_ended_at), 3)
                    || ' s after the end of the previous one'
                    || CASE
                        WHEN sequence > last_sequence + 1
                            THEN ', ' || (sequence - last_sequence - 1) || ' missing by number'
                        WHEN sequence = last_sequence + 1 THEN ', none missing by number'
                        ELSE ''
                    END AS observed
                FROM ({chain})
                WHERE epoch(started_at) - epoch(last_ended_at) > {limits.gap_seconds}
                    AND (sequence < last_sequence OR sequence = last_sequence AND sequence > 0)
                        IS NOT TRUE
                    AND {condition}
            """,
        )
