"""What document 002 says, held by the marts of `mft-linux`: transfers between Linux machines.

Some of its runs are in the warehouse: see campaigns.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

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
#: Section, statement, the least and the greatest figure, and the bounds that they must keep. Ratios
#: have those of the printed times, and 6 % for noise on either side.
STATEMENTS = [
    ("2", "a measurement moves 2 GB, in whole files", figure("bytes"),
     (2**31, 2**31 + 100 * 2**20)),
    ("2", "in 2,000 files of 1 MB, which are 2,048 by rate and time", figure("files", "mb = 1"),
     (2048, 2048)),
    ("4.2", "MQ 9.0.5", "SELECT min(mq_level), max(mq_level) FROM run", ("9.0.5", "9.0.5")),
    ("2.1.5", "bindings: 512 KB chunks are faster, 22.30 to 16.83 s and 21.95 to 14.09 s",
     ratio("kb", 64, 512, f"{SINGLE} AND md5 = 'N' AND mb = 100"), (1.25, 1.65)),
    ("2.1.5", "and with MD5, 29.49 to 24.37 s and 31.01 to 23.86 s",
     ratio("kb", 64, 512, f"{SINGLE} AND md5 = 'Y' AND mb = 100"), (1.14, 1.38)),
    ("2.2.5", "clients too, 61.45 to 58.60 s at the least, 59.57 to 52.57 s at the most",
     ratio("kb", 64, 512, f"{CLIENT} AND mb = 100"), (1.0, 1.2)),
    ("1", "MD5 changes the times: bindings, 22.30 to 29.49 s and 21.95 to 31.01 s",
     ratio("md5", "Y", "N", f"{SINGLE} AND kb = 64 AND mb = 100"), (1.24, 1.5)),
    ("2.2.1", "but hardly those of clients, 61.45 to 61.67 s and 58.43 to 59.57 s",
     ratio("md5", "Y", "N", f"{CLIENT} AND kb = 64 AND mb = 100"), (0.95, 1.08)),
    ("2", "clients take longer than bindings: 22.30 to 61.45 s and 21.95 to 58.43 s",
     ratio("connection", "client", "bindings",
           "transfer = 'single' AND md5 = 'N' AND kb = 64 AND mb = 100"), (2.5, 2.95)),
    ("3.3", "many transfers at once are faster in bindings mode: 31.83 to 11.17 s at 10 MB",
     ratio("transfer", "single", "multi",
           f"connection = 'bindings' AND md5 = 'N' AND kb = 64 AND mb = 10 AND {FREE}"),
     (2.4, 3.1)),
    ("2.2.1", "and hardly as clients, where the network is the limit: 61.45 to 57.54 s",
     ratio("transfer", "single", "multi",
           "connection = 'client' AND md5 = 'N' AND kb = 64 AND mb = 100"), (0.97, 1.13)),
    ("3.3", "opening and closing many files costs time: 21.95 to 79.46 s, 22.30 to 86.11 s",
     ratio("mb", 1, 100, f"{SINGLE} AND md5 = 'N' AND kb = 64"), (3.3, 4.1)),
    ("2.2.1", "less so for clients: 58.43 to 74.06 s, 61.45 to 89.59 s",
     ratio("mb", 1, 100, f"{CLIENT} AND md5 = 'N' AND kb = 64"), (1.2, 1.55)),
    ("2.1", "the coordination queue manager's machine is 0 to 2 % busy", figure("coord"), (0, 2)),
    ("2.2", "that of the agents' queue manager 3 to 7 %", figure("agentq"), (3, 7)),
    ("2.1", "agents in bindings mode have no queue manager elsewhere",
     "SELECT count(agentq), count(agentq) FROM run WHERE connection = 'bindings'", (0, 0)),
    ("2.1", "single transfers: the sending agent's machine 11 to 24 %", figure("agent1", SINGLE),
     (11, 25)),
    ("2.1", "the receiving agent's 17 to 26 %", figure("agent2", SINGLE), (16, 29)),
    ("2.2", "clients' machines: 5 to 16 %", figure("agent1", "connection = 'client'"), (4, 17)),
    ("2.2", "and 6 to 28 %", figure("agent2", "connection = 'client'"), (6, 29)),
    ("2.1", "times of single transfers in bindings mode, in the median within 6 % of the printed",
     difference("transfer_time", "bindings", "single"), (0, 6)),
    ("2.2", "times of single transfers of clients, in the median within 3 %",
     difference("transfer_time", "client", "single"), (0, 3)),
    ("2.2", "times of ten transfers of clients at once",
     difference("transfer_time", "client", "multi"), (0, 3)),
    ("2.1", "CPU in bindings mode, in the median within 1 of the printed percent",
     difference("%-CPU", "bindings", "single"), (0, 1)),
    ("2.2", "CPU of clients", difference("%-CPU", "client", "single"), (0, 1)),
]  # fmt: skip


@pytest.fixture(scope="module")
def marts(campaigns: Path) -> Iterator[Db]:
    with duckdb.connect(str(campaigns), read_only=True) as db:
        db.execute(RUNS)
        yield db


@pytest.mark.parametrize(
    ("section", "statement", "query", "bounds"), STATEMENTS, ids=[row[1] for row in STATEMENTS]
)
def test_the_marts_hold_what_the_document_says(
    section: str, statement: str, query: str, bounds: tuple[float, float], marts: Db
) -> None:
    least, greatest = marts.execute(query).fetchall()[0]
    assert bounds[0] <= least <= greatest <= bounds[1], (section, statement)


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
