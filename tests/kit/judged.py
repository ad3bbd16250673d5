"""A small published warehouse with a regression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ingest.lake.warehouse import Warehouse

WORSE = 30


def slower(configuration: str, metric: str, space: str | None, night: int) -> float:
    """CHIN costs more from a night on."""
    return 1.3 if space == "CHIN" and night >= WORSE else 1.0


@pytest.fixture(scope="session")
def _judged(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """Forty nights, CHIN slower from night 30, judged and published."""
    from app.pipeline import steps
    from expectations.limits import read_limits
    from expectations.regressions.judge import judge_build
    from ingest.lake.warehouse import Warehouse
    from tests.kit.nights import SESSIONS, build

    made = Warehouse(tmp_path_factory.mktemp("judged") / "w.duckdb")
    steps.prepare(made)
    with build(40, slower) as nights, made.open_work() as db:
        db.execute("CREATE SCHEMA marts")
        for (table,) in nights.execute(
            "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'marts'"
        ).fetchall():
            db.register("rows", nights.sql(f"FROM marts.{table}").pl().to_arrow())
            db.execute(f"CREATE TABLE marts.{table} AS FROM rows")
            db.unregister("rows")
        db.execute(SESSIONS)
        judge_build(db, made.regressions, "b40", read_limits())
    made.publish()
    return made


@pytest.fixture
def judged(_judged: Warehouse) -> Iterator[Warehouse]:
    """A published warehouse with a regression; what people say of it is removed afterwards."""
    before = set(_judged.regressions.iterdir())
    yield _judged
    for file in set(_judged.regressions.iterdir()) - before:
        file.unlink()
