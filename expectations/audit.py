"""The audit of a build: all suites on the working database, and their results stored."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from expectations.baselines import baselines_file, read_baselines
from expectations.limits import SettingsError, read_limits
from expectations.marts import marts_suite
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.raw_gate import raw_suite
from expectations.rule import WARNING
from expectations.store import write_result, write_schema

__all__ = [
    "AuditResult",
    "ExpectationOutcome",
    "SettingsError",
    "columns_in",
    "run_audit",
    "write_schema",
]

Columns = dict[str, dict[str, str]]


def run_audit(
    work: Path, audit_dir: Path, build_id: str, baselines: Path | None = None
) -> AuditResult:
    """Judge the build in `work` (read-only) and store the results as a file in `audit_dir`.

    `baselines` is the file of rates not to fall below, by default `baselines_file()`. Raises
    SettingsError when that file or limits.toml is wrong, duckdb.IOException when `work` cannot be
    opened; what is wrong in the data is in the result.
    """
    file = baselines or baselines_file()
    rates = read_baselines(file)
    limits = read_limits()
    with duckdb.connect(str(work), read_only=True) as connection:
        columns, code_version = columns_in(connection), _code_version(connection)
    from expectations.gx import Auditor  # ten seconds: only where it is needed

    with Auditor(work) as auditor:
        outcomes = [
            *auditor.judge_rules(raw_suite(limits, columns)),
            *auditor.judge_rules(marts_suite(limits, columns)),
            *(auditor.judge_baselines(rates) if rates else [_no_baselines(file)]),
        ]
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    result = AuditResult(f"{moment}-{secrets.token_hex(3)}", build_id, tuple(outcomes))
    write_result(result, audit_dir, code_version)
    return result


def columns_in(connection: duckdb.DuckDBPyConnection) -> Columns:
    """The columns and types of raw and marts, by "schema.table"."""
    columns: Columns = {}
    for table, column, kind in connection.execute(
        "SELECT schema_name || '.' || table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE schema_name IN ('raw', 'marts') ORDER BY schema_name, table_name, column_index"
    ).fetchall():
        columns.setdefault(table, {})[column] = kind
    return columns


def _code_version(connection: duckdb.DuckDBPyConnection) -> str:
    """The version of the code that made the build; '' where the build does not say."""
    build = connection.execute(
        "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'meta' AND table_name = 'build'"
    ).fetchone()
    row = connection.execute("SELECT code_version FROM meta.build").fetchone() if build else None
    return row[0] if row else ""


def _no_baselines(file: Path) -> ExpectationOutcome:
    return ExpectationOutcome(
        suite="rates",
        table="",
        expectation="rates_have_baselines",
        column="",
        passed=True,
        severity=WARNING,
        observed="no baselines",
        expected="rates are not below their baselines",
        message=f"No rate was judged: {file.name} sets no baseline",
    )
