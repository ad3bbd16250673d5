"""The build of an empty warehouse, kept in the cache: other builds begin with its tables.

A small dump has rows for half of the models. The others are as in an empty warehouse, so they need
not be built. `make setup` makes the build that is kept; without it a build makes all models.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from app.pipeline.dbt_parse import DBT_PROJECT
from app.pipeline.digest import digest_of
from app.pipeline.places import ROOT, home
from ingest.base.files import replacing
from ingest.formats.plugin import plugins

__all__ = ["keep", "kept_build", "views"]

#: What defines the views of raw and staging, in our code.
_VIEWS = (ROOT / "ingest/formats", ROOT / "ingest/lake")
_KEPT = 2  # those of other versions, of 35 MB each, that stay in the cache


def views() -> list[Path]:
    """Return what defines the views of raw and staging, also that of plug-ins."""
    return [*_VIEWS, *(plugin.code for plugin in plugins() if plugin.code)]


def kept_build() -> Path | None:
    """Return a working database with the tables of no loads; None if none is kept."""
    file = _file()
    return file if file.exists() else None


def keep(make: Callable[[], Path]) -> None:
    """Keep a working database with the tables of no loads; make it if there is none.

    Without meta.build, so that a build that is killed after it began with this is not finished.
    """
    made = _file()
    if made.exists():
        return
    made.parent.mkdir(parents=True, exist_ok=True)
    work = make()
    earlier = sorted(made.parent.glob("empty-*"), key=lambda file: file.stat().st_mtime)
    for file in earlier[: -_KEPT + 1]:
        file.unlink(missing_ok=True)
    with replacing(made) as draft:
        shutil.copyfile(work, draft)


def _file() -> Path:
    made_of = digest_of(
        [*views(), DBT_PROJECT], *map(version, ("perfhouse", "duckdb", "dbt-duckdb"))
    )
    return home() / "cache" / "dbt" / f"empty-{made_of}.duckdb"
