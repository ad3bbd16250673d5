"""Audit results as Parquet files, one per audit; `meta.expectation_result` is a view over them."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import polars as pl

from expectations.outcome import REGRESSIONS, AuditResult, ExpectationOutcome
from expectations.rule import ERROR, FAULT
from ingest.base.files import replacing

__all__ = [
    "PASSED",
    "SCHEMA",
    "Failed",
    "Merge",
    "failed_in",
    "ids",
    "last_result",
    "merge_results",
    "next_id",
    "write_result",
    "write_schema",
    "write_whole",
]

#: The columns, which ingest.lake.meta_columns describes.
SCHEMA: dict[str, pl.DataType] = {
    "check_id": pl.String(),
    "build_id": pl.String(),
    "checked_at": pl.Datetime("us"),
    "code_version": pl.String(),
    "suite": pl.String(),
    "table_name": pl.String(),
    "column_name": pl.String(),
    "expectation": pl.String(),
    "severity": pl.String(),
    "passed": pl.Boolean(),
    "observed": pl.String(),
    "expected": pl.String(),
    "message": pl.String(),
    "rows_failed": pl.Int64(),
    "rows_total": pl.Int64(),
    "sample": pl.List(pl.String()),
}

#: The suite of rows that say how many verdicts of an old audit had passed.
PASSED = "passed"
_MERGED = "audits-"  # how the name of a file with many audits begins
_MOMENT, _MOMENT_LENGTH = "%Y%m%dT%H%M%S%f", 21
_IDENTITY = re.compile(r"\d{8}T\d{12}-[0-9a-f]{6}$")


def write_schema(audit_dir: Path) -> Path:
    """Write an empty file that defines columns and types while there are no results."""
    return write_whole(pl.DataFrame(schema=SCHEMA), audit_dir / "_schema.parquet")


def write_result(result: AuditResult, audit_dir: Path, code_version: str) -> Path:
    """Write `<check_id>.parquet` atomically; return its path."""
    checked_at = datetime.now(UTC).replace(tzinfo=None)
    rows = [
        {
            "check_id": result.check_id,
            "build_id": result.build_id,
            "checked_at": checked_at,
            "code_version": code_version,
            "suite": r.suite,
            "table_name": r.table,
            "column_name": r.column,
            "expectation": r.expectation,
            "severity": r.severity,
            "passed": r.passed,
            "observed": r.observed,
            "expected": r.expected,
            "message": r.message,
            "rows_failed": r.rows_failed,
            "rows_total": r.rows_total,
            "sample": list(r.sample),
        }
        for r in result.results
    ]
    return write_whole(pl.DataFrame(rows, schema=SCHEMA), audit_dir / f"{result.check_id}.parquet")


def last_result(audit_dir: Path, build_id: str) -> AuditResult | None:
    """Return the last audit, without its events; None unless it was of this build."""
    audits = ids(audit_dir)
    rows = (
        pl.read_parquet(audit_dir / f"{audits[-1]}.parquet", glob=False).to_dicts()
        if audits
        else []
    )
    if not rows or rows[0]["build_id"] != build_id:
        return None
    columns = ("suite", "expectation", "severity", "passed", "observed", "expected", "message")
    results = tuple(
        ExpectationOutcome(
            table=row["table_name"],
            column=row["column_name"],
            rows_failed=row["rows_failed"],
            rows_total=row["rows_total"],
            sample=tuple(row["sample"]),
            **{name: row[name] for name in columns},
        )
        for row in rows
    )
    return AuditResult(rows[0]["check_id"], build_id, results)


class Merge(NamedTuple):
    """What a merge of old audits does: files that become one, passed verdicts that go."""

    files: int
    dropped: int


def merge_results(audit_dir: Path, before: datetime | None, *, dry_run: bool = False) -> Merge:
    """Merge the files of audits older than a week into one, and drop old passed verdicts.

    before: passed verdicts of audits that ended earlier (UTC) are dropped; one row per audit, of
    the suite PASSED, keeps their number. None: none are dropped. The last audit stays as it is.

    A merge that is killed leaves files twice, which readers take once, and the next merge removes.
    """
    results_kept, now = ids(audit_dir), datetime.now(UTC).replace(tzinfo=None)
    merged = sorted(audit_dir.glob(f"{_MERGED}*.parquet"))
    week_ago = f"{now - timedelta(weeks=1):{_MOMENT}}"
    old = [audit_dir / f"{item}.parquet" for item in results_kept[:-1] if item < week_ago]
    files = [*merged, *old]
    if not files:
        return Merge(0, 0)
    rows = pl.concat(map(pl.read_parquet, files), how="diagonal_relaxed").select(
        pl.col(name).cast(dtype) for name, dtype in SCHEMA.items()
    )
    rows = rows.unique(maintain_order=True)
    is_dropped = pl.lit(value=False)
    if before is not None:
        is_dropped = pl.col("passed") & (pl.col("checked_at") < before)
        is_dropped &= pl.col("suite") != PASSED
    dropped = rows.filter(is_dropped)
    if len(files) == len(merged) == 1 and dropped.is_empty():
        return Merge(0, 0)
    if not dry_run:
        kept = pl.concat([rows.filter(~is_dropped), _numbers(dropped)])
        kept = kept.unique(maintain_order=True).sort("check_id", maintain_order=True)
        # Under the number of the last one a reader would see neither for a moment.
        number = 1 + max((int(file.stem.removeprefix(_MERGED)) for file in merged), default=0)
        write_whole(kept, audit_dir / f"{_MERGED}{number:06}.parquet")
        for file in files:
            file.unlink()
    return Merge(len(old), dropped.height)


def _numbers(passed: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each audit that says how many passed verdicts it had."""
    audit = ["check_id", "build_id", "checked_at", "code_version"]
    texts = ("table_name", "column_name", "expected", "message")
    return (
        passed.group_by(audit, maintain_order=True)
        .agg(rows_total=pl.len().cast(pl.Int64))
        .with_columns(
            *(pl.lit("").alias(name) for name in texts),
            suite=pl.lit(PASSED),
            expectation=pl.lit("passed_verdicts_were_dropped"),
            severity=pl.lit("note"),
            passed=pl.lit(value=True),
            observed=pl.format("{} passed", "rows_total"),
            rows_failed=pl.lit(0, pl.Int64),
            sample=pl.lit([], pl.List(pl.String)),
        )
        .select(*SCHEMA)
    )


