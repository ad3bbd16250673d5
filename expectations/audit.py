"""The audit of a build: judge all suites on the working database and store the results.

Regressions are judged first: new ones are stored as events, and the suite `regressions` then
reports those that are open.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import duckdb

from expectations.baselines import baselines_file, read_baselines
from expectations.limits import read_limits
from expectations.outcome import REGRESSIONS, AuditResult, ExpectationOutcome
from expectations.rule import WARNING
from expectations.store import next_id, write_result, write_schema
from expectations.suites.facts import judge_facts
from expectations.suites.issues import judge_issues
from expectations.suites.known_marts import known_marts
from expectations.suites.marts import marts_suite
from expectations.suites.raw import raw_suite
from expectations.suites.team import judge_team
from expectations.thresholds import read_thresholds
from ingest.lake.memory import bound
from ingest.lake.profile import attach_shown

if TYPE_CHECKING:
    from expectations.regressions.finding import Key
    from expectations.regressions.judge import Judgement

__all__ = [
    "AuditResult",
    "ExpectationOutcome",
    "columns_in",
    "import_ahead",
    "run_audit",
    "write_schema",
]

Columns = dict[str, dict[str, str]]


def import_ahead() -> None:
    """Import in a thread what an audit needs: call it before waiting for another process.

    It takes two seconds, more than half of an audit of small data.
    """

    def import_all() -> None:
        import_module("expectations.gx.auditor")
        import_module("expectations.regressions.judge")

    Thread(target=import_all).start()


def run_audit(
    work: Path,
    audit_dir: Path,
    build_id: str,
    baselines: Path | None = None,
    *,
    regressions: Path | None = None,
    docs: Path | None = None,
) -> AuditResult:
    """Judge the build in `work` (read-only) and store the results as a file in `audit_dir`.

    baselines: file of rates that must not fall, by default `baselines_file()`; regressions: folder
    of regression events (None: do not judge them); docs: folder for the audit's page (None: no
    page). Raises SettingsError if that file, limits.toml or a file of thresholds is invalid, and
    duckdb.IOException if `work` cannot be opened; whatever is found is in the result.
    """
    file = baselines or baselines_file()
    rates = read_baselines(file)
    limits = read_limits()
    thresholds = read_thresholds(limits.least_percent)
    # These take seconds to import: only where needed.
    from expectations.gx.auditor import Auditor
    from expectations.regressions.judge import Judgement, judge_build
    from expectations.regressions.suite import subjects

    with duckdb.connect(str(work), read_only=True) as connection:
        bound(connection)
        attach_shown(connection)
        columns, code_version = columns_in(connection), _code_version(connection)
        judgement, judged = Judgement(), []
        if regressions is not None:
            judgement = judge_build(connection, regressions, build_id, limits, thresholds)
            judged = subjects(connection)
        facts = list(judge_facts(connection))
        issues = list(judge_issues(connection, columns))
        team = list(judge_team(connection))
        marts = known_marts(connection)
    with Auditor(work) as auditor:
        outcomes = [
            *auditor.judge_rules(raw_suite(limits, columns)),
            *auditor.judge_rules(marts_suite(limits, columns, marts)),
            *facts,
            *issues,
            *team,
            *(auditor.judge_baselines(rates) or [_no_baselines(file, others=bool(rates))]),
            *auditor.judge_regressions(judged),
            *_too_few_runs(judgement),
            *_wandering(judgement.wandering),
        ]
    result = AuditResult(next_id(audit_dir), build_id, tuple(outcomes), judgement.events)
    write_result(result, audit_dir, code_version)
    if docs is not None:
        from expectations.page import write_page

        write_page(result, docs)
    return result


def columns_in(connection: duckdb.DuckDBPyConnection) -> Columns:
    """Return the columns and types of raw and marts by "schema.table"."""
    columns: Columns = {}
    for table, column, kind in connection.execute(
        "SELECT schema_name || '.' || table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE database_name = current_database() AND schema_name IN ('raw', 'marts') "
        "ORDER BY schema_name, table_name, column_index"
    ).fetchall():
        columns.setdefault(table, {})[column] = kind
    return columns


def _code_version(connection: duckdb.DuckDBPyConnection) -> str:
    """Return the version of the code that made the build, '' if it is not recorded."""
    build = connection.execute(
        "SELECT 1 FROM duckdb_columns() WHERE schema_name = 'meta' AND table_name = 'build'"
    ).fetchone()
    row = connection.execute("SELECT code_version FROM meta.build").fetchone() if build else None
    return row[0] if row else ""


def _too_few_runs(judgement: Judgement) -> list[ExpectationOutcome]:
    """Return how many series could not be judged yet, with the number of runs that is missing."""
    series, open_ = judgement.series, judgement.unsettled
    unsettled, more = open_.series, open_.more_runs
    if not series:
        return []
    advice = f"{more} more runs of each build would settle the nearest one" if more else "add runs"
    reasons = []
    if unsettled:
        reasons.append(
            f"{unsettled:,} of {series:,} series have too few runs to compare builds: {advice}"
        )
    if open_.alone:
        reasons.append(f"{open_.alone:,} of {series:,} series have runs of one build only")
    return [
        ExpectationOutcome(
            suite=REGRESSIONS,
            table="",
            expectation="builds_have_enough_runs",
            column="",
            passed=True,
            severity=WARNING,
            observed=f"{unsettled:,} of {series:,} series have too few runs",
            expected="a build has enough runs to be compared with the previous one",
            message="; ".join(reasons),
            rows_failed=unsettled + open_.alone,
            rows_total=series,
        )
    ]


def _wandering(found: Mapping[Key, float]) -> list[ExpectationOutcome]:
    """Return a note that names the series whose level moves by itself, and how far."""
    if not found:
        return []
    far: dict[tuple[str, str], list[float]] = {}
    for key, share in found.items():
        far.setdefault((key.campaign, key.metric), []).append(share)
    listed = ", ".join(
        f"{metric} of {campaign} ({len(of)} series, over up to {max(of):.0%})"
        for (campaign, metric), of in sorted(far.items())
    )
    return [
        ExpectationOutcome(
            suite=REGRESSIONS,
            table="",
            expectation="series_keep_a_level",
            column="",
            passed=True,
            severity=WARNING,
            observed=f"{len(found)} series wander",
            expected="the level of a series moves only when something changes",
            message=(
                "Wandering, so that only what stands out from their usual movement is reported: "
                f"{listed}"
            ),
        )
    ]


def _no_baselines(file: Path, *, others: bool) -> ExpectationOutcome:
    """Return a note that no rate was judged; others: the file has baselines of the bundled data."""
    text = "sets no baseline of these data" if others else "sets no baseline"
    return ExpectationOutcome(
        suite="rates",
        table="",
        expectation="rates_have_baselines",
        column="",
        passed=True,
        severity=WARNING,
        observed="no baselines",
        expected="rates are not below their baselines",
        message=f"No rate was judged: {file.name} {text}",
    )
