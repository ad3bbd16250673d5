"""The profile of a warehouse in DuckLake, and how its lake is attached.

It is beside FILE: perfhouse.toml beside perfhouse.duckdb.

    catalog = "postgres:host=db.example.com dbname=perfhouse"   # or "sqlite:catalog.sqlite"
    data = "s3://perfhouse/lake"                                # or a folder

    [s3]                            # what differs from AWS
    endpoint = "127.0.0.1:9000"
    region = "us-east-1"
    path_style = true
    tls = false

Names of files are relative to the profile. Credentials come from the environment alone: PGUSER and
PGPASSWORD or PGPASSFILE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.

The lake has two catalogs, as DuckLake reads all tables of a catalog again when one of them changes:
lake_raw and lake_marts, in PostgreSQL the schemas perfhouse_raw and perfhouse_marts.
"""

from __future__ import annotations

import os
import tomllib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.base.errors import WarehouseError
from ingest.lake import views
from ingest.lake.sql import literal

__all__ = [
    "NOTED",
    "PROFILE",
    "LostCatalogError",
    "Profile",
    "attach",
    "attach_shown",
    "data_of",
    "profile_of",
    "profile_shown",
    "read_profile",
]

PROFILE = ".toml"  # the suffix of a profile
NOTED = "ducklake"  # in the lake folder beside FILE, once the catalog was made
_CATALOGS = {"postgres": "postgres_scanner", "sqlite": "sqlite_scanner"}  # and their extensions


class LostCatalogError(WarehouseError):
    """A lake's catalog of raw tables is gone."""


class S3(NamedTuple):
    """An object store that is not AWS's."""

    endpoint: str = ""
    region: str = ""
    path_style: bool = False
    tls: bool = True


class Profile(NamedTuple):
    """Where a warehouse's rows are; see the module.

    moves: the data are named relative to the profile, and may have been moved with it.
    """

    file: Path
    catalog: str
    data: str
    s3: S3
    moves: bool


def profile_of(file: Path) -> Path | None:
    """Return the profile beside a published file, if there is one.

    A manifest of runs may have the same name.
    """
    profile = file.with_suffix(PROFILE)
    is_there = profile.is_file() and b"perfhouse_manifest" not in profile.read_bytes()
    return profile if is_there else None


@lru_cache(maxsize=16)
def read_profile(file: Path) -> Profile:
    """Read a profile. Raises WarehouseError."""
    try:
        settings = tomllib.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise WarehouseError(f"{file}: {error}") from None
    catalog, data, s3 = (settings.pop(key, None) for key in ("catalog", "data", "s3"))
    kind, _, location = str(catalog).partition(":")
    if not isinstance(catalog, str) or kind not in _CATALOGS or not location:
        raise WarehouseError(f"{file}: catalog has to be postgres:... or sqlite:FILE")
    if not isinstance(data, str) or not data:
        raise WarehouseError(f"{file}: data has to be a folder or s3://BUCKET/PREFIX")
    s3 = {} if s3 is None else s3
    unknown = [*settings, *(f"s3.{key}" for key in s3 if key not in S3._fields)]
    if unknown:
        raise WarehouseError(f"{file}: unknown: {', '.join(unknown)}")
    for key, value in s3.items():
        kind_of_value = type(S3._field_defaults[key])
        if not isinstance(value, kind_of_value):
            raise WarehouseError(f"{file}: s3.{key} is {value!r}, not a {kind_of_value.__name__}")
    if kind == "sqlite":
        catalog = f"sqlite:{file.parent / location}"
    moves = "://" not in data and not Path(data).is_absolute()
    if moves:
        data = str(file.parent / data)
    return Profile(file, catalog, data.rstrip("/") + "/", S3(**s3), moves)


