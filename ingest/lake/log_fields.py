"""What the log of a warehouse holds: the fields of its lines, and the views of them.

    LAKE/log/<date>.jsonl   lines of all processes: a JSON object each, a file per day (UTC)
    LAKE/log/empty.jsonl    no lines: the view needs a file

`meta.log` shows the lines, `meta.pipeline_step` the steps in them, `meta.pipeline_state` how each
step went last. Lines that a kill or a full disk cut off are left out.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDER", "LONGEST", "SCHEMA", "VIEWS", "begin"]

FOLDER = "log"
LONGEST = 1 << 24  # bytes; DuckDB reads no longer line

#: The fields of a line, with their types in the view. A line has those that apply to it.
#: ingest.lake.meta_columns says what they mean.
SCHEMA = {
    "time": "TIMESTAMP",
    "level": "VARCHAR",
    "event": "VARCHAR",
    "command": "VARCHAR",
    "host": "VARCHAR",
    "process": "BIGINT",
    "logger": "VARCHAR",
    "message": "VARCHAR",
    "traceback": "VARCHAR",
    "step": "VARCHAR",
    "step_id": "VARCHAR",
    "source_id": "VARCHAR",
    "build_id": "VARCHAR",
    "check_id": "VARCHAR",
    "file": "VARCHAR",
    "status": "VARCHAR",
    "exit_status": "BIGINT",
    "begun": "TIMESTAMP",
    "seconds": "DOUBLE",
    "cpu_seconds": "DOUBLE",
    "peak_memory_bytes": "BIGINT",
    "files": "BIGINT",
    "loads": "BIGINT",
    "failures": "BIGINT",
    "bytes": "BIGINT",
    "records": "BIGINT",
    "records_quarantined": "BIGINT",
    "rows": "BIGINT",
    "nodes": "BIGINT",
    "days": "BIGINT",
    "is_whole": "BOOLEAN",
    "published_bytes": "BIGINT",
    "lake_bytes": "BIGINT",
    "lake_files": "BIGINT",
    "free_bytes": "BIGINT",
}

_FIELDS = ", ".join(f"{name}: '{kind}'" for name, kind in SCHEMA.items())
VIEWS = f"""
    CREATE OR REPLACE VIEW meta.log AS
    SELECT * FROM read_json(
        raw_files.lake() || '/{FOLDER}/*.jsonl', format='newline_delimited', ignore_errors=true,
        columns={{{_FIELDS}}}
    )
    WHERE time IS NOT NULL;
    COMMENT ON VIEW meta.log IS 'One row per line of the log: what commands and DAGs did';
    CREATE OR REPLACE VIEW meta.pipeline_step AS
    SELECT
        step_id, step, command, host, process, begun AS begun_at,
        CASE WHEN seconds IS NOT NULL THEN time END AS ended_at,
        status, message AS reason, seconds, cpu_seconds, peak_memory_bytes, build_id, check_id,
        files, loads, failures, bytes, records, records_quarantined, rows, nodes, days, is_whole,
        published_bytes, lake_bytes, lake_files, free_bytes
    FROM meta.log
    WHERE event IN ('begun', 'ended') AND step_id IS NOT NULL AND step IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY step_id ORDER BY event DESC, time) = 1;
    COMMENT ON VIEW meta.pipeline_step IS
    'One row per execution of a step of the pipeline; status is NULL while it runs';
    CREATE OR REPLACE VIEW meta.pipeline_state AS
    SELECT
        step,
        max(ended_at) FILTER (WHERE status = 'ok') AS last_ok_at,
        max(begun_at) AS last_begun_at,
        arg_max_null(status, begun_at) AS status,
        arg_max_null(reason, begun_at) AS reason,
        arg_max_null(seconds, begun_at) AS seconds,
        arg_max(step_id, begun_at) AS step_id,
        count(*) FILTER (WHERE status <> 'ok' AND begun_at > coalesce(last_ok, '-infinity'))
            AS failed,
        median(seconds) FILTER (WHERE status = 'ok' AND back <= 20) AS median_seconds
    FROM (
        SELECT
            *,
            max(begun_at) FILTER (WHERE status = 'ok') OVER (PARTITION BY step) AS last_ok,
            row_number() OVER (PARTITION BY step, status ORDER BY begun_at DESC) AS back
        FROM meta.pipeline_step
    )
    GROUP BY step;
    COMMENT ON VIEW meta.pipeline_state IS
    'One row per step: how it went last, and how often it failed since it last succeeded';
"""


def begin(lake: Path) -> None:
    """Make the folder of a log. Raises OSError."""
    file = lake / FOLDER / "empty.jsonl"
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        file.touch()
