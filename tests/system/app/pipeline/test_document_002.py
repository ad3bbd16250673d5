"""What document 002 says, held by the marts of `mft-linux`: transfers between Linux machines.

Some of its runs are in the warehouse: see campaigns.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.kit.cases import cases

Db = duckdb.DuckDBPyConnection

#: One row per run, with its factors, figures and state.
RUNS = """
    CREATE TEMP VIEW run AS
    SELECT * FROM (
        SELECT run_id, connection, mode, md5, chunk_size // 1024 AS kb, transfer,
            file_size_mb AS mb, c.machine, c.mq_level, run.labels['stalled'] AS stalled, metric,
            value
        FROM marts.fct_measurement AS m
        JOIN marts.fct_run AS run USING (origin, run_id)
        JOIN marts.dim_configuration AS c ON m.configuration_id = c.configuration_id
        WHERE m.is_compared AND run.campaign = 'mft-linux'
    )
    PIVOT (first(value) FOR metric IN (
        'rate', 'transfer_time' AS seconds, 'bytes', 'files', 'host_cpu_busy' AS hosts,
        'Agent1-CPU' AS agent1, 'Agent2-CPU' AS agent2, 'AgentQ-CPU' AS agentq, 'Coord-CPU' AS coord
    ) GROUP BY run_id, connection, mode, md5, kb, transfer, mb, machine, mq_level, stalled)
"""
#: How much longer one of two runs takes that differ in one factor only.
RATIO = """
    SELECT min(slow.seconds / fast.seconds), max(slow.seconds / fast.seconds)
    FROM run AS slow JOIN run AS fast USING ({same})
    WHERE slow.{slow} AND fast.{fast} AND {which}
"""
FACTORS = ("connection", "mode", "md5", "kb", "transfer", "mb")


def ratio(factor: str, slow: object, fast: object, which: str) -> str:
    same = ", ".join(name for name in FACTORS if name != factor)
    return RATIO.format(
        same=same, slow=f"{factor} = {slow!r}", fast=f"{factor} = {fast!r}", which=which
    )


def figure(column: str, which: str = "true") -> str:
    return f"SELECT min({column}), max({column}) FROM run WHERE {which}"


def difference(metrics: str, connection: str, transfer: str) -> str:
    """CPU is a percentage itself."""
    column = "difference" if "CPU" in metrics else "difference_percent_of_published"
    return f"""
        SELECT min(gap), median(gap) FROM (
            SELECT abs({column}) AS gap
            FROM marts.fct_run_against_published AS found
            JOIN run USING (run_id)
            WHERE metric LIKE '{metrics}' AND connection = '{connection}'
                AND transfer = '{transfer}' AND stalled IS DISTINCT FROM 'Y'
        )
    """


SINGLE = "connection = 'bindings' AND transfer = 'single'"
CLIENT = "connection = 'client' AND transfer = 'single'"
FREE = "slow.stalled IS DISTINCT FROM 'Y' AND fast.stalled IS DISTINCT FROM 'Y'"


@pytest.fixture(scope="module")
def marts(campaigns: Path) -> Iterator[Db]:
    with duckdb.connect(str(campaigns), read_only=True) as db:
        db.execute(RUNS)
        yield db


@cases
def test_the_marts_hold_what_the_document_says(
    query: str, bounds: tuple[float, float], marts: Db
) -> None:
    """Ratios have the bounds of the printed times, and 6 % for noise on either side."""
    least, greatest = marts.execute(query).fetchall()[0]
    assert bounds[0] <= least <= greatest <= bounds[1]


def test_each_run_is_compared_with_all_figures_of_its_printed_row(marts: Db) -> None:
    compared = marts.execute(
        "SELECT connection, count(DISTINCT run_id), count(*), count(DISTINCT metric)"
        " FROM marts.fct_run_against_published JOIN run USING (run_id)"
        " WHERE document_id = '002' GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    # rate, time, and the CPU of three or four machines
    assert compared == [("bindings", 68, 68 * 5, 5), ("client", 68, 68 * 6, 6)]


def test_the_model_is_compared_with_the_cpu_of_each_machine(marts: Db) -> None:
    places = dict(
        marts.execute(
            "SELECT metric, count(*) FROM marts.fct_run_against_model JOIN run USING (run_id)"
            " WHERE metric LIKE '%-CPU' GROUP BY ALL"
        ).fetchall()
    )
    assert places == {"Agent1-CPU": 136, "Agent2-CPU": 136, "AgentQ-CPU": 68, "Coord-CPU": 136}
