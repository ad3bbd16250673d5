"""What dbt compiled for the last build, executed again without dbt.

dbt takes a tenth of a second for each model and each test, however little there is to compute. What
it compiles of this project depends on the models and on the database's name alone (no model asks
the database while it is compiled), so rows that are added need no dbt of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import duckdb

from app.pipeline.dbt import DbtError

__all__ = ["Node", "create", "read", "refill", "run_tests"]


@dataclass(frozen=True)
class Node:
    """A model, a seed or a test of data, as dbt's manifest has it."""

    name: str
    kind: str  # how it is materialized: table, view, seed, test
    schema: str
    tags: frozenset[str]
    parents: frozenset[str]  # names of the models and seeds that it asks
    code: str  # SQL, or Python; none for a seed
    language: str
    failure: tuple[str, str]  # of a test that fails a build: what it reckons of the rows, and when

    @property
    def relation(self) -> str:
        """Its place in the database, as SQL names it."""
        return f"{self.schema}.{self.name}"


def read(manifest: Path, database: str) -> list[Node]:
    """Models, seeds and tests, each after those that it asks; none if not compiled for `database`.

    manifest: what a build by dbt left. database: the name by which the code knows the database.
    """
    try:
        found = json.loads(manifest.read_bytes())["nodes"]
    except (FileNotFoundError, json.JSONDecodeError):
        return []
    nodes = {
        key: node
        for key, node in found.items()
        if node["resource_type"] == "seed" or node.get("compiled_code")
    }
    if any(node["database"] != database for node in nodes.values()):
        return []
    asked = {key: nodes.keys() & node["depends_on"].get("nodes", []) for key, node in nodes.items()}
    return [
        _node(nodes[key], frozenset(nodes[parent]["alias"] for parent in asked[key]))
        for key in TopologicalSorter(asked).static_order()
    ]


def _node(node: dict[str, Any], parents: frozenset[str]) -> Node:
    config = node["config"]
    return Node(
        name=node["alias"],
        kind=config["materialized"],
        schema=node["schema"],
        tags=frozenset(node["tags"]),
        parents=parents,
        code=node.get("compiled_code") or "",
        language=node.get("language", "sql"),
        failure=(config["fail_calc"], config["error_if"])
        if config.get("severity", "").lower() == "error"
        else ("", ""),
    )


def create(db: duckdb.DuckDBPyConnection, node: Node) -> None:
    """Make a model's table or view. Raises DbtError."""
    with _told(node):
        if node.language == "python":
            _answer(db, node).create(node.relation)
        else:
            db.execute(f"CREATE {node.kind} {node.relation} AS {node.code}")


def refill(db: duckdb.DuckDBPyConnection, node: Node) -> None:
    """Put what a table's model gives now in the place of its rows. Raises DbtError."""
    with _told(node):
        db.execute(f"TRUNCATE {node.relation}")
        if node.language == "python":
            _answer(db, node).insert_into(node.relation)
        else:
            db.execute(f"INSERT INTO {node.relation} BY NAME {node.code}")


def _answer(db: duckdb.DuckDBPyConnection, node: Node) -> duckdb.DuckDBPyRelation:
    names: dict[str, Any] = {}
    exec(node.code, names)  # noqa: S102 (a model of this project)
    answer: duckdb.DuckDBPyRelation = names["model"](
        names["dbtObj"](lambda name: db.query(f"FROM {name}")), db
    )
    return answer


def run_tests(db: duckdb.DuckDBPyConnection, nodes: Iterable[Node]) -> None:
    """Run tests of data. Raises DbtError for the first that fails a build."""
    for node in nodes:
        reckoned, wrong = node.failure
        if node.kind == "test" and reckoned:
            asked = f"SELECT {reckoned}, {reckoned} {wrong} FROM ({node.code}\n)"
            with _told(node):
                ((rows, failed),) = db.execute(asked).fetchall()
            if failed:
                raise DbtError(f"test {node.name}: {rows} rows that should not be")


@contextmanager
def _told(node: Node) -> Iterator[None]:
    """Errors of the database name the model."""
    try:
        yield
    except duckdb.Error as error:
        raise DbtError(f"{node.kind} {node.name}: {str(error).splitlines()[0]}") from error
