"""Small working databases with the columns that the audit reads; they break no rule."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import duckdb
import yaml
from duckdb import DuckDBPyConnection

from app.pipeline.places import ROOT
from expectations.rule import Rule, verdict_query
from expectations.suites.known_marts import Mart


def _known_marts() -> dict[str, Mart]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    files = sorted((ROOT / "dbt/models/marts").rglob("*.yml"))
    models = [m for file in files for m in yaml.load(file.read_text(), loader).get("models", [])]
    return {
        model["name"]: Mart(
            tuple(meta["consistent"]["grain"]),
            tuple(meta.get("signed", ())),
            meta.get("printed", False),
            tuple(meta.get("compared", ())),
        )
        for model in models
        for meta in [model["config"]["meta"]]
    }


MARTS = _known_marts()
RAW = """
CREATE SCHEMA raw;
CREATE SCHEMA meta;
CREATE TABLE meta.lineage (name VARCHAR, audit STRUCT(
    key VARCHAR[], signed VARCHAR[], printed BOOLEAN, compared VARCHAR[]
));
CREATE TABLE raw.ledger (
    source_id VARCHAR, path VARCHAR, origin VARCHAR, kind VARCHAR, bytes BIGINT, status VARCHAR,
    loaded_at TIMESTAMP, records BIGINT, records_loaded BIGINT, records_quarantined BIGINT
);
CREATE TABLE raw.ledger_count (
    source_id VARCHAR, record_type INTEGER, record_subtype INTEGER, records BIGINT, sections BIGINT
);
CREATE TABLE raw.ledger_day (
    source_id VARCHAR, first_day DATE, last_day DATE, first_record_no BIGINT, last_record_no BIGINT
);
CREATE TABLE raw.ledger_rolled (
    source_id VARCHAR, rolled_until TIMESTAMP, removed_at TIMESTAMP
);
CREATE TABLE raw.quarantine (
    source_id VARCHAR, path VARCHAR, record_no BIGINT, file_offset BIGINT, record_type INTEGER,
    reason VARCHAR
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

# Two files of queue manager QM1 on SYS1, six hours behind UTC: three one-minute intervals in the
# first (subtypes 1, 2 and 215) and one interval in the second, which follows without a gap.
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
INSERT INTO raw.ledger_day
SELECT source_id, min(smf_time)::DATE, max(smf_time)::DATE, min(record_no), max(record_no)
FROM raw.smf_record GROUP BY source_id;
INSERT INTO raw.ledger
SELECT source_id, left(source_id, 1) || '.dat', 'measured', 'smf', sum(length), 'loaded',
    TIMESTAMP '2026-01-01', count(*), count(*), 0
FROM raw.smf_record GROUP BY source_id;
"""


# All sections of a load are counted with its records of type 115.1.
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
    """Make a database with raw tables, then run `statements` on it."""
    with duckdb.connect(str(file)) as connection:
        connection.execute(RAW)
        if fill:
            connection.execute(FILL)
            connection.execute(RECOUNT)
        for statement in statements:
            connection.execute(statement)
    return file


A = "aaaaaaaaaaaaaaaa"
_TEXTS = {
    *("origin", "source_id", "system_id", "queue_manager", "structure_name", "queue_name"),
    *("cf_structure_name", "write_type", "task_type", "request_type", "application_type"),
    *("connection_name", "channel_name", "document_id", "configuration_id", "comparison_id"),
    *("sysplex", "processor_type", "partition_name", "service_class", "report_class"),
    *("kind", "subject", "run_id", "found"),
    *("coupling_facility", "structure_version", "request_kind", "delay_reason", "device_number"),
    *("card_kind", "scope", "operation", "name"),
}


def named_columns(mart_name: str) -> set[str]:
    """Return every column of a mart that the audit names."""
    mart = MARTS[mart_name]
    record = ("source_id", "record_no") if mart.is_unique_by_data else ()
    return {*mart.key, *mart.signed, *mart.compared, *record}


def make_marts(file: Path) -> Path:
    """Make a database with one row in every mart that breaks no rule."""
    make_raw(
        file,
        "CREATE SCHEMA marts",
        "CREATE SCHEMA intermediate",
        f"CREATE TABLE intermediate.int_mq__record AS SELECT '{A}' AS source_id, "
        "3::BIGINT AS record_no, 115 AS record_type, 2 AS record_subtype, "
        "TIMESTAMP '2026-02-27 10:00:00' AS interval_start_utc",
        f"CREATE TABLE intermediate.int_rmf__record AS SELECT '{A}' AS source_id, "
        "3::BIGINT AS record_no, 3::BIGINT AS logical_record, true AS usable, 70 AS record_type, "
        "1 AS record_subtype, true AS complete, false AS skipped, false AS monitor_iii, "
        "TIMESTAMP '2026-02-27 10:00:00' AS interval_start_utc",
    )
    with duckdb.connect(str(file)) as connection:
        for mart_name in MARTS:
            connection.execute(f"CREATE TABLE marts.{mart_name} AS SELECT {_row(mart_name)}")
            connection.execute(
                "INSERT INTO meta.lineage VALUES ($1, $2)",
                [f"marts.{mart_name}", asdict(MARTS[mart_name])],
            )
    return file


@contextmanager
def changed(database: DuckDBPyConnection, damage: str) -> Iterator[None]:
    """Run the statements `damage`, and undo them at the end."""
    database.execute("BEGIN")
    try:
        if damage:
            database.execute(damage)
        yield
    finally:
        database.execute("ROLLBACK")


def broken(database: DuckDBPyConnection, rule: Rule) -> tuple[int, list[str]]:
    """Return the number of rows that break a rule, and the first of them."""
    row = database.execute(verdict_query(rule)).fetchone()
    assert row
    return row[1], row[2] or []


def _row(mart_name: str) -> str:
    """Return the SELECT list of a row: the columns that the audit names, and some figures."""
    mart = MARTS[mart_name]
    values = dict.fromkeys(named_columns(mart_name), "0::DOUBLE")
    values |= {c: "'x'" for c in values if c in _TEXTS}
    values |= {"origin": "'published'" if mart.printed else "'measured'", "source_id": f"'{A}'"}
    if mart.compared:
        values["agrees"] = "true"
    if mart_name == "fct_data_issue":
        values |= {"severity": "'note'", "sysplex": "'P1'", "system_id": "'S1'", "done": "'kept'"}
        values |= {"start_utc": "TIMESTAMP '2026-02-27 10:00:00'"}
    values |= {"things": "1::DOUBLE", "full_percent": "50::DOUBLE"}
    values |= {"line_bytes_per_second": "0::DOUBLE", "log_mb_per_second": "0::DOUBLE"}
    return ", ".join(f"{value} AS {column}" for column, value in values.items())
