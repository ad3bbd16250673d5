"""Outputs of tools that are tables or texts: one function each, from a text to its runs.

What the tools print is said in ingest/formats/bench/tools.py.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime

import polars as pl

from ingest.formats.bench.results import Execution, Figure, duration_of
from ingest.formats.bench.values import FaultError

__all__ = [
    "go",
    "jtl",
    "k6_console",
    "kafka_consumer",
    "kafka_producer",
    "locust",
    "moment",
    "number",
    "percentile",
    "perf_test",
    "wrk",
]


def number(value: object) -> float | None:
    """Return a finite number, also of a text that is one; None for anything else.

    >>> [number(value) for value in (3, "1.5", "NaN", "Infinity", True, "-")]
    [3.0, 1.5, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        figure = float(value)
    except (ValueError, OverflowError):
        return None
    return figure if math.isfinite(figure) else None


def percentile(text: str) -> str:
    """Return a percentile as people write it: 95.000000 and 95 are p95."""
    return f"p{float(text):g}" if text else ""


def moment(value: object) -> datetime | None:
    """Return a time in seconds or milliseconds since 1970, or as text with an offset."""
    figure = number(value)
    if figure is not None:
        return datetime.fromtimestamp(figure / (1000 if figure > 1e11 else 1), UTC)
    if not isinstance(value, str) or not value:
        return None
    try:
        moment = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", value))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


# --- tables -----------------------------------------------------------------------------------


def _csv(text: str) -> pl.DataFrame:
    try:
        return pl.read_csv(io.BytesIO(text.encode()), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise FaultError(f"not CSV: {str(error).splitlines()[0][:200]}") from None


def jtl(text: str) -> Iterator[Execution]:
    """Read the samples of a JTL: rate, errors and percentiles of each label and of all."""
    samples = _csv(text).select(
        at=pl.col("timeStamp").cast(pl.Int64, strict=False),
        elapsed=pl.col("elapsed").cast(pl.Float64, strict=False),
        label=pl.col("label").fill_null("").replace("", "(no label)"),
        failed=pl.col("success").str.to_lowercase() != "true",
    ).drop_nulls(["at", "elapsed"])  # fmt: skip
    if samples.is_empty():
        raise FaultError("a JTL without samples whose timeStamp and elapsed are numbers")
    start = samples["at"].min()
    stop = samples.select((pl.col("at") + pl.col("elapsed")).max()).item()
    seconds = max((stop - start) / 1000, 0.001)
    aggregates = [
        (pl.len() / seconds).alias("requests per second"),
        (100 * pl.col("failed").mean()).alias("errors"),
        pl.col("elapsed").mean().alias("mean"),
        *(pl.col("elapsed").quantile(q / 100, "nearest").alias(f"p{q}") for q in (50, 95, 99)),
    ]
    labels = samples.group_by("label").agg(aggregates).sort("label")
    rows = [("", samples.select(aggregates).row(0, named=True))]
    if labels.height > 1:
        rows += [(row.pop("label"), row) for row in labels.rows(named=True)]
    units = {"requests per second": "1/s", "errors": "%"}
    figures = [
        Figure(f"{name} {metric}".strip(), value, units.get(metric, "ms"))
        for name, row in rows
        for metric, value in row.items()
    ]
    yield Execution(figures, moment(start), seconds=seconds)


def locust(text: str) -> Iterator[Execution]:
    """Read Locust's statistics, whatever its percentiles are; it rounds large ones."""
    frame = _csv(text)
    columns = {
        "Requests/s": ("requests per second", "1/s"),
        "Average Response Time": ("mean", "ms"),
    }
    columns |= {
        name: (percentile(found[1]), "ms")
        for name in frame.columns
        if (found := re.fullmatch(r"(\d+(?:\.\d+)?)%", name)) and found[1] != "100"
    }
    figures = []
    for row in frame.rows(named=True):
        if number(row.get("Request Count")) == 0:
            continue  # a mean of 0 ms is none
        name = "" if row["Name"] == "Aggregated" else f"{row['Type'] or ''} {row['Name']}".strip()
        found_ones = [(m, number(row[c]), unit) for c, (m, unit) in columns.items()]
        requests = number(row.get("Request Count"))
        failures = number(row.get("Failure Count"))
        if requests and failures is not None:
            found_ones.append(("errors", 100 * failures / requests, "%"))
        figures += [
            Figure(f"{name} {m}".strip(), v, unit) for m, v, unit in found_ones if v is not None
        ]
    yield Execution(figures)


# --- texts ------------------------------------------------------------------------------------

_BYTES = {"B": 1.0, "KB": 2.0**10, "MB": 2.0**20, "GB": 2.0**30, "TB": 2.0**40}


def _parts(text: str, begin: str) -> Iterator[tuple[str, int]]:
    """Yield the parts of a text that each begin with a pattern, and their lines."""
    starts = [found.start() for found in re.finditer(begin, text, re.MULTILINE)]
    for at, stop in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text[at:stop], text.count("\n", 0, at) + 1


def wrk(text: str) -> Iterator[Execution]:
    """Read the runs that wrk or wrk2 printed."""
    for part, line in _parts(text, r"^\s*Running .+ test @ "):
        figures: list[Figure] = []
        if re.search(r"^\s*0 requests in ", part, re.MULTILINE):
            continue
        if found := re.search(r"^\s*Requests/sec:\s*([\d.]+)", part, re.MULTILINE):
            figures.append(Figure("requests per second", float(found[1]), "1/s"))
        if found := re.search(r"^\s*Transfer/sec:\s*([\d.]+)(\w+)", part, re.MULTILINE):
            rate = float(found[1]) * _BYTES.get(found[2], math.nan) / 2**20
            figures += [Figure("transfer rate", rate, "MB/s")] if math.isfinite(rate) else []
        if found := re.search(r"^\s*Latency\s+([\d.]+\w+)", part, re.MULTILINE):
            figures += _latency("mean latency", found[1])
        for found in re.finditer(r"^\s*(\d+(?:\.\d+)?)%\s+([\d.]+\w+)\s*$", part, re.MULTILINE):
            if float(found[1]) < 100:
                figures += _latency(f"{percentile(found[1])} latency", found[2])
        length = re.search(r"requests in ([\d.]+\w+),", part)
        yield Execution(figures, seconds=duration_of(length[1]) if length else None, line=line)


def _latency(metric: str, text: str) -> list[Figure]:
    seconds = duration_of(text)
    return [] if seconds is None else [Figure(metric, round(1000 * seconds, 9), "ms")]


def perf_test(text: str) -> Iterator[Execution]:
    """Read the summaries of RabbitMQ PerfTest, each of one id."""
    runs: dict[str, tuple[int, list[Figure]]] = {}
    for at, row in enumerate(text.split("\n"), 1):
        found = re.match(r"id: ([^,]+), (sending|receiving) rate avg: ([\d.]+) msg/s", row)
        if found:
            figures = runs.setdefault(found[1], (at, []))[1]
            figures.append(Figure(f"{found[2]} rate", float(found[3]), "1/s", True))
        found = re.match(r"id: ([^,]+), (consumer|confirm) latency (\S+) (\S+) (µs|us|ms)", row)
        if found and found[1] in runs:
            for given, value in zip(found[3].split("/"), found[4].split("/"), strict=False):
                name = re.sub(r"^(\d+(?:\.\d+)?)th$", r"p\1", given)
                if (figure := number(value)) is not None:
                    unit = found[5].replace("µ", "u")
                    runs[found[1]][1].append(Figure(f"{found[2]} latency {name}", figure, unit))
    for line, figures in runs.values():
        yield Execution(figures, line=line)


_PRODUCER = re.compile(
    r"(\d+) records sent, ([\d.]+) records/sec \(([\d.]+) MB/sec\), ([\d.]+) ms avg latency, "
    r"([\d.]+) ms max latency, (.*\d ms [\d.]+th.*)"
)


def kafka_producer(text: str) -> Iterator[Execution]:
    """Read the totals of kafka-producer-perf-test: lines with percentiles."""
    for at, row in enumerate(text.split("\n"), 1):
        if found := _PRODUCER.search(row):
            rate = float(found[2])
            figures = [
                Figure("records per second", rate, "1/s"),
                Figure("transfer rate", float(found[3]), "MB/s"),
                Figure("mean latency", float(found[4]), "ms"),
                *(
                    Figure(f"{percentile(p)} latency", float(value), "ms")
                    for value, p in re.findall(r"(\d+(?:\.\d+)?) ms ([\d.]+)th", found[6])
                ),
            ]
            yield Execution(figures, seconds=int(found[1]) / rate if rate else None, line=at)


def kafka_consumer(text: str) -> Iterator[Execution]:
    """Read kafka-consumer-perf-test; its times have no zone, so only their length counts."""
    names: list[str] = []
    for at, row in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in row.split(",")]
        if cells[0] == "start.time":
            names = cells
        elif names and len(cells) == len(names) and re.match(r"20\d\d-", cells[0]):
            values = dict(zip(names, cells, strict=True))
            figures = [
                Figure(metric, value, unit)
                for name, metric, unit in (
                    ("nMsg.sec", "records per second", "1/s"), ("MB.sec", "transfer rate", "MB/s"),
                )
                if (value := number(values.get(name))) is not None
            ]  # fmt: skip
            times = [
                datetime.strptime(values[n], "%Y-%m-%d %H:%M:%S:%f").replace(tzinfo=UTC)
                for n in ("start.time", "end.time")
            ]
            yield Execution(figures, seconds=(times[1] - times[0]).total_seconds(), line=at)


def go(text: str) -> Iterator[Execution]:
    """Read go test -bench: a name may occur in several packages, and several times (-count)."""
    package, found_ones = "", []
    for row in text.split("\n"):
        if row.startswith("pkg: "):
            package = row[5:].strip()
        elif found := re.match(r"(Benchmark\S+)\s+\d+\s+(.*)", row):
            found_ones.append((package, re.sub(r"-\d+$", "", found[1]), found[2].split()))
    packages = len({package for package, _, _ in found_ones})
    values: dict[tuple[str, str], list[float]] = {}
    for package, name, cells in found_ones:
        shown = f"{package.rsplit('/', 1)[-1] if packages > 1 else ''} {name[9:]}".strip()
        if packages > 1 and len({p.rsplit("/", 1)[-1] for p, _, _ in found_ones}) < packages:
            shown = f"{package} {name[9:]}"
        for value, unit in zip(cells[::2], cells[1::2], strict=False):
            if (figure := number(value)) is not None:
                values.setdefault((shown, unit), []).append(figure)
    titles = {"ns/op": "time", "B/op": "memory", "allocs/op": "allocations", "MB/s": "rate"}
    yield Execution([
        Figure(f"{name} {titles.get(unit, unit)}", sum(v) / len(v), unit,
               False if unit in ("B/op", "allocs/op") else None)
        for (name, unit), v in values.items()
    ])  # fmt: skip


_K6_LINE = re.compile(
    r"^\s*(http_req_duration|http_req_failed|http_reqs|iterations)\.*:\s*(.*)", re.MULTILINE
)


def k6_console(text: str) -> Iterator[Execution]:
    """Read the summary that k6 prints at its end."""
    figures: list[Figure] = []
    for name, rest in _K6_LINE.findall(text):
        if name == "http_req_duration":
            for key, value in re.findall(r"(avg|med|p\([\d.]+\))=([\d.]+(?:[a-zµ]+[\d.]*)+)", rest):
                title = {"avg": "mean", "med": "p50"}.get(key) or f"p{key[2:-1]}"
                figures += _latency(f"HTTP request {title}", value)
        elif name == "http_req_failed" and (found := re.match(r"([\d.]+)%", rest)):
            figures.append(Figure("failed HTTP requests", float(found[1]), "%"))
        elif found := re.search(r"([\d.]+)/s", rest):
            title = "HTTP requests" if name == "http_reqs" else "iterations"
            figures.append(Figure(f"{title} per second", float(found[1]), "1/s"))
    yield Execution(figures)