def ids(folder: Path) -> list[str]:
    """Return the identities of the files of results or events in a folder, in their order."""
    return sorted(file.stem for file in folder.glob("*.parquet") if _IDENTITY.match(file.stem))


def next_id(folder: Path) -> str:
    """Return an identity that sorts after that of every file in a folder.

    It begins with the time, but the order does not depend on the clock: if that went back, the
    identity begins a microsecond after the last one. The caller holds the lock of the folder.
    """
    moment, earlier = datetime.now(UTC), ids(folder)
    if earlier:
        after = datetime.strptime(f"{earlier[-1][:_MOMENT_LENGTH]}Z", f"{_MOMENT}%z")
        moment = max(moment, after + timedelta(microseconds=1))
    return f"{moment:{_MOMENT}}-{secrets.token_hex(3)}"


class Failed(NamedTuple):
    """What an audit found: messages, without those about regressions, which are events."""

    build_id: str
    faults: list[str]
    errors: list[str]


def failed_in(audit_dir: Path, check_id: str) -> Failed:
    """Return what an audit found; nothing if it is not kept."""
    file = audit_dir / f"{check_id}.parquet"
    if not check_id or not file.exists():
        return Failed("", [], [])
    rows = pl.read_parquet(
        file, glob=False, columns=["build_id", "passed", "severity", "suite", "message"]
    )
    failed = rows.filter(~pl.col("passed"), pl.col("suite") != REGRESSIONS)
    faults, errors = (
        failed.filter(pl.col("severity") == severity)["message"].to_list()
        for severity in (FAULT, ERROR)
    )
    return Failed(rows["build_id"].to_list()[0] if rows.height else "", faults, errors)


def write_whole(frame: pl.DataFrame, path: Path) -> Path:
    """Write a Parquet file atomically; return its path."""
    # Polars writes to memory: when a disk is full, its own error does not always say so.
    content = BytesIO()
    frame.write_parquet(content)
    with replacing(path) as draft:
        draft.write_bytes(content.getbuffer())
    return path
