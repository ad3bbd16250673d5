"""The log of a warehouse: a JSON object per line, a file per day (UTC).

    LAKE/log/<date>.jsonl       lines of all processes, each appended by one write
    LAKE/log/empty.jsonl        no lines: the view needs a file
    LAKE/log/.running/<step_id> the beginning of a step under way; its process holds a lock on it

`meta.log` shows the lines, `meta.pipeline_step` the steps in them, `meta.pipeline_state` how each
step went last. A line that a kill or a full disk cut off is left out. A log that cannot be written
stops nothing.

PERFHOUSE_LOG_DAYS   files of earlier days are removed (default: 180)
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

__all__ = [
    "FOLDER",
    "LONGEST",
    "SCHEMA",
    "VIEWS",
    "begin",
    "hide",
    "note_interrupted",
    "running",
    "under_way",
    "write",
]

FOLDER = "log"

#: The fields of a line, with their types in the view. A line has those that apply to it.
SCHEMA = {
    "time": "TIMESTAMP",  # when the line was written, UTC
    "level": "VARCHAR",  # info | warning | error
    # begun, ended: a step; file: a file was loaded, or could not be; command: a command or a task
    # of a DAG ended; NULL: a message
    "event": "VARCHAR",
    "command": "VARCHAR",  # perfhouse build, for example, or DAG.TASK
    "host": "VARCHAR",
    "process": "BIGINT",
    "logger": "VARCHAR",  # the module that wrote a message
    "message": "VARCHAR",  # one line; why a step or a file failed
    "traceback": "VARCHAR",
    # what it is about
    "step": "VARCHAR",  # ingest | build | compact | check | publish | ...
    "step_id": "VARCHAR",
    "source_id": "VARCHAR",  # the load
    "build_id": "VARCHAR",
    "check_id": "VARCHAR",  # the audit
    "file": "VARCHAR",
    # the end of a step; of a file and a command the status, and of a command the seconds
    "status": "VARCHAR",  # ok | failed | interrupted; of a file as in raw.ledger, or failed
    "exit_status": "BIGINT",  # of a command
    "begun": "TIMESTAMP",  # UTC
    "seconds": "DOUBLE",  # elapsed
    "cpu_seconds": "DOUBLE",  # of the process and those that it started
    "peak_memory_bytes": "BIGINT",  # the most that the process, or one that it started, ever held
    # what a step did
    "files": "BIGINT",  # looked at; in a backup
    "loads": "BIGINT",  # made, decoded once more, merged, forgotten or removed for their age
    "failures": "BIGINT",  # files that could not be read; expectations that are not met
    "bytes": "BIGINT",  # of the loaded files, unpacked; that a backup copied
    "records": "BIGINT",  # in the loaded files
    "records_quarantined": "BIGINT",
    "rows": "BIGINT",  # of raw tables
    "nodes": "BIGINT",  # models and tests of dbt
    "days": "BIGINT",  # built again; NULL: not by days
    "is_whole": "BOOLEAN",  # whether everything was built
    # sizes at its end
    "published_bytes": "BIGINT",
    "lake_bytes": "BIGINT",  # without copies by hard links
    "lake_files": "BIGINT",
    "free_bytes": "BIGINT",  # on the disk of the lake
}

LONGEST = 1 << 24  # bytes; DuckDB reads no longer line
_DAYS = 180  # that are kept, unless PERFHOUSE_LOG_DAYS says otherwise
_LONGEST_TEXT = 4_000  # characters of a value
_LONGEST_TRACEBACK = 16_000
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@]+@")
_SECRETS = set[str]()
_SECRET = ("PERFHOUSE_NOTIFY", "PERFHOUSE_SLACK", "PERFHOUSE_MAIL_SERVER")  # variables

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


def hide(secret: str | None) -> None:
    """Let no line of this process show a text."""
    if secret and secret.strip():
        _SECRETS.add(secret.strip())


def write(lake: Path, values: Mapping[str, object]) -> None:
    """Append a line with these fields (see SCHEMA) and the time; nothing if there is no lake."""
    now = datetime.now(UTC)
    line = _encoded({"time": now} | dict(values))
    file = lake / FOLDER / f"{now:%Y-%m-%d}.jsonl"
    with suppress(OSError):
        if not lake.is_dir():
            return
        file.parent.mkdir(exist_ok=True)
        is_new = not file.exists()
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        opened = os.open(file, flags, 0o666)
        try:
            size = os.fstat(opened).st_size
            is_cut_off = size and os.pread(opened, 1, size - 1) != b"\n"
            os.write(opened, b"\n" * bool(is_cut_off) + line)
        finally:
            os.close(opened)
        if is_new:
            _remove_old(file.parent, now)


def _encoded(values: Mapping[str, object]) -> bytes:
    """Return a line: a JSON object in ASCII, whatever the texts in it."""
    plain = {name: _plain(name, value) for name, value in values.items() if value is not None}
    return json.dumps(plain, allow_nan=False).encode() + b"\n"


def _plain(name: str, value: object) -> object:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if isinstance(value, int):
        return value
    text = str(value).encode("utf-8", "backslashreplace").decode().replace("\0", r"\x00")
    for secret in (*_SECRETS, *(os.environ.get(name, "").strip() for name in _SECRET)):
        if secret:
            text = text.replace(secret, "***")
    text = _CREDENTIALS.sub("***@", text)
    if name == "traceback":  # its end says what went wrong
        return text[-_LONGEST_TRACEBACK:]
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"


def _remove_old(folder: Path, now: datetime) -> None:
    given = os.environ.get("PERFHOUSE_LOG_DAYS", "")
    days = int(given) if given.isdecimal() and len(given) < 6 else _DAYS
    first = now - timedelta(days=days)
    for file in folder.glob("????-??-??.jsonl"):
        if file.stem < f"{first:%Y-%m-%d}":
            file.unlink(missing_ok=True)


# --- steps under way


@contextmanager
def under_way(lake: Path, values: Mapping[str, object]) -> Iterator[None]:
    """Note in the lake that a step is under way; `values` has the fields of its first line."""
    place = lake / FOLDER / ".running" / str(values["step_id"])
    draft = place.with_name(f".{place.name}")
    opened = None
    with suppress(OSError):
        if lake.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            opened = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
            fcntl.flock(opened, fcntl.LOCK_EX)  # the system lets go when the process ends
            os.write(opened, _encoded(values))
            draft.rename(place)
    try:
        yield
    finally:
        if opened is not None:
            for file in (draft, place):
                with suppress(OSError):
                    file.unlink(missing_ok=True)
            os.close(opened)


def running(lake: Path) -> set[str]:
    """Return the step_id of the steps whose processes run."""
    return {step_id for step_id, is_running in _noted(lake) if is_running}


def note_interrupted(lake: Path) -> None:
    """Write the last line of each step that was under way when its process ended."""
    for step_id, is_running in _noted(lake):
        if is_running:
            continue
        place = lake / FOLDER / ".running" / step_id
        with suppress(OSError, ValueError, AttributeError):  # it is damaged
            begun = json.loads(place.read_bytes())
            known = {name: value for name, value in begun.items() if name in SCHEMA}
            write(
                lake,
                known | {
                    "level": "error", "event": "ended", "status": "interrupted",
                    "message": "its process was ended",
                },
            )  # fmt: skip
        with suppress(OSError):
            place.unlink(missing_ok=True)


def _noted(lake: Path) -> Iterator[tuple[str, bool]]:
    """Yield each noted step, and whether its process runs. An ended one is locked meanwhile."""
    folder = lake / FOLDER / ".running"
    try:
        noted = [file.name for file in folder.iterdir() if not file.name.startswith(".")]
    except OSError:
        return
    for step_id in noted:
        try:
            opened = os.open(folder / step_id, os.O_RDONLY)
        except OSError:  # it has ended
            continue
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_running = False
        except OSError:
            is_running = True
        try:
            yield step_id, is_running
        finally:
            os.close(opened)
