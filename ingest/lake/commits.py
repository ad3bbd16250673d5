"""Which loads a lake should hold: each host's own list of what it committed and removed.

    LAKE/commits/<host>.jsonl    a line for each commit: its loads and the rows of their files,
                                 written before the loads appear; one for each that failed, and for
                                 each removal, after it

Nothing is ever removed from these files, and none of them depends on a build. Each load is expected
as often as it was committed without being removed; the clocks of hosts do not matter.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ingest.base.files import sync
from ingest.base.waiting import locked
from ingest.lake.seal import HowLoaded

__all__ = [
    "Commit",
    "commits",
    "committing",
    "expected_loads",
    "lock_of",
    "note_commit",
    "note_failure",
    "note_removal",
]

_FOLDER = "commits"
_PATIENCE = 600.0  # seconds


class Commit(NamedTuple):
    """Loads that appeared together, and the rows of their files; -1: not known."""

    loads: Sequence[HowLoaded]
    rows: int


def committing(lake: Path, *, nobody: bool = False) -> AbstractContextManager[None]:
    """Hold off those who look for missing loads; nobody: wait until no load is being committed.

    Raises WarehouseError if that takes too long, and OSError.
    """
    return locked(lock_of(lake), shared=not nobody, wait=_PATIENCE)


def lock_of(lake: Path) -> Path:
    """Return the file that is locked meanwhile."""
    return lake / "commits.lock"


def note_commit(lake: Path, loads: Sequence[HowLoaded], rows: int) -> str:
    """Note that loads are about to appear; return the identity of the note. Raises OSError."""
    commit = secrets.token_hex(8)
    _append(lake, {"commit": commit, "loads": loads, "rows": rows})
    return commit


def note_failure(lake: Path, commit: str) -> None:
    """Note that the loads of a commit did not appear. Raises OSError.

    That says nothing of other commits of them: a restore may have replaced the lake meanwhile.
    """
    _append(lake, {"failed": commit})


def note_removal(lake: Path, source_ids: Collection[str]) -> None:
    """Note that loads were removed on purpose. Raises OSError."""
    if source_ids:
        _append(lake, {"removed": sorted(source_ids)})


def commits(lake: Path) -> list[Commit]:
    """Return all commits; [] for a lake of an earlier release."""
    return [
        Commit([HowLoaded(*load) for load in line["loads"]], int(line["rows"]))
        for line in _lines(lake)
        if "loads" in line
    ]


def expected_loads(lake: Path) -> dict[str, HowLoaded]:
    """Return the loads that a lake should hold, by source_id."""
    times, how = Counter[str](), dict[str, HowLoaded]()
    lines = list(_lines(lake))
    failed = {line["failed"] for line in lines if "failed" in line}
    for line in lines:
        for load in line.get("loads", ()) if line.get("commit") not in failed else ():
            times[load[0]] += 1
            how[load[0]] = HowLoaded(*load)
        times.subtract(line.get("removed", ()))
    return {source_id: load for source_id, load in how.items() if times[source_id] > 0}


def _append(lake: Path, line: dict[str, object]) -> None:
    host = re.sub(r"[^\w.-]", "_", os.uname().nodename) or "host"
    file = lake / _FOLDER / f"{host}.jsonl"
    is_new = not file.exists()
    file.parent.mkdir(exist_ok=True)
    text = json.dumps({"at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"} | line)
    opened = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        os.write(opened, f"\n{text}\n".encode())  # on a line of its own, whatever was cut off
        os.fsync(opened)
    finally:
        os.close(opened)
    if is_new:
        sync(file.parent)


def _lines(lake: Path) -> Iterator[dict[str, Any]]:
    for file in sorted((lake / _FOLDER).glob("*.jsonl")):
        for text in file.read_bytes().splitlines():
            try:
                line = json.loads(text)
            except ValueError:  # it was cut off, or is empty
                continue
            if isinstance(line, dict):
                yield line
