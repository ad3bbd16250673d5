"""Credentials of the catalog and the storage, from Airflow's connections.

perfhouse reads them from the environment only. A task that has no password or secret there takes it
from these connections, if the warehouse is kept in DuckLake and they exist:

    perfhouse_catalog   login and password of PostgreSQL
    perfhouse_storage   login: the key's id; password: the secret; extra aws_session_token
"""

from __future__ import annotations

import os
from typing import Any

from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowNotFoundException

from ingest.lake.warehouse import Warehouse

__all__ = ["take_credentials"]

#: Connection -> variables for its login and its password.
_VARIABLES = {
    "perfhouse_catalog": ("PGUSER", "PGPASSWORD"),
    "perfhouse_storage": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
}
_INSTEAD = {"perfhouse_catalog": ("PGPASSFILE",)}  # where libpq reads passwords, too
_SESSION = "AWS_SESSION_TOKEN"


def take_credentials(warehouse: Warehouse) -> None:
    """Put the credentials that this process lacks into its environment."""
    if not warehouse.store.has_credentials:
        return
    for name, variables in _VARIABLES.items():
        if any(secret in os.environ for secret in (variables[1], *_INSTEAD.get(name, ()))):
            continue
        try:
            connection: Any = Connection.get(name)
        except AirflowNotFoundException:
            continue
        given = dict(zip(variables, (connection.login, connection.password), strict=True))
        given[_SESSION] = connection.extra_dejson.get(_SESSION.lower())
        os.environ.update({variable: value for variable, value in given.items() if value})
