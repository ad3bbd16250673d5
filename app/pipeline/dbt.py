"""dbt's build of a warehouse, in a process of its own.

Parsing the project takes dbt longer than building small warehouses, and what comes of it depends
on the project and on the database's name alone: it is kept in the cache for all warehouses.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from app.pipeline.places import FILES, home

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

__all__ = ["DBT_PROJECT", "DbtError", "run_dbt"]

DBT_PROJECT = FILES / "dbt"  # read only: dbt writes below the warehouse and the cache
_PARSED = {".csv", ".md", ".py", ".sql", ".yml"}
_LOCATED = ("--project-dir", str(DBT_PROJECT), "--profiles-dir", str(DBT_PROJECT))


class DbtError(RuntimeError):
    """dbt did not build everything; the message is one line for a person."""


def run_dbt(database: Path, log: Path, *select: str) -> None:
    """Build all models into a database and run their data tests; dbt logs to `log`.

    select: what to build instead, as dbt's --select takes it; what it reads is there already.
    Raises DbtError.

    A dbt started in this process would keep the database open after its end.
    """
    environment = os.environ | {
        "PERFHOUSE_HOME": str(home()),
        "PERFHOUSE_WORK": str(database),
        "DBT_TARGET_PATH": str(log / "target"),
        "DBT_LOG_PATH": str(log),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DBT_WRITE_JSON": "false" if select else "true",  # nobody reads that of a part
    }
    # Unit tests judge the models, not the data: they belong to the project's own tests.
    log.mkdir(parents=True, exist_ok=True)
    arguments = ["--exclude-resource-type", "unit_test"]
    arguments += ["--select", *select] if select else []
    command = [sys.executable, "-m", "app.pipeline.dbt", database.stem, *arguments]
    done = subprocess.run(
        command, cwd=log, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = [line.partition("  ")[2].strip() or line for line in done.stdout.splitlines()]
        wrong = [line for line in lines if "ERROR" in line or "FAIL " in line or "Error" in line]
        first = wrong[0] if wrong else (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise DbtError(f"dbt build failed: {first.strip()} (all of it: {log / 'dbt.log'})")


# --- the process


def main(database: str, *arguments: str) -> int:
    """dbt's build with these arguments; the exit status."""
    from dbt.cli.main import dbtRunner

    runner = dbtRunner(manifest=_parsed(database))
    done = runner.invoke(["--no-use-colors", "build", *_LOCATED, *arguments])
    return 0 if done.success else 1


def _parsed(database: str) -> Manifest | None:
    """The parsed project that is kept, or else it is parsed and kept.

    None where it cannot be parsed: the build says why.
    """
    from dbt.cli.main import dbtRunner
    from dbt.contracts.graph.manifest import Manifest
    from dbt.parser.manifest import extended_mashumuro_decoder

    kept = _cache() / f"parsed-{_digest(database)}.msgpack"
    with _one_at_a_time():  # who waits finds it parsed
        if kept.exists():
            try:
                return Manifest.from_msgpack(kept.read_bytes(), decoder=extended_mashumuro_decoder)
            except Exception:  # of another version, or cut: it is made again
                kept.unlink(missing_ok=True)
        done = dbtRunner().invoke(["--no-use-colors", "--quiet", "parse", *_LOCATED])
        if not isinstance(done.result, Manifest):
            return None
        _keep(kept)
        return done.result


def _cache() -> Path:
    return home() / "cache" / "dbt"


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    try:
        _cache().mkdir(parents=True, exist_ok=True)
        lock = (_cache() / "parse.lock").open("w")
    except OSError:  # a folder that cannot be written to: nothing is kept
        yield
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _digest(database: str) -> str:
    """A name for all that the parsed project depends on."""
    digest = hashlib.sha256(f"{version('dbt-core')} {version('dbt-duckdb')} {database}".encode())
    for file in sorted(DBT_PROJECT.rglob("*")):
        if file.suffix in _PARSED and "target" not in file.parts:
            digest.update(file.relative_to(DBT_PROJECT).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _keep(kept: Path) -> None:
    """Keep what dbt has just parsed, in one step, and drop what earlier projects left."""
    parsed = Path(os.environ["DBT_TARGET_PATH"]) / "partial_parse.msgpack"
    if not parsed.exists():
        return
    try:
        earlier = sorted(_cache().glob("parsed-*.msgpack"), key=lambda file: file.stat().st_mtime)
        for file in earlier[:-4]:  # databases of a few names
            file.unlink(missing_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}")
        draft.write_bytes(parsed.read_bytes())
        draft.replace(kept)
    except OSError:
        pass  # without a cache it builds as well, only slower


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
