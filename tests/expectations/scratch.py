"""A small working database with the columns that the audit reads, and nothing wrong in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection

from expectations.marts import MARTS
from expectations.rule import Rule, verdict_query

RAW = """
CREATE SCHEMA raw;
CREATE TABLE raw.ledger (
    source_id VARCHAR, path VARCHAR, origin VARCHAR, kind VARCHAR, bytes BIGINT, status VARCHAR,
    loaded_at TIMESTAMP, records BIGINT, records_loaded BIGINT, records_quarantined BIGINT
);
CREATE TABLE raw.ledger_count (
    source_id VARCHAR, record_type INTEGER, record_subtype INTEGER, records BIGINT, sections BIGINT
);
CREATE TABLE raw.quarantine (
    source_id VARCHAR, path VARCHAR, record_no BIGINT, file_offset BIGINT, reason VARCHAR
);
CREATE TABLE raw.smf_record (
    source_id VARCHAR, record_no BIGINT, file_offset BIGINT, length BIGINT, record_type INTEGER,
    record_subtype INTEGER, system_id VARCHAR, subsystem_id VARCHAR, smf_time TIMESTAMP
);
CREATE TABLE raw.smf115_qwhs (
    source_id VARCHAR, record_no BIGINT, section_no INTEGER, qwhsstck TIMESTAMP, qwhsiseq BIGINT,
    qwhswseq BIGINT, qwhstime TIMESTAMP, qwhsdurn INTERVAL
);
CREATE TABLE raw.smf116_qwhs (
    source_id VARCHAR, record_no BIGINT, section_no INTEGER, qwhsstck TIMESTAMP, qwhsiseq BIGINT,
    qwhswseq BIGINT
);
CREATE TABLE raw.smf115_qmst (
    source_id VARCHAR, record_no BIGINT, section_no INTEGER, qmsteyec VARCHAR
);
"""

# Two files of queue manager QM1 on SYS1, six hours behind UTC: three intervals of a minute in
# the first (subtypes 1, 2 and 215), one interval in the second, which follows on without a gap.
FILL = """
INSERT INTO raw.smf_record
SELECT if(i < 3, 'aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'), 1 + 3 * (i % 3) + place, 0, 1000, 115,
    [1, 2, 215][place], 'SYS1', 'QM1', TIMESTAMP '2016-02-27 04:01:00.01' + to_minutes(i)
FROM range(4) AS t(i), range(1, 4) AS p(place);

INSERT INTO raw.smf115_qwhs
SELECT source_id, record_no, 1, smf_time + INTERVAL 6 HOUR, 100 + i, 1000 + 3 * i + place,
    smf_time - INTERVAL 1 MINUTE, INTERVAL 1 MINUTE
FROM (
    SELECT *, date_diff('minute', TIMESTAMP '2016-02-27 04:01:00', smf_time) AS i,
        list_position([1, 2, 215], record_subtype) AS place
    FROM raw.smf_record
);

INSERT INTO raw.smf115_qmst
SELECT source_id, record_no, 1, 'QMST' FROM raw.smf_record WHERE record_subtype = 2;

INSERT INTO raw.smf_record VALUES
    ('aaaaaaaaaaaaaaaa', 11, 9000, 500, 116, 1, 'SYS1', 'QM1', TIMESTAMP '2016-02-27 04:02:30'),
    ('aaaaaaaaaaaaaaaa', 1, 0, 14, 2, NULL, 'SYS1', '', TIMESTAMP '2016-02-27 04:00:00');
INSERT INTO raw.smf116_qwhs VALUES
    ('aaaaaaaaaaaaaaaa', 11, 1, TIMESTAMP '2016-02-27 10:02:30', 7, 2000);

INSERT INTO raw.ledger_count
SELECT source_id, record_type, record_subtype, count(*), 0
FROM raw.smf_record GROUP BY ALL;
INSERT INTO raw.ledger
SELECT source_id, left(source_id, 1) || '.dat', 'measured', 'smf', sum(length), 'loaded',
    TIMESTAMP '2026-01-01', count(*), count(*), 0
FROM raw.smf_record GROUP BY source_id;
"""


# All sections of a load are noted at its records of type 115.1.
RECOUNT = """
UPDATE raw.ledger_count SET sections = 0;
UPDATE raw.ledger_count SET sections = found
FROM (
    SELECT source_id AS load, count(*) AS found
    FROM (
        SELECT source_id FROM raw.smf115_qwhs
        UNION ALL SELECT source_id FROM raw.smf116_qwhs
        UNION ALL SELECT source_id FROM raw.smf115_qmst
    )
    GROUP BY source_id
)
WHERE source_id = load AND record_type = 115 AND record_subtype = 1;
"""


def make_raw(file: Path, *statements: str, fill: bool = True) -> Path:
    """A database with raw tables, changed by `statements`."""
    with duckdb.connect(str(file)) as connection:
        connection.execute(RAW)
        if fill:
            connection.execute(FILL)
            connection.execute(RECOUNT)
        for statement in statements:
            connection.execute(statement)
    return file


A = "aaaaaaaaaaaaaaaa"
P = "pppppppppppppppp"
_TEXTS = {
    *("origin", "source_id", "system_id", "queue_manager", "structure_name", "queue_name"),
    *("cf_structure_name", "write_type", "task_type", "request_type", "application_type"),
    *("connection_name", "channel_name", "document_id", "configuration_id", "comparison_id"),
    *("sysplex", "processor_type", "partition_name", "class_name"),
    *("coupling_facility", "structure_version", "request_kind", "delay_reason", "device_number"),
    *("card_kind", "scope", "operation"),
}
_FUNCTIONS = {"list_sum", "epoch"}


def columns_of(expression: str) -> list[str]:
    """The columns that an expression of a mart names."""
    return [w for w in re.findall(r"\b[a-z_][a-z_0-9]*", expression) if w not in _FUNCTIONS]


def named_columns(mart_name: str) -> set[str]:
    """Every column that the audit's data names of a mart."""
    mart = MARTS[mart_name]
    named = {*mart.grain, *mart.optional, *mart.signed, *(mart.beside or ())}
    for pair in mart.sums:
        named.update(c for side in pair for c in columns_of(side))
    for other in (mart, *MARTS.values()):
        if other.parts and (other is mart or other.parts[0] == mart_name):
            named.update(other.parts[1], other.parts[2])
    return named


