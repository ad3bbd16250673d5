"""dbt's build of a working database, in a process of its own.

Parsing the project takes dbt longer than building a small warehouse. The result depends on nothing
but the project, so it is kept in the cache for all warehouses.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from app.pipeline import shortcuts
from app.pipeline.digest import digest_of
from app.pipeline.lineage import write_lineage
from app.pipeline.places import FILES, home
from ingest.child import end_with_parent, parented
from ingest.errors import PerfhouseError
from ingest.files import replacing

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

__all__ = ["DBT_PROJECT", "DbtError", "Progress", "run_dbt"]

DBT_PROJECT = FILES / "dbt"  # read only: dbt writes below the warehouse and the cache
Progress = Callable[[int, int], None]  # nodes built, of how many
_LOCATED = ("--project-dir", str(DBT_PROJECT), "--profiles-dir", str(DBT_PROJECT))
_NODE_DONE = re.compile(r"^[\d:]{8}  (\d+) of (\d+) (?!START )")
_PASSED_ON = re.compile(
    r"(PERFHOUSE|DBT|PYTHON|LC)_|(PATH|PYTHONPATH|HOME|LANG|TMPDIR|TZ|VIRTUAL_ENV|LD_LIBRARY_PATH)$"
    r"|AWS_|PG[A-Z]+$"  # of DuckLake's storage and catalog
)
_FAILED = re.compile(r"ERROR|FAIL |Error")
_KEPT = 4  # parsed projects that stay in the cache


class DbtError(PerfhouseError):
    """dbt did not build everything; the message is one line for a person."""


def run_dbt(
    database: Path,
    log: Path,
    *,
    target: str = "work",
    threads: int = 2,
    select: Sequence[str] = (),
    exclude: Sequence[str] = (),
    progress: Progress | None = None,
) -> int:
    """Build models into a working database and run their data tests; return how many there were.

    database: named work.duckdb, as the parsed project expects. log: folder for what dbt writes.
    target: work, or lake for models in DuckLake.
    select, exclude: as dbt takes them; by default everything is built. Raises DbtError.

    If dbt ran in this process, it would keep the database open afterwards.
    """
    log.mkdir(parents=True, exist_ok=True)
    # dbt looks through all variables for secrets at each line that it logs.
    environment = {name: value for name, value in os.environ.items() if _PASSED_ON.match(name)} | {
        **parented(),
        "PERFHOUSE_HOME": str(home()),
        "PERFHOUSE_WORK": str(database),
        "DBT_TARGET": target,
        "DBT_TARGET_PATH": str(log / "target"),
        "DBT_LOG_PATH": str(log),
        "DBT_LOG_LEVEL_FILE": "none",  # what it prints is written to the file instead
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DBT_WRITE_JSON": "false",  # artifacts of five megabytes, which only documentation needs
    }
    # Unit tests check the models, not the data: they belong to the project's own tests.
    command = [sys.executable, "-m", "app.pipeline.dbt", "--exclude-resource-type", "unit_test"]
    command += ["--threads", str(threads)]
    command += ["--select", *select] if select else []
    command += ["--exclude", *exclude] if exclude else []
    last, failed, nodes = deque[str](maxlen=1), list[str](), 0
    with (
        (log / "dbt.log").open("w") as file,
        subprocess.Popen(
            command, cwd=log, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        ) as dbt,
    ):  # fmt: skip
        for line in dbt.stdout or ():
            file.write(line)
            if done := _NODE_DONE.match(line):
                nodes = int(done[2])
                if progress:
                    progress(int(done[1]), nodes)
            if _FAILED.search(line):
                failed.append(line)
            last.append(line)
    if dbt.returncode:
        first = (failed or last or ["no message"])[0].partition("  ")[2].strip()
        raise DbtError(f"dbt build failed: {first or 'no message'} (see {log / 'dbt.log'})")
    return nodes


# --- the process


def main(*arguments: str) -> int:
    """Run dbt's build with these arguments, or `parse` alone; return the exit status."""
    import gc

    end_with_parent()
    # The parsed project is a million objects that stay; looking through them again and again for
    # garbage takes a quarter of the time.
    gc.disable()
    shortcuts.install()
    if arguments == ("parse",):
        return parse()
    from dbt.cli.main import dbtRunner

    manifest = _parsed()
    if manifest is not None:
        write_lineage(manifest, Path(os.environ["DBT_LOG_PATH"]))
        if "unit" in arguments:
            _make_views(manifest)
    runner = dbtRunner(manifest=manifest)
    with shortcuts.kept_templates(_templates()):
        done = runner.invoke(["--no-use-colors", "build", *_LOCATED, *arguments])
    return 0 if done.success else 1


