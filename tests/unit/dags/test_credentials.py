"""Tasks take the credentials that their environment lacks from Airflow's connections."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases

VARIABLES = ("PGUSER", "PGPASSWORD", "PGPASSFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
             "AWS_SESSION_TOKEN")  # fmt: skip
CATALOG = {"conn_type": "postgres", "login": "ann", "password": "p w:/@"}
STORAGE = {"conn_type": "aws", "login": "AKIA", "password": "s/+=", "extra": {}}
TOKEN = STORAGE | {"extra": {"aws_session_token": "t"}}
FROM_CATALOG = {"PGUSER": "ann", "PGPASSWORD": "p w:/@"}
FROM_STORAGE = {"AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "s/+="}


@cases
def test_what_the_environment_lacks_comes_from_connections(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    connections: dict[str, object],
    given: dict[str, str],
    found: dict[str, str],
) -> None:
    (tmp_path / "w.toml").touch()
    assert environment_after(tmp_path, monkeypatch, connections, given) == found


def test_an_embedded_warehouse_needs_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment_after(tmp_path, monkeypatch, {"catalog": CATALOG}, {}) == {}


def environment_after(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    connections: dict[str, object],
    given: dict[str, str],
) -> dict[str, str]:
    """Return the variables that a task of a warehouse has after it took its credentials."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "")  # so that it is put back
        del os.environ[name]
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    for name, connection in connections.items():
        monkeypatch.setenv(f"AIRFLOW_CONN_PERFHOUSE_{name.upper()}", json.dumps(connection))
    from app.schedule.credentials import take_credentials  # imports Airflow

    take_credentials(Warehouse(folder / "w.duckdb"))
    return {name: value for name, value in os.environ.items() if name in VARIABLES}