def make_marts(file: Path) -> Path:
    """A database with one row of zeros in every mart, which keeps every rule."""
    make_raw(
        file,
        f"INSERT INTO raw.ledger VALUES ('{P}', 'cells.csv', 'published', 'published_cells', 9, "
        "'loaded', '2026-01-01', 1, 1, 0)",
        f"CREATE TABLE raw.published_cell AS SELECT '{P}' AS source_id, 1::BIGINT AS record_no",
        "DELETE FROM raw.smf115_qmst WHERE record_no <> 3 OR source_id <> 'aaaaaaaaaaaaaaaa'",
        "CREATE SCHEMA marts",
        "CREATE SCHEMA intermediate",
        f"CREATE TABLE intermediate.int_mq__record AS SELECT '{A}' AS source_id, "
        "3::BIGINT AS record_no, 115 AS record_type, 2 AS record_subtype, "
        "TIMESTAMP '2026-02-27 10:00:00' AS interval_start_utc",
        f"CREATE TABLE intermediate.int_rmf__record AS SELECT '{A}' AS source_id, "
        "3::BIGINT AS record_no, 3::BIGINT AS logical_record, true AS usable, 70 AS record_type, "
        "1 AS record_subtype, true AS complete, false AS skipped, false AS monitor_iii, "
        "TIMESTAMP '2026-02-27 10:00:00' AS interval_start_utc",
        f"CREATE TABLE intermediate.int_zos_devices__data_set_record AS SELECT '{A}' AS source_id, "
        "3::BIGINT AS record_no",
    )
    with duckdb.connect(str(file)) as connection:
        for mart_name, mart in MARTS.items():
            connection.execute(f"CREATE TABLE marts.{mart_name} AS SELECT {_zeros(mart_name)}")
            for feed in mart.feeds:
                connection.execute(
                    f"CREATE TABLE IF NOT EXISTS raw.{feed} AS SELECT '{A}' AS source_id, "
                    "3::BIGINT AS record_no, 1::INTEGER AS section_no"
                )
        feeds = {feed for mart in MARTS.values() for feed in mart.feeds} - {"smf115_qmst"}
        connection.execute(RECOUNT)
        connection.execute(
            f"UPDATE raw.ledger_count SET sections = sections + {len(feeds)} "
            f"WHERE source_id = '{A}' AND record_type = 115 AND record_subtype = 1"
        )
    return file


@contextmanager
def changed(database: DuckDBPyConnection, hurt: str) -> Iterator[None]:
    """The database after the statements `hurt`, which are undone."""
    database.execute("BEGIN")
    try:
        if hurt:
            database.execute(hurt)
        yield
    finally:
        database.execute("ROLLBACK")


def broken(database: DuckDBPyConnection, rule: Rule) -> tuple[int, list[str]]:
    """How many rows break a rule, and the first of them."""
    row = database.execute(verdict_query(rule)).fetchone()
    assert row
    return row[1], row[2] or []


def _zeros(mart_name: str) -> str:
    mart = MARTS[mart_name]
    values = dict.fromkeys(named_columns(mart_name), "0::DOUBLE")
    values |= {c: "'x'" for c in values if c in _TEXTS}
    origin = "published" if mart.printed else "measured"
    values |= {"origin": f"'{origin}'", "source_id": f"'{P if mart.printed else A}'"}
    if mart.beside:
        values["agrees"] = "true"
    if mart_name != "dim_load":
        values["record_no"] = "1::BIGINT" if mart.printed else "3::BIGINT"
    if "interval_start_utc" in mart.grain or "interval_seconds" in values:
        values["interval_start_utc"] = "TIMESTAMP '2026-02-27 10:00:00'"
        values["interval_end_utc"] = "TIMESTAMP '2026-02-27 10:01:00'"
        values["interval_seconds"] = "60::DOUBLE"
    values |= {"things": "1::DOUBLE", "full_percent": "50::DOUBLE", "hit_ratio": "0.5::DOUBLE"}
    values |= {"line_bytes_per_second": "0::DOUBLE", "log_mb_per_second": "0::DOUBLE"}
    if mart_name == "fct_queue_manager_interval":
        values["source_records"] = f"[{{'source_id': '{A}', 'record_no': 3::BIGINT}}]"
    return ", ".join(f"{value} AS {column}" for column, value in values.items())
