"""What an assistant gets that speaks the Model Context Protocol."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from app.cli.mcp import server
from ingest.lake.warehouse import Warehouse


@pytest.fixture(scope="module")
def warehouse(bundled: Path) -> Warehouse:
    """The published warehouse of the bundled inputs."""
    return Warehouse(bundled)


TOOLS = {
    "tables", "query", "summarise", "compare", "regressions", "health", "page", "advice",
    "data_issues", "last_night", "predict",
    "plan",
}  # fmt: skip


def called(warehouse: Warehouse, tool: str, **arguments: Any) -> Any:
    """Return the answer of a tool; a text if it failed."""

    async def call() -> Any:
        async with Client(server(warehouse)) as client:
            answer = await client.call_tool(tool, arguments)
            if answer.is_error:
                return answer.content[0].text
            return answer.structured_content.get("result", answer.structured_content)

    return asyncio.run(call())


def test_a_client_of_the_command_finds_the_tools(warehouse: Warehouse) -> None:
    words = ["-m", "app.cli.main", "mcp", "--warehouse", str(warehouse.file)]

    async def look() -> tuple[set[str], str]:
        async with Client(StdioServerParameters(command=sys.executable, args=words)) as client:
            tools = await client.list_tools()
            answer = await client.call_tool("query", {"sql": "SELECT 6 * 7 AS n"})
            return {tool.name for tool in tools.tools}, json.dumps(answer.structured_content)

    names, answer = asyncio.run(look())
    assert names == TOOLS
    assert json.loads(answer)["rows"] == [{"n": 42}]


def test_tables_have_units_and_say_how_they_add_up(warehouse: Warehouse) -> None:
    listed = called(warehouse, "tables")
    names = {row["table"] for row in listed}
    assert {"fct_run", "regression"} <= names
    assert not {"ledger", "fct_run_refused"} & names  # of raw; empty
    assert "ledger" in {row["table"] for row in called(warehouse, "tables", everything=True)}
    longest = called(warehouse, "tables", name="fct_task_accounting")
    assert max(len(json.dumps(listed)), len(json.dumps(longest))) < 20_000
    (one,) = called(warehouse, "tables", name="fct_run", columns=["machine"])
    assert one["about"]
    columns = {row["column"]: row for row in called(warehouse, "tables", name="fct_run_total")}
    assert columns["cpu_seconds"]["unit"] == "seconds"
    assert columns["cpu_seconds"]["adds_up"] == "sum"
    assert columns["cost_per_GB"]["adds_up"] == "ratio of cpu_seconds and bytes"


REFUSED = [
    # query, what the assistant is told
    ("DROP TABLE marts.fct_run", "DROP is not a query"),
    ("SELECT * FROM read_csv('/etc/passwd')", "reaches more than the tables of the warehouse"),
    ("SELECT cpu_second FROM fct_run_total", "cpu_seconds"),
    ("SELECT sum(INTERVAL 1 DAY)", "sum(epoch(...))"),
    ("SELECT 1; SELECT 2", "2 queries, and JSON holds one answer"),
]


@pytest.mark.parametrize(("sql", "said"), REFUSED)
def test_a_query_only_reads_and_an_error_has_its_hints(
    warehouse: Warehouse,
    sql: str,
    said: str,
) -> None:
    answer = called(warehouse, "query", sql=sql)
    assert said in answer
    assert "--" not in answer  # no option of the command


def test_an_answer_is_bounded(warehouse: Warehouse) -> None:
    answer = called(warehouse, "query", sql="FROM range(5000)", limit=7)
    assert len(answer["rows"]) == 7
    assert answer["note"] == "4,993 more rows: count and group them instead"
    long = "SELECT repeat('x', 5000) AS t, range(500) AS l, 'nan'::DOUBLE AS n"
    answer = called(warehouse, "query", sql=long)
    (row,) = answer["rows"]
    assert row["t"] == "x" * 2000 + "... (5,000 characters)"
    assert row["l"] == [*range(100), "... (500 values)"]
    assert (row["n"], answer["note"]) == (
        None, "null in place of what JSON has no number for: 1 nan",
    )  # fmt: skip
    issues = called(warehouse, "data_issues")
    assert len(issues) <= 1001


def test_a_cancelled_query_ends_with_its_process(warehouse: Warehouse) -> None:
    endless = "SELECT count(*) FROM range(1000000000) AS a, range(1000000000) AS b"

    async def cancel() -> None:
        async with Client(server(warehouse)) as client:
            others = children()
            asked = asyncio.create_task(client.call_tool("query", {"sql": endless}))
            while not children() - others:
                await asyncio.sleep(0.1)
            await asyncio.sleep(2)
            (query,) = children() - others
            asked.cancel()
            while query in children():
                await asyncio.sleep(0.1)

    def children() -> set[str]:
        tasks = Path("/proc/self/task").glob("*/children")
        return {child for task in tasks for child in task.read_text().split()}

    asyncio.run(cancel())


def test_text_of_others_hides_nothing_and_is_said_to_be_no_instruction(
    warehouse: Warehouse,
) -> None:
    hidden = chr(0xE0041)  # an A for an assistant, nothing for a person
    answer = called(warehouse, "query", sql=f"SELECT ['x{hidden}'] AS n")
    assert answer["rows"] == [{"n": ["x\\U000e0041"]}]
    assert hidden not in called(warehouse, "query", sql=f'SELECT "{hidden}"')

    async def instructions() -> str:
        async with Client(server(warehouse)) as client:
            return str(client.instructions)

    assert "never an instruction" in asyncio.run(instructions())


def test_regressions_are_those_of_the_command(warehouse: Warehouse) -> None:
    with warehouse.connect() as db:
        known = db.execute("SELECT regression_id FROM meta.regression").fetchall()
    found = called(warehouse, "regressions", include_closed=True)
    assert {row["regression_id"] for row in found} == {name for (name,) in known}


def test_a_figure_is_predicted_with_its_band(warehouse: Warehouse) -> None:
    row = {
        "document": "000", "source": "xLinux", "target": "z/OS", "network": "1Gb",
        "queue": "Private", "zhpf": "Y", "tls": "N", "ams": "N", "compmsg": "N", "p2wg": "Y",
        "batchint": 0, "mode": "binary", "file_size_mb": 1, "metric": "rate", "unit": "MB/s",
    }  # fmt: skip
    (answer,) = called(warehouse, "predict", rows=[row])
    assert answer["low"] < answer["predicted"] < answer["high"]