def attach(
    db: duckdb.DuckDBPyConnection, profile: Profile, *, read_only: bool = True, is_new: bool = False
) -> None:
    """Attach both parts of a lake, unless they are attached.

    is_new: the catalog of raw tables may be missing, and is made. That of marts always may.
    Raises WarehouseError, and LostCatalogError if the catalog of raw tables is gone.
    """
    attached = "FROM duckdb_databases() WHERE database_name = 'lake_marts'"
    if db.execute(attached).fetchall():
        return
    kind = profile.catalog.partition(":")[0]
    is_remote = "://" in profile.data
    for extension in ("ducklake", _CATALOGS[kind], *(["httpfs"] if is_remote else [])):
        db.execute(f"LOAD {literal(_extension(extension))}")
    if is_remote:
        db.execute(_secret(profile))
    if kind == "postgres" and not read_only:
        _create_schemas(db, profile)
    for part in ("raw", "marts"):
        options = [f"DATA_PATH {literal(f'{profile.data}{part}/')}"]
        options += ["OVERRIDE_DATA_PATH true"] if profile.moves else []
        # Else the catalog has another table for each one, for rows that wait, and SQLite reads the
        # definitions of all of them for each look-up.
        options.append("READ_ONLY" if read_only else "DATA_INLINING_ROW_LIMIT 0")
        if part == "raw" and not is_new:
            options.append("CREATE_IF_NOT_EXISTS false")
        catalog = profile.catalog
        if kind == "sqlite":  # several processes, each waiting for others
            catalog += f".{part}"
            options.append("META_BUSY_TIMEOUT 60000")
            options += [] if read_only else ["META_JOURNAL_MODE 'WAL'"]
        else:
            options.append(f"META_SCHEMA 'perfhouse_{part}'")
        location = literal(f"ducklake:{catalog}")
        try:
            db.execute(f"ATTACH IF NOT EXISTS {location} AS lake_{part} ({', '.join(options)})")
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            if "creating a new DuckLake is explicitly disabled" in reason:
                raise LostCatalogError(
                    f"{profile.file}: the catalog of raw tables is gone: restore it from a backup"
                ) from None
            raise WarehouseError(f"{profile.file}: the lake cannot be opened: {reason}") from None


def _create_schemas(db: duckdb.DuckDBPyConnection, profile: Profile) -> None:
    """Create the catalogs' schemas in PostgreSQL, which DuckLake expects. Raises WarehouseError."""
    dsn = profile.catalog.partition(":")[2]
    try:
        db.execute(f"ATTACH {literal(dsn)} AS catalog_server (TYPE postgres)")
        for part in ("raw", "marts"):
            db.execute(
                "CALL postgres_execute('catalog_server', "
                f"'CREATE SCHEMA IF NOT EXISTS perfhouse_{part}')"
            )
        db.execute("DETACH catalog_server")
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise WarehouseError(f"{profile.file}: the catalog cannot be opened: {reason}") from None


def attach_shown(db: duckdb.DuckDBPyConnection) -> None:
    """Attach the lake whose tables a database's views show, if they show one."""
    if profile := profile_shown(db):
        attach(db, read_profile(profile))


def data_of(db: duckdb.DuckDBPyConnection) -> str | None:
    """Return where the lake has its files whose tables a database's views show."""
    profile = profile_shown(db)
    return read_profile(profile).data if profile else None


def profile_shown(db: duckdb.DuckDBPyConnection) -> Path | None:
    """Return the profile of the lake that a database's views show, if they show one.

    It is beside the published file, or beside the folder that the working database is in; of a
    database that was copied without it, where it was.
    """
    noted = views.definition_of(db).get("profile")
    if not noted:
        return None
    ((path,),) = db.execute(
        "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
    ).fetchall()
    near = (folder / Path(noted).name for folder in Path(path or "").absolute().parents[:2])
    return next((profile for profile in near if profile.is_file()), Path(noted))


def _extension(name: str) -> str:
    """Return the file of one of DuckDB's extensions, which come as packages."""
    package = find_spec(f"duckdb_extension_{name}")
    if package is None or not package.submodule_search_locations:
        raise WarehouseError(
            f"DuckDB's extension {name} is missing: install perfhouse with the extra ducklake"
        )
    folder = Path(package.submodule_search_locations[0], "extensions", f"v{duckdb.__version__}")
    return str(folder / f"{name}.duckdb_extension")


def _secret(profile: Profile) -> str:
    s3 = profile.s3
    given = {
        "KEY_ID": os.environ.get("AWS_ACCESS_KEY_ID"),
        "SECRET": os.environ.get("AWS_SECRET_ACCESS_KEY"),
        "SESSION_TOKEN": os.environ.get("AWS_SESSION_TOKEN"),
        "REGION": s3.region or os.environ.get("AWS_REGION"),
        "ENDPOINT": s3.endpoint,
        "URL_STYLE": "path" if s3.path_style else None,
        "USE_SSL": None if s3.tls else "false",
        "SCOPE": profile.data,
    }
    options = ", ".join(f"{key} {literal(str(value))}" for key, value in given.items() if value)
    return f"CREATE OR REPLACE SECRET perfhouse (TYPE s3, {options})"