def parse() -> int:
    """Parse the project into the cache, ahead of the first build; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "PERFHOUSE_HOME": str(home()),
            "PERFHOUSE_WORK": str(Path(folder, "work.duckdb")),
            "DBT_TARGET_PATH": str(Path(folder, "target")),
            "DBT_LOG_PATH": folder,
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            "DBT_WRITE_JSON": "false",
        }
        return 0 if _parsed() else 1


def _make_views(manifest: Manifest) -> None:
    """Let ephemeral models be views: unit tests cannot give rows to an ephemeral one."""
    for node in manifest.nodes.values():
        if node.config.materialized == "ephemeral":
            node.config.materialized = "view"


def _parsed() -> Manifest | None:
    """Return the parsed project from the cache, or parse it.

    None if it cannot be parsed: the build will say why.
    """
    from dbt.cli.main import dbtRunner
    from dbt.contracts.graph.manifest import Manifest
    from dbt.parser.manifest import extended_mashumuro_decoder

    kept = _cache() / f"parsed-{_digest()}.msgpack"
    # Thousands of descriptions are the same few references.
    with _one_at_a_time(), shortcuts.kept_templates():  # others find it parsed
        if kept.exists():
            try:
                return Manifest.from_msgpack(kept.read_bytes(), decoder=extended_mashumuro_decoder)
            except Exception:  # damaged
                kept.unlink(missing_ok=True)
        _begin_with_last(kept)
        parse = ["--no-use-colors", "--quiet", "parse", *_LOCATED]
        done = dbtRunner().invoke(parse)
        if isinstance(done.result, Manifest) and done.result.disabled:
            # dbt leaves out a test that refers to a missing model, and goes on leaving it out when
            # it parses only what changed.
            done = dbtRunner().invoke([*parse, "--no-partial-parse"])
        if not isinstance(done.result, Manifest):
            return None
        _keep(kept)
        return done.result


def _begin_with_last(kept: Path) -> None:
    """Let dbt parse only the files that changed since the last time."""
    earlier = sorted(_cache().glob("parsed-*.msgpack"), key=lambda file: file.stat().st_mtime)
    parsed = _parse_result()
    if earlier and not parsed.exists():
        parsed.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(earlier[-1], parsed)


def _parse_result() -> Path:
    return Path(os.environ["DBT_TARGET_PATH"]) / "partial_parse.msgpack"


def _cache() -> Path:
    return home() / "cache" / "dbt"


def _one_at_a_time() -> AbstractContextManager[object]:
    from filelock import FileLock

    try:
        _cache().mkdir(parents=True, exist_ok=True)
        return FileLock(_cache() / "parse.lock").acquire()
    except OSError:  # the cache cannot be written: nothing is kept
        return nullcontext()


def _digest() -> str:
    """Return a name for all that the parsed project depends on: it has absolute paths of seeds."""
    versions = map(version, ("dbt-core", "dbt-duckdb", "jinja2"))
    target = os.environ.get("DBT_TARGET", "")
    return digest_of([DBT_PROJECT], *versions, sys.version, str(DBT_PROJECT), target)


def _templates() -> Path:
    """Return where the compiled templates of the project are kept."""
    return _cache() / f"templates-{_digest()}.marshal"


def _keep(kept: Path) -> None:
    """Keep what dbt has just parsed, in one step, and remove the oldest."""
    parsed = _parse_result()
    if not parsed.exists():
        return
    try:
        for kind in ("parsed-*.msgpack", "templates-*.marshal"):
            earlier = sorted(_cache().glob(kind), key=lambda file: file.stat().st_mtime)
            for file in earlier[:-_KEPT]:
                file.unlink(missing_ok=True)
        with replacing(kept) as draft:
            draft.write_bytes(parsed.read_bytes())
    except OSError:
        pass  # without a cache, builds are only slower


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
