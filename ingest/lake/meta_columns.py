"""What the columns of `meta` mean: the comments that DuckDB shows.

A column has the same meaning in each table that has it, but for those named with their table. All
moments are UTC, as their comments say. Their names end in `_at`, not in `_utc` as in marts: files
of kept lakes have them so, and so have builds of earlier releases. `meta.lineage` and
`meta.team_result` are described where the build makes them.
"""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from ingest.lake.sql import identifier, literal

__all__ = ["TEXTS", "comment_on_meta"]

TEXTS = {
    # builds and loads
    "build_id": "Identity of the build; of a regression the one that was judged, '' for an answer",
    "built_at": "When the build ended, UTC",
    "code_version": "Version of perfhouse that made the build",
    "loads": "Loads in the build; of a step those that it made, decoded again, merged or removed",
    "models": "Digest of what makes marts of loads: another one builds everything again",
    "predictions": "Digest of what predicts: another one predicts all runs again",
    "source_id": "The load: SHA-256 of its source file, hexadecimal",
    "loaded_at": "When the file was loaded, UTC",
    "path": "Path of the source file when it was loaded",
    "kind": "Format of the source file",
    "regression.kind": "level, pair, slope: how the change was found; environment: builds "
    "that ran before it have it too; model: outside the band of its model; data: an error in the "
    "data",
    "origin": "measured or simulated",
    "code_page": "EBCDIC code page by which text was decoded",
    "ams_type": "SMF record type that was read as MQ Advanced Message Security's",
    "about": "What else is known of the file, from beside it",
    "first_day": "First day of the records in the range, local time of the system",
    "last_day": "Last day of the records in the range, local time of the system",
    "first_record_no": "First record of the range, by its position in the source file",
    "last_record_no": "Last record of the range, by its position in the source file",
    "distance": "Days from the range to those that are built again: 0 is built, 1 and 2 are read",
    # codes and prices
    "table_name": "Name of the table; of an expectation with its schema",
    "column_name": "Name of the column; '' if an expectation is on the whole row",
    "code": "Value in the column",
    "label": "What the value means, after the manual",
    "currency": "Currency of the prices",
    "valid_from": "First day on which the prices hold",
    "valid_until": "First day on which they no longer hold; NULL: they still do",
    "machine": "Machine generation, such as z15; '' for those without a price of their own",
    "msu_hour": "Price of an MSU hour",
    "cp_second": "Price of a second on a general-purpose processor",
    "network_gb": "Price of a GB of network",
    # facts that do not hold
    "set_aside.code": "Digest of the code that built it: other code tries the load again",
    "model": "Models that the fact is about",
    "broken_fact.models": "Models that the fact is about",
    "fact": "What does not hold, though it should whatever the data are",
    "test": "Data test of dbt that found it",
    "kept": "Tables that are as last published because of it, or empty",
    # audits
    "check_id": "Identity of the audit; sorts in the order of audits",
    "checked_at": "When the audit ended, UTC",
    "suite": "raw, marts, issues, team, rates or regressions",
    "expectation": "Name of the rule or baseline",
    "severity": "fault: keeps a build from readers; error, warning or note: does not",
    "passed": "Whether the expectation is met",
    "observed": "What was found",
    "expected": "What should be",
    "message": "One line: what is wrong; of a step or a file why it failed",
    "rows_failed": "Rows that break the rule",
    "rows_total": "Rows of the table; NULL if it could not be read",
    "sample": "Up to five of these rows: place and what was found",
    # regressions
    "event_id": "Identity of the event; sorts in the order of events",
    "event_at": "When it happened, UTC",
    "changed_at": "When its state changed last, UTC",
    "first_seen_at": "When it was first reported, UTC",
    "regression_id": "Identity of the regression: its group and a number",
    "group_id": "Regressions with the same build and cause",
    "leads": "Whether it leads its group",
    "state": "suspected, withdrawn, new, confirmed, acknowledged, expected, false alarm or fixed",
    "is_open": "Whether it is suspected, new or confirmed",
    "by": "Who wrote the event: detector, or a user",
    "note": "Reason; '' if none was given",
    "owner": "Who looks after it; '' if nobody is named",
    "bug": "Number or link in a tracker; '' if there is none",
    "detector_version": "Version of the code that judged",
    "campaign": "Campaign of the runs",
    "configuration_id": "Configuration of the runs: a digest of its factors",
    "configuration": "Factors of the configuration, as text",
    "metric": "Metric that changed; '' for an error in the data",
    "system_id": "System that the metric is of; '' for all",
    "address_space": "Address space that the metric is of; '' for the whole run",
    "unit": "Unit of the metric",
    "more_is_better": "Whether a higher value is better",
    "onset_run_id": "First run at the new level",
    "onset_utc": "Start of that run, UTC",
    "onset_build": "Its build; '' if unknown",
    "onset_first_build": "First build that it may have begun with, at 95 %",
    "onset_last_build": "Last build that it may have begun with, at 95 %",
    "last_good_run_id": "Last run at the level before",
    "before": "Level before the change, in the unit of the metric",
    "after": "Level after the change, in the unit of the metric",
    "low": "Lower end of the 95 % confidence interval of the change, in the unit of the metric",
    "high": "Upper end of the 95 % confidence interval of the change, in the unit of the metric",
    "change_percent": "Change in percent of the level before",
    "lost_percent": "Share of a week of its campaign that it costs, in percent; NULL: not known",
    "impact": "Of its group, by which regressions are sorted: percent of a week of the campaign "
    "that is lost, times how sure that is, over configurations",
    "effect": "Change in standard deviations of the noise",
    "p_value": "Probability of such a change by chance",
    "runs_before": "Runs at the level before",
    "runs_after": "Runs at the new level",
    "run_ids": "Runs at the new level, by name",
    "recovered_run_id": "First run after the recovery; NULL while the regression lasts",
    "recovered_utc": "Start of that run, UTC",
    "cause": "Where most of the change is, or what is wrong; '' if unknown",
    "parts": "JSON list: how the change splits over systems, address spaces and layers",
    # the log
    "time": "When the line was written, UTC",
    "level": "info, warning or error",
    "event": "begun, ended: a step; file: a file was loaded or could not be; command: a command or "
    "a task of a DAG ended; NULL: a message",
    "command": "What ran: perfhouse build, for example, or DAG.TASK",
    "host": "Machine that it ran on",
    "process": "Process that it ran in",
    "logger": "Module that wrote a message",
    "traceback": "Traceback of a failure, in one line",
    "step": "ingest, build, compact (a part of build), check, publish and so on",
    "step_id": "Identity of one execution of the step",
    "file": "File that the line is about",
    "status": "ok, failed or interrupted; of a file as in raw.ledger, or failed",
    "reason": "Why the step failed",
    "exit_status": "Exit status of the command",
    "begun": "When the step began, UTC",
    "begun_at": "When the step began, UTC",
    "ended_at": "When the step ended, UTC; NULL while it runs",
    "last_ok_at": "When the step last ended well, UTC",
    "last_begun_at": "When the step last began, UTC",
    "failed": "How often it has failed since",
    "seconds": "Elapsed time, in seconds",
    "median_seconds": "Median of the last 20 that ended well, in seconds",
    "cpu_seconds": "CPU time of the process and those that it started, in seconds",
    "peak_memory_bytes": "The most memory that the process, or one that it started, held, in bytes",
    "files": "Files that were looked at; in a backup",
    "failures": "Files that could not be read; expectations that are not met",
    "bytes": "Bytes of the loaded files, unpacked; that a backup copied",
    "records": "Records in the loaded files",
    "records_quarantined": "Records that could not be read and were set aside",
    "rows": "Rows of raw tables",
    "nodes": "Models and tests of dbt",
    "days": "Days that were built again; NULL: not by days",
    "is_whole": "Whether everything was built",
    "published_bytes": "Size of the published file, in bytes",
    "lake_bytes": "Size of the lake without copies by hard links, in bytes",
    "lake_files": "Files in the lake",
    "free_bytes": "Free space on the disk of the lake, in bytes",
}


def comment_on_meta(db: duckdb.DuckDBPyConnection, tables: Iterable[str]) -> None:
    """Comment on the columns of tables and views of `meta` in a database."""
    statements = []
    for table in tables:
        for column, *_ in db.execute(f"DESCRIBE meta.{table}").fetchall():
            of_table = f"{table.removesuffix('_event')}.{column}"
            if text := TEXTS.get(of_table) or TEXTS.get(column):
                where = f"meta.{table}.{identifier(column)}"
                statements.append(f"COMMENT ON COLUMN {where} IS {literal(text)}")
    db.execute(";".join(statements))
