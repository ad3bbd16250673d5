"""What keeps a build from being published, and reading before anything is published."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import duckdb

from expectations.rule import FAULT
from ingest.base.errors import PerfhouseError
from ingest.lake.sql import literal
from ingest.lake.warehouse import Warehouse

__all__ = [
    "TO_READERS",
    "Unpublished",
    "UnpublishedError",
    "Verdict",
    "lake_size",
    "last_verdict",
    "reading",
    "require_published",
    "why_unpublished",
]

#: The commands that take what is loaded to readers.
TO_READERS = ("build", "check", "publish")

_HAS_MARTS = """
    FROM duckdb_schemas() WHERE database_name = current_database() AND schema_name = 'marts'
"""
_MADE_BY_BUILD = re.compile(r'schema "(marts|intermediate)" does not exist')


class Unpublished(NamedTuple):
    """Why a warehouse has no marts, and the commands that come next (see Warehouse.command)."""

    reason: str
    commands: Sequence[str]


class UnpublishedError(PerfhouseError):
    """The warehouse has no marts yet."""

    def __init__(self, warehouse: Warehouse, why: Unpublished) -> None:
        following = warehouse.command(*why.commands)
        super().__init__(f"{warehouse.file}: nothing is published: {why.reason}. Run: {following}")


class Verdict(NamedTuple):
    """The last audit of a build; its faults keep it from being published."""

    build_id: str
    faults: list[str]


def last_verdict(db: duckdb.DuckDBPyConnection, build_id: str | None = None) -> Verdict | None:
    """Return the last verdict on a build, by default on any; None without an audit."""
    chosen = "true" if build_id is None else f"build_id = {literal(build_id)}"
    row = db.execute(
        f"""
        SELECT
            any_value(build_id),
            list(message ORDER BY message) FILTER (NOT passed AND severity = '{FAULT}')
        FROM meta.expectation_result
        WHERE check_id = (SELECT max(check_id) FROM meta.expectation_result WHERE {chosen})
        HAVING count(*) > 0
        """
    ).fetchone()
    return Verdict(row[0], row[1] or []) if row else None


def why_unpublished(warehouse: Warehouse, db: duckdb.DuckDBPyConnection) -> Unpublished | None:
    """Say why the published file, which is open as `db`, has no marts; None if it has."""
    if db.execute(_HAS_MARTS).fetchall():
        return None
    loads = db.execute("SELECT count(*) FROM raw.ledger").fetchall()[0][0]
    if not loads:
        return Unpublished("no file is loaded", ("run PATH",))
    verdict = last_verdict(db)
    if verdict is None:
        verb = "audited" if warehouse.work.exists() else "made"
        loaded = f"{loads:,} file{' is' if loads == 1 else 's are'} loaded"
        reason = f"{loaded}, but no build was {verb}"
    elif verdict.faults:
        more = f" (and {len(verdict.faults) - 1} more)" if len(verdict.faults) > 1 else ""
        first = verdict.faults[0].rstrip(".")
        reason = (
            f"build {verdict.build_id} was held back, as its audit found a fault of perfhouse: "
            f"{first}{more}"
        )
    else:
        reason = f"build {verdict.build_id} was audited, but not published"
    return Unpublished(reason, TO_READERS)


def require_published(warehouse: Warehouse) -> None:
    """Raise WarehouseError if there is no file, and UnpublishedError if it has no marts."""
    with warehouse.connect() as db:
        if why := why_unpublished(warehouse, db):
            raise UnpublishedError(warehouse, why)


@contextmanager
def reading(warehouse: Warehouse, *, lake: bool = True) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the published file read-only; without a DuckLake to ask for names and comments.

    Raises WarehouseError if there is none, and UnpublishedError if a query asks for marts before
    the first publish.
    """
    with warehouse.connect(lake=lake) as db:
        try:
            yield db
        except duckdb.CatalogException as error:
            why = _MADE_BY_BUILD.search(str(error)) and why_unpublished(warehouse, db)
            if not why:
                raise
            raise UnpublishedError(warehouse, why) from error


def lake_size(lake: Path) -> dict[str, int]:
    """Return the bytes and the number of the files of a lake; hard links count once."""
    seen, size, number = set[int](), 0, 0
    for folder, _, names in os.walk(lake):
        for file in names:
            try:
                state = os.lstat(os.path.join(folder, file))  # noqa: PTH118 - a lake has many
            except OSError:  # it is gone
                continue
            if state.st_nlink == 1 or state.st_ino not in seen:
                seen.add(state.st_ino)
                size += state.st_size
                number += 1
    return {"lake_bytes": size, "lake_files": number}
