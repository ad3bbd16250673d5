"""dbt's parse of our project and those of teams, kept in a cache."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from app.pipeline import shortcuts
from app.pipeline import team as teams
from app.pipeline.digest import digest_of
from app.pipeline.places import FILES, home
from ingest.base.files import replacing
from ingest.base.waiting import locked

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

__all__ = ["DBT_PROJECT", "LOCATED", "cache_folder", "digest", "parse_project"]

DBT_PROJECT = FILES / "dbt"  # read only: dbt writes below the warehouse and the cache
LOCATED = ("--project-dir", str(DBT_PROJECT), "--profiles-dir", str(DBT_PROJECT))
_KEPT = 4  # parsed projects that stay in the cache


def parse_project(own: Sequence[teams.Team], reasons: list[str] | None = None) -> Manifest | None:
    """Return our project with those of teams from the cache, or parse it.

    None if it cannot be parsed: the build will say why, and `reasons` gets it too.
    """
    from dbt.cli.main import dbtRunner
    from dbt.contracts.graph.manifest import Manifest
    from dbt.parser.manifest import extended_mashumuro_decoder

    os.environ[teams.PACKAGES] = str(teams.packages(_writable_cache(), own))
    kept = cache_folder() / f"parsed-{digest()}.msgpack"
    # Thousands of descriptions are the same few references.
    with _one_at_a_time(), shortcuts.reuse_compiled():  # others find it parsed
        if kept.exists():
            try:
                return Manifest.from_msgpack(kept.read_bytes(), decoder=extended_mashumuro_decoder)
            except Exception:  # damaged
                kept.unlink(missing_ok=True)
        _begin_with_last(kept)
        parse = ["--no-use-colors", "--quiet", "parse", *LOCATED]
        done = dbtRunner().invoke(parse)
        if isinstance(done.result, Manifest) and _leaves_out(done.result):
            # dbt leaves out a test that refers to a missing model, and goes on leaving it out when
            # it parses only what changed.
            done = dbtRunner().invoke([*parse, "--no-partial-parse"])
        if not isinstance(done.result, Manifest):
            if reasons is not None:
                reasons.append(str(done.exception or ""))
            return None
        _keep(kept)
        return done.result


def _leaves_out(manifest: Manifest) -> bool:
    """Return whether dbt disabled anything."""
    return bool(manifest.disabled) or any(
        not node.config.enabled for node in manifest.nodes.values()
    )


def _begin_with_last(kept: Path) -> None:
    """Let dbt parse only the files that changed since the last time."""
    earlier = sorted(cache_folder().glob("parsed-*.msgpack"), key=lambda file: file.stat().st_mtime)
    parsed = _parse_result()
    if earlier and not parsed.exists():
        parsed.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(earlier[-1], parsed)


def _parse_result() -> Path:
    return Path(os.environ["DBT_TARGET_PATH"]) / "partial_parse.msgpack"


def cache_folder() -> Path:
    """Return the folder where parses are kept."""
    return home() / "cache" / "dbt"


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    with ExitStack() as held:
        with suppress(OSError):  # the cache cannot be written: nothing is kept
            cache_folder().mkdir(parents=True, exist_ok=True)
            held.enter_context(locked(cache_folder() / "parse.lock", wait=3600, silent=60))
        yield


def _writable_cache() -> Path:
    """Return the cache, or dbt's own folder of logs if it cannot be written."""
    with suppress(OSError):
        cache_folder().mkdir(parents=True, exist_ok=True)
    return (
        cache_folder() if os.access(cache_folder(), os.W_OK) else Path(os.environ["DBT_LOG_PATH"])
    )


def digest() -> str:
    """Return a digest of all that the parsed project depends on, absolute paths of seeds too."""
    versions = map(version, ("dbt-core", "dbt-duckdb", "jinja2"))
    target, packages = os.environ.get("DBT_TARGET", ""), Path(os.environ[teams.PACKAGES])
    places = [DBT_PROJECT, *(link.resolve() for link in sorted(packages.iterdir()))]
    named = [*versions, sys.version, *map(str, places), target]
    return digest_of(places, *named)


def _keep(kept: Path) -> None:
    """Put what dbt has just parsed into the cache, in one step, and remove the oldest."""
    parsed = _parse_result()
    if not parsed.exists():
        return
    try:
        for kind in ("parsed-*.msgpack", "made-*.marshal"):
            earlier = sorted(cache_folder().glob(kind), key=lambda file: file.stat().st_mtime)
            for file in earlier[:-_KEPT]:
                file.unlink(missing_ok=True)
        with replacing(kept) as draft:
            draft.write_bytes(parsed.read_bytes())
    except OSError:
        pass  # without a cache, builds are only slower
