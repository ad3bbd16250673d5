"""Read the rates that the performance harnesses for MQ print: mq-cph and JMSPerfHarness.

Both print a line for each interval and one at the end, as names and values with commas between:

    mq-cph     id=1,rate=2534.50,threads=4
               totalIterations=152070,totalSeconds=60.00,avgRate=2534.50
    JMS        id=1,rate=2534.50,total messages=25345,Snapshot period=10,threads=4
               totalIterations=152070,avgDuration=60.00,totalRate=2534.50
    JMS, with rolling averages (its default)
               rateR=2534.50,threads=4
               totalIterations=152070,avgDuration=60.00,maxrateR=2561.00

Several processes of mq-cph together (runcph_agg.py) print rate=,threads=,processes= and
totalJobIterations=,maxSeconds=,avgJobRate=,avgRatePerProcess=. Other output (threads that start,
errors) is ignored.

The highest rolling average (maxrateR) is not the overall rate, which is iterations divided by
duration.

Facts: the sources that print them, mq-cph's ControlThread.cpp and runcph_agg.py, and the statistics
modules of JMSPerfHarness. An iteration is defined by the test (a put, a get, or a request with its
reply), and is not always one message.
"""

from __future__ import annotations

import re

import polars as pl

from ingest.formats.text.figures import integer
from ingest.formats.text.lines import lines, sample
from ingest.formats.text.parser import Parsed
from ingest.formats.text.table import Column, Output, describe_tables

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

KIND, TABLE = "perf_harness", "bench_harness"
COLUMNS = (
    Column("record_no", "Line of the rate", pl.Int64),
    Column("harness", "mq-cph or jms; null if the line could be from either", pl.String),
    Column("kind", "interval, or total at the end", pl.String),
    Column("process_id", "Name of the process, if it was given one", pl.String),
    Column("interval_no", "Number of the interval of its process, from 1", pl.Int64),
    Column("rate_per_second", "Iterations per second, over all threads; in the intervals of jms "
           "perhaps rolling averages [1/s]"),
    Column("iterations", "Iterations in the interval or in total", pl.Int64),
    Column("seconds", "Length of the interval as printed, or time from first start to last end; "
           "for jms, the average over the threads [s]"),
    Column("threads", "Active threads", pl.Int32),
    Column("processes", "Processes that the rate covers, if they were run together",
           pl.Int32),
)  # fmt: skip
SCHEMAS, COLUMN_DOCS = describe_tables({TABLE: COLUMNS})
TITLES = {TABLE: "One row per rate that a performance harness prints"}

_TOTAL = re.compile(r"\btotal(?:Job)?Iterations=\d+,\s*(?:totalSeconds|avgDuration|maxSeconds)=")
_INTERVAL = re.compile(
    r"(?:^|[\s,)])rateR?=[\d.,]+,(?:total messages=\d+,Snapshot period=\d+,)?threads=\d+",
    re.MULTILINE,
)
_VALUE = re.compile(r"(id|rate|rateR|total messages|Snapshot period|threads|processes|"
                    r"totalIterations|totalJobIterations|totalSeconds|maxSeconds|avgDuration|avgRate|totalRate|"
                    r"maxrateR|avgJobRate)=([^\s=]+?)(?=,[A-Za-z ]+=|[\s)]|,?$)")  # fmt: skip
_NUMBER = re.compile(r"(?:\d{1,15}|\d{1,3}(?:,\d{3})+)(?:\.\d+)?")
_DECIMAL_COMMA = re.compile(r"(?:\d{1,15}|\d{1,3}(?:\.\d{3})+),\d+")


def recognise(head: bytes) -> str | None:
    """Return the kind of file, by a line with a rate."""
    text = sample(head)
    return KIND if _TOTAL.search(text) or _INTERVAL.search(text) else None


def parse(content: bytes) -> Parsed:
    """Parse one whole file; a line whose rate is not a number goes to `rejected`."""
    out = Output(SCHEMAS)
    intervals: dict[str | None, int] = {}
    for number, text in lines(content, is_print=False):
        if not (_TOTAL.search(text) or re.search(r"(?:^|[\s,)])rateR?=", text)):
            continue
        values = {name: value.rstrip(",") for name, value in _VALUE.findall(text)}
        row = _row(values)
        if row is None:
            out.reject(number, "a rate that is not a number")
            continue
        if row["kind"] == "interval":
            process = values.get("id")
            intervals[process] = intervals.get(process, 0) + 1
            row["interval_no"] = intervals[process]
        out.add(TABLE, row | {"record_no": number})
    return Parsed(KIND, out.frames(), out.rejected)


def _row(values: dict[str, str]) -> dict[str, object] | None:
    """Return the columns from the names and values of a line."""
    rate = _first(values, "rate", "rateR", "avgRate", "totalRate", "avgJobRate")
    iterations = _first(values, "total messages", "totalIterations", "totalJobIterations")
    seconds = _first(values, "Snapshot period", "totalSeconds", "avgDuration", "maxSeconds")
    if "maxrateR" in values and iterations is not None and seconds:
        rate = iterations / seconds
    if rate is None:
        return None
    of_jms = {"total messages", "avgDuration", "totalRate", "rateR", "maxrateR"}
    is_jms = bool(of_jms & values.keys())
    is_cph = bool({"totalSeconds", "avgRate", "processes", "avgJobRate"} & values.keys())
    return {
        "harness": "jms" if is_jms else "mq-cph" if is_cph else None,
        "kind": "interval" if {"rate", "rateR"} & values.keys() else "total",
        "process_id": values.get("id"),
        "rate_per_second": rate,
        "iterations": int(iterations) if iterations is not None else None,
        "seconds": seconds,
        "threads": _small(values.get("threads")),
        "processes": _small(values.get("processes")),
    }


def _first(values: dict[str, str], *names: str) -> float | None:
    """Return the number of the first of `names` that is present."""
    text = next((values[name] for name in names if name in values), "")
    if _DECIMAL_COMMA.fullmatch(text) and not _NUMBER.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    return float(text.replace(",", "")) if _NUMBER.fullmatch(text) else None


def _small(text: str | None) -> int | None:
    value = integer(text)
    return value if value is not None and 0 <= value < 2**31 else None
