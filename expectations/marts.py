"""The marts: grain, origin and trace of every row, ranges and sums of every figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from expectations.limits import Limits
from expectations.mart import Mart, rate
from expectations.marts_runs import RUN_MARTS
from expectations.marts_zos_cpu import ZOS_CPU_MARTS
from expectations.marts_zos_devices import ZOS_DEVICES_MARTS
from expectations.rule import ERROR, WARNING, Rule, name

__all__ = ["MARTS", "Mart", "marts_suite"]

Columns = Mapping[str, Mapping[str, str]]


_INTERVAL = ("origin", "system_id", "queue_manager", "interval_start_utc")
_RECORD = ("source_id", "record_no")
_MANAGER = ("origin", "system_id", "queue_manager")
_VERBS = (
    *("opens", "closes", "gets", "puts", "put1s", "inqs"),
    *("sets", "subs", "subrqs", "cbs", "ctls", "stats"),
)
_QUEUE_VERBS = ("open", "close", "get", "put", "put1", "inq", "set", "cb")
_TASK_VERBS = ("commit", "backout", "prepare", "sub", "subrq", "ctl", "stat", "other")


def _sum(verbs: tuple[str, ...], suffix: str, *more: str) -> str:
    """The sum of a column of each verb; one that is NULL was not recorded and adds nothing."""
    return f"list_sum([{', '.join((*(verb + suffix for verb in verbs), *more))}])"


_MQ_AND_PUBLISHED = {
    "dim_load": Mart(
        ("source_id", "record_type", "record_subtype"),
        optional=("record_type", "record_subtype"),
    ),
    "fct_queue_manager_interval": Mart(
        _INTERVAL,
        sums=(
            ("mqi_calls", _sum(_VERBS, "")),
            *(rate(verb) for verb in (*_VERBS, "mqi_calls", "publishes")),
            rate("puts + put1s", "put_requests_per_second"),
            rate("log_bytes_written / 1e6", "log_mb_per_second"),
        ),
        feeds=("smf115_qsst", "smf115_qjst", "smf115_qmst", "smf115_qist"),
    ),
    "fct_log_write_interval": Mart(
        (*_INTERVAL, "log_copy", "write_type"),
        sums=(rate("writes"), rate("bytes_written / 1e6", "mb_per_second")),
    ),
    "fct_buffer_pool_interval": Mart(
        (*_INTERVAL, "buffer_pool"),
        sums=(
            ("page_gets", "page_gets_old + page_gets_new"),
            rate("page_gets"),
            rate("page_reads", "page_ins_per_second"),
        ),
        feeds=("smf115_qpst",),
    ),
    "fct_page_set_interval": Mart((*_INTERVAL, "page_set")),
    "fct_cf_structure_interval": Mart(
        (*_INTERVAL, "structure_name"),
        sums=(rate("single_calls + multiple_calls", "calls_per_second"),),
    ),
    "fct_smds_interval": Mart((*_INTERVAL, "structure_name")),
    "fct_db2_request_interval": Mart((*_INTERVAL, "request_type"), sums=(rate("requests"),)),
    "fct_queue_interval": Mart(
        (*_INTERVAL, "queue_name", "cf_structure_name"), optional=("cf_structure_name",)
    ),
    "fct_channel_initiator_interval": Mart(_INTERVAL, feeds=("smf115_qcct",)),
    "fct_channel_initiator_task_interval": Mart(
        (*_INTERVAL, "task_type", "task_index"), sums=(rate("requests"),)
    ),
    "fct_channel_initiator_task_type_interval": Mart(
        (*_INTERVAL, "task_type"),
        signed=("cpu_percent",),  # of one CPU, and the tasks may run on several
        sums=(rate("requests"),),
        parts=(
            "fct_channel_initiator_task_interval",
            (*_INTERVAL, "task_type"),
            ("requests", "cpu_seconds", "elapsed_seconds", "wait_seconds"),
        ),
    ),
    "fct_task_accounting": Mart(
        _RECORD,
        sums=(
            ("messages", "messages_put + messages_got"),
            ("mqi_calls", _sum(_QUEUE_VERBS + _TASK_VERBS, "_count")),
            (
                "cpu_seconds",
                _sum(_QUEUE_VERBS + _TASK_VERBS, "_cpu_seconds", "ctl_srb_seconds"),
            ),
            ("elapsed_seconds", _sum(_QUEUE_VERBS + _TASK_VERBS, "_elapsed_seconds")),
        ),
        feeds=("smf116_wtas",),
    ),
    "fct_queue_accounting": Mart(
        (*_RECORD, "section_no"),
        sums=(
            ("messages", "messages_put + messages_got"),
            ("mqi_calls", _sum(_QUEUE_VERBS, "_count")),
            ("cpu_seconds", _sum(_QUEUE_VERBS, "_cpu_seconds")),
            ("elapsed_seconds", _sum(_QUEUE_VERBS, "_elapsed_seconds")),
        ),
        feeds=("smf116_wq",),
    ),
    "fct_task_message_manager": Mart(
        (*_RECORD, "section_no"), sums=(("messages", "puts + gets"),), feeds=("smf116_qmac",)
    ),
    "fct_channel_interval": Mart(
        (*_RECORD, "section_no"),
        sums=(
            rate("messages"),
            rate("bytes_sent + bytes_received", "bytes_per_second"),
            ("achieved_batch_size * batches", "messages"),
        ),
        feeds=("smf116_qcst",),
    ),
    "fct_application_cost": Mart(
        (*_MANAGER, "application_type", "connection_name", "channel_name"),
        optional=("application_type", "connection_name", "channel_name"),
        sums=(("messages", "messages_put + messages_got"),),
        parts=(
            "fct_task_accounting",
            _MANAGER,
            ("messages", "mqi_calls", "cpu_seconds", "elapsed_seconds"),
        ),
    ),
    "dim_published_document": Mart(("document_id",), printed=True),
    "dim_published_configuration": Mart(("configuration_id",), printed=True),
    "dim_published_anomaly": Mart(("anomaly_id",), printed=True),
    "fct_published_measurement": Mart(("cell_id",), printed=True),
    "fct_published_claim": Mart(("claim_id",), printed=True),
    "fct_published_comparison": Mart(
        ("comparison_id",),
        printed=True,
        sums=(
            ("value_ratio * baseline_value", "candidate_value"),
            ("candidate_value - baseline_value", "difference"),
        ),
    ),
}
MARTS = _MQ_AND_PUBLISHED | ZOS_CPU_MARTS | ZOS_DEVICES_MARTS | RUN_MARTS

_NUMBERS = ("BIGINT", "INTEGER", "DOUBLE", "HUGEINT", "UBIGINT", "FLOAT", "DECIMAL", "SMALLINT")
_SHARE_SUFFIXES = ("_percent", "_ratio")
_NO_FIGURES = ("source_id", "record_no", "section_no", "utc_offset_minutes")
_FIX = "The model is wrong or its input is: see the record in raw"


def marts_suite(
    limits: Limits, columns: Columns, marts: Mapping[str, Mart] = MARTS
) -> Iterator[Rule]:
    """All rules of all marts; `columns` says which columns a mart has, and of which type."""
    raw = [t for t in columns if t.startswith("raw.") and "record_no" in columns[t]]
    records = [t for t in raw if t.partition(".")[2] in _RECORD_TABLES]
    yield _interval_rule()
    yield _usable_rule()
    for mart_name, mart in marts.items():
        table = f"marts.{mart_name}"
        own = columns.get(table, {})
        yield _grain_rule(table, mart)
        if {"origin", *_RECORD} <= own.keys():
            yield _trace_rule(table, mart, records)
        figures = [
            column
            for column, kind in own.items()
            if kind.startswith(_NUMBERS) and not kind.endswith("]") and column not in _NO_FIGURES
        ]
        if tests := _figure_tests(mart, figures, own):
            yield _figures_rule(table, mart, tests)
        if bounds := _bounds(mart, figures, limits):
            yield _bounds_rule(table, mart, bounds, limits)
        sums = list(mart.sums)
        if {"interval_seconds", "interval_start_utc", "interval_end_utc"} <= own.keys():
            sums.append(("interval_seconds", "epoch(interval_end_utc) - epoch(interval_start_utc)"))
        if sums:
            yield _sums_rule(table, mart, sums, limits)
        if mart.beside:
            yield _agreement_rule(table, mart, mart.beside)
        if mart.parts:
            yield _parts_rule(table, mart, limits)
        if mart.feeds:
            yield _feeds_rule(table, mart, "source_records" in own)


# The raw tables that a mart's record_no may count in: one numbering for each kind of file.
_RECORD_TABLES = (
    *("smf_record", "published_cell", "published_claim"),
    *("published_anomaly", "published_document", "bench_run", "bench_harness", "bench_ioping"),
    *("bench_mqsc_chstatus", "bench_amqsrua"),
    *("rmf_cpu", "rmf_partition", "rmf_workload", "rmf_cf", "rmf_cf_request", "rmf_crypto"),
    "rmf_dasd",
)


def _place(mart: Mart) -> str:
    """An SQL expression: the values of the grain, in words."""
    shown = {c: f"{name(c)}::VARCHAR" for c in mart.grain}
    if "source_id" in shown:
        shown["source_id"] = "left(source_id, 12)"
    words = ", ".join(f"'{c} ' || coalesce({text}, 'NULL')" for c, text in shown.items())
    return f"concat_ws(', ', {words})"


def _grain_rule(table: str, mart: Mart) -> Rule:
    grain = ", ".join(name(c) for c in mart.grain)
    absent = " OR ".join(f"{name(c)} IS NULL" for c in mart.grain if c not in mart.optional)
    return Rule(
        suite="marts",
        table=table,
        name="grain_is_unique",
        severity=ERROR,
        expected=f"one row for each {', '.join(mart.grain)}",
        problem="rows of one key, or without a key",
        advice="A join multiplies rows, or a record lacks its identity",
        query=f"""
            SELECT {_place(mart)} AS place, count(*) || ' rows' AS observed
            FROM batch GROUP BY {grain} HAVING count(*) > 1 OR {absent}
        """,
    )


def _trace_rule(table: str, mart: Mart, records: list[str]) -> Rule:
    known = " UNION ALL ".join(f"SELECT source_id, record_no FROM {t}" for t in records)
    return Rule(
        suite="marts",
        table=table,
        name="rows_are_traceable",
        severity=ERROR,
        expected="source_id and record_no lead to a record in raw, and origin is its load's",
        problem="rows that lead to no record, or under another origin than their load",
        advice="Every figure must lead to its record, and origins are never mixed",
        query=f"""
            WITH traced AS (
                SELECT m.*, l.origin AS load_origin,
                    (m.source_id, m.record_no) IN (
                        SELECT (source_id, record_no) FROM ({known})
                    ) AS is_known
                FROM batch AS m LEFT JOIN raw.ledger AS l ON l.source_id = m.source_id
            )
            SELECT {_place(mart)} AS place,
                'record ' || coalesce(record_no::VARCHAR, 'NULL') || ' of load '
                || coalesce(left(source_id, 12), 'NULL') || ', origin '
                || coalesce(origin, 'NULL') || ', the load''s ' || coalesce(load_origin, 'NULL')
                AS observed
            FROM traced
            WHERE is_known IS NOT TRUE OR origin IS DISTINCT FROM load_origin
        """,
    )


def _figure_tests(mart: Mart, figures: list[str], own: Mapping[str, str]) -> dict[str, str]:
    """The columns that can be wrong, each with the SQL expression that says it is."""
    tests = {}
    for column in figures:
        wrong = []
        if own[column] in ("DOUBLE", "FLOAT"):
            wrong.append(f"NOT isfinite({name(column)})")
        if not (mart.printed or column in mart.signed or column.endswith(_SHARE_SUFFIXES)):
            wrong.append(f"{name(column)} < 0")
        if wrong:
            tests[column] = " OR ".join(wrong)
    return tests


def _figures_rule(table: str, mart: Mart, tests: Mapping[str, str]) -> Rule:
    return Rule(
        suite="marts",
        table=table,
        name="figures_are_plausible",
        severity=ERROR,
        expected="finite" if mart.printed else "finite, and counts, times and rates not negative",
        problem="figures that cannot be",
        advice=_FIX,
        query=_wrong_figures(mart, tests),
    )


def _bounds(mart: Mart, figures: list[str], limits: Limits) -> dict[str, str]:
    """The columns with a bound, each with the SQL expression that says it is passed."""
    slack = limits.tolerance_percent / 100
    tests = {}
    for column in figures:
        shown = name(column)
        if mart.printed or column in mart.signed:
            continue
        if column.endswith(_SHARE_SUFFIXES):
            most = 100 if column.endswith("_percent") else 1
            tests[column] = f"{shown} < {-slack * most} OR {shown} > {most * (1 + slack)}"
        elif column.endswith("mb_per_second"):
            tests[column] = f"{shown} > {limits.most_bytes_per_second / 1e6}"
        elif column.endswith("bytes_per_second"):
            tests[column] = f"{shown} > {limits.most_bytes_per_second}"
    return tests


def _bounds_rule(table: str, mart: Mart, bounds: Mapping[str, str], limits: Limits) -> Rule:
    return Rule(
        suite="marts",
        table=table,
        name="figures_are_within_bounds",
        severity=limits.bounds,
        expected=(
            f"percentages from 0 to 100, ratios from 0 to 1, within {limits.tolerance_percent:g} %"
            f"; at most {limits.most_bytes_per_second:g} bytes/s"
        ),
        problem="figures beyond what there can be",
        advice="A time that is not that of the work can do it; see the record in raw",
        query=_wrong_figures(mart, bounds),
    )


def _sums_rule(table: str, mart: Mart, sums: list[tuple[str, str]], limits: Limits) -> Rule:
    tests = {}
    for one, other in sums:
        difference = f"abs(({one}) - ({other}))"
        scale = f"greatest(abs({one}), abs({other}), 1)"
        tests[f"{one} = {other}"] = f"{difference} > {limits.identity_relative} * {scale}"
    wrong = ", ".join(
        f"CASE WHEN {test} THEN {_quoted(label)} END" for label, test in tests.items()
    )
    return Rule(
        suite="marts",
        table=table,
        name="sums_hold",
        severity=ERROR,
        expected="; ".join(tests),
        problem="figures of one row contradict each other",
        advice=_FIX,
        query=f"""
            SELECT {_place(mart)} AS place,
                'not so that ' || concat_ws('; ', {wrong}) AS observed
            FROM batch WHERE {" OR ".join(f"({test})" for test in tests.values())}
        """,
    )


def _agreement_rule(table: str, mart: Mart, beside: tuple[str, str]) -> Rule:
    one, other = beside
    return Rule(
        suite="marts",
        table=table,
        name="sources_agree",
        severity=WARNING,
        expected=f"{one} and {other} figures are the same, but for their rounding",
        problem=f"{one} figures that differ from the {other} ones",
        advice="The one or the other is of another interval or system, or was read wrongly",
        column=other,
        query=f"""
            SELECT {_place(mart)} AS place,
                '{one} ' || {one} || ', {other} ' || {other} AS observed
            FROM batch WHERE NOT agrees
        """,
    )


def _parts_rule(table: str, mart: Mart, limits: Limits) -> Rule:
    assert mart.parts
    finer, keys, measures = mart.parts
    key = ", ".join(keys)
    totals = ", ".join(f"sum({m}) AS {m}" for m in measures)
    words = ", ".join(f"'{k} ' || {k}::VARCHAR" for k in keys)
    tests = {
        m: f"abs(coalesce(a.{m}, 0) - coalesce(b.{m}, 0)) > {limits.identity_relative} "
        f"* greatest(abs(coalesce(a.{m}, 0)), abs(coalesce(b.{m}, 0)), 1)"
        for m in measures
    }
    shown = ", ".join(
        f"CASE WHEN {test} THEN '{m} ' || coalesce(a.{m}, 0) || ' here and ' "
        f"|| coalesce(b.{m}, 0) || ' there' END"
        for m, test in tests.items()
    )
    return Rule(
        suite="marts",
        table=table,
        name="totals_are_those_of_the_parts",
        severity=ERROR,
        expected=f"{', '.join(measures)} total the same in marts.{finer}",
        problem=f"totals differ from those of marts.{finer}",
        advice="A join lost or multiplied rows of one of the two",
        query=f"""
            WITH a AS (SELECT {key}, {totals} FROM batch GROUP BY {key}),
            b AS (SELECT {key}, {totals} FROM marts.{finer} GROUP BY {key})
            SELECT concat_ws(', ', {words}) AS place, concat_ws(', ', {shown}) AS observed
            FROM a FULL JOIN b USING ({key})
            WHERE {" OR ".join(f"({test})" for test in tests.values())}
        """,
    )


def _feeds_rule(table: str, mart: Mart, has_list: bool) -> Rule:
    """Kept are the records that are no duplicates; intervals need a known interval."""
    sections = " UNION ".join(
        f"SELECT source_id, record_no, '{feed}' AS feed FROM raw.{feed}" for feed in mart.feeds
    )
    shown = (
        "SELECT r.source_id, r.record_no FROM (SELECT unnest(source_records) AS r FROM batch)"
        if has_list
        else "SELECT source_id, record_no FROM batch"
    )
    if mart.records == "int_rmf__record":  # the parts of a broken record are shown as its first
        number, kept = "logical_record", "usable"
    else:
        timed = "interval_start_utc" in mart.grain
        number, kept = "record_no", "interval_start_utc IS NOT NULL" if timed else "true"
    return Rule(
        suite="marts",
        table=table,
        name="no_record_is_lost",
        severity=ERROR,
        expected=f"every kept record of raw.{', raw.'.join(mart.feeds)} is behind a row",
        problem="records that are behind no row",
        advice="A join or a filter of the models drops them",
        query=f"""
            SELECT 'record ' || record_no || ' of load ' || left(source_id, 12) AS place,
                string_agg(feed, ', ' ORDER BY feed) AS observed
            FROM ({sections})
            JOIN (
                SELECT source_id, record_no, {number} AS shown_no
                FROM intermediate.{mart.records} WHERE {kept}
            ) AS kept USING (source_id, record_no)
            ANTI JOIN ({shown}) AS shown
                ON shown.source_id = kept.source_id AND shown.record_no = kept.shown_no
            GROUP BY source_id, record_no
        """,
    )


def _interval_rule() -> Rule:
    return Rule(
        suite="marts",
        table="intermediate.int_mq__record",
        name="statistics_have_an_interval",
        severity=WARNING,
        expected="the interval of every record of statistics is known",
        problem="records of statistics without a known interval",
        advice="They are in no mart; their product section holds no valid time",
        column="interval_start_utc",
        query="""
            SELECT '115.' || coalesce(record_subtype::VARCHAR, '') || ', record ' || record_no
                || ' of load ' || left(source_id, 12) AS place, 'no interval' AS observed
            FROM batch
            WHERE record_type = 115 AND record_subtype <> 240 AND interval_start_utc IS NULL
        """,
    )


def _usable_rule() -> Rule:
    """Records of Monitor III are left out on purpose: Monitor I covers the same interval."""
    return Rule(
        suite="marts",
        table="intermediate.int_rmf__record",
        name="rmf_records_are_usable",
        severity=WARNING,
        expected="every RMF record is whole, has an interval and is not to be passed over",
        problem="RMF records that no mart counts",
        advice="Parts may be missing from the dump; what a record passes over was not measured",
        column="usable",
        query="""
            SELECT record_type || '.' || record_subtype || ', record ' || record_no
                || ' of load ' || left(source_id, 12) AS place,
                concat_ws(
                    ', ',
                    CASE WHEN NOT complete THEN 'lacks parts' END,
                    CASE WHEN skipped THEN 'says itself that it is to be passed over' END,
                    CASE WHEN interval_start_utc IS NULL THEN 'no interval in UTC' END
                ) AS observed
            FROM batch
            WHERE NOT monitor_iii AND usable IS NOT TRUE
        """,
    )


def _wrong_figures(mart: Mart, tests: Mapping[str, str]) -> str:
    """A query for the rows in which a test holds, showing "column = value" of those columns."""
    shown = ", ".join(
        f"CASE WHEN {test} THEN '{column} = ' || {name(column)}::VARCHAR END"
        for column, test in tests.items()
    )
    return f"""
        SELECT {_place(mart)} AS place, concat_ws(', ', {shown}) AS observed
        FROM batch WHERE {" OR ".join(f"({test})" for test in tests.values())}
    """


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
