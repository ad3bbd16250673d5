"""Declarations of tools: how an output is recognised and where its figures stand.

One engine reads them all (`executions`). A file is one run, unless its text has several. Its
metrics bear the name of what was measured, if a file has more than one: "GET /api p95".

Facts: real outputs in public repositories, and the sources that print them. k6's summary export has
the figures in a metric itself, handleSummary in `values`; `passes` of a rate counts what is true,
so those of http_req_failed are failures. JMeter writes NaN and Infinity as texts. iperf3's receiver
counts what arrived; on a server sum_sent is 0. OpenMessaging gives latencies in ms and the delay of
publishing in us. pytest-benchmark 2 has no ops. JMH's params are part of a benchmark's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ingest.formats.bench.printed import (
    go,
    jtl,
    k6_console,
    kafka_consumer,
    kafka_producer,
    locust,
    moment,
    number,
    percentile,
    perf_test,
    wrk,
)
from ingest.formats.bench.results import Execution, Figure
from ingest.formats.bench.values import FaultError

__all__ = ["TOOLS", "Tool", "find_tool"]

Named = tuple[str, Any]  # what was measured, and its figures


class Where(NamedTuple):
    """Where a figure stands below an entry, what it is, and what its value is multiplied by."""

    path: str  # keys with / between; a * matches any, and its match goes into the metric's {}
    metric: str
    unit: str
    factor: float = 1.0
    more_is_better: bool | None = None


class Tool(NamedTuple):
    """One tool's output. A text is recognised by all its marks."""

    name: str
    marks: tuple[str, ...]
    figures: tuple[Where, ...] = ()
    entries: Callable[[Any], Iterable[Named]] = lambda document: [("", document)]
    start: Callable[[Any], object] = lambda document: None
    seconds: Callable[[Any], object] = lambda document: None
    read: Callable[[str], Iterable[Execution]] | None = None  # of what is not JSON

    def executions(self, content: bytes) -> list[Execution]:
        """Return the runs of an output. Raises FaultError."""
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise FaultError("not UTF-8", line) from None
        if self.read:
            found = [one for one in self.read(text.replace("\r\n", "\n")) if one.figures]
        else:
            found = self._of_json(text)
        if not found:
            raise FaultError(f"an output of {self.name} without figures: was it cut short?")
        return found

    def _of_json(self, text: str) -> list[Execution]:
        document = _json(text)
        try:
            entries = list(self.entries(document))
            start, seconds = moment(self.start(document)), number(self.seconds(document))
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            raise FaultError(
                f"looks like an output of {self.name}, but is built otherwise"
            ) from None
        figures = [
            figure
            for name, entry in entries
            for where in self.figures
            for figure in _found(where, name, entry)
        ]
        return [Execution(figures, start, seconds=seconds)] if figures else []


def find_tool(head: str) -> Tool | None:
    """Return the first tool whose marks are all in the beginning of a text."""
    return next(
        (t for t in TOOLS if all(re.search(mark, head, re.MULTILINE) for mark in t.marks)), None
    )


def _json(text: str) -> Any:
    """Return the JSON in a text, which may have other lines before it."""
    begin = re.search(r"^\s*[{\[]", text, re.MULTILINE)
    try:
        return json.JSONDecoder().raw_decode(text[begin.end() - 1 :] if begin else text)[0]
    except json.JSONDecodeError as error:
        line = text.count("\n", 0, begin.end() if begin else 0) + error.lineno
        raise FaultError(f"not JSON: {error.msg}; was the file cut short?", line) from None
    except (RecursionError, ValueError) as error:
        raise FaultError(f"cannot be read: {error}") from None


def _found(where: Where, name: str, entry: Any) -> Iterator[Figure]:
    for matched, value in _walk(entry, where.path.split("/")):
        figure = number(value)
        if figure is not None:
            metric = where.metric.format(percentile(matched))
            yield Figure(
                f"{name} {metric}".strip(), round(figure * where.factor, 12), where.unit,
                where.more_is_better,
            )  # fmt: skip


def _walk(value: Any, path: list[str], matched: str = "") -> Iterator[tuple[str, Any]]:
    if not path:
        yield matched, value
    elif isinstance(value, Mapping):
        first, *rest = path
        if "*" not in first:
            if first in value:
                yield from _walk(value[first], rest, matched)
            return
        pattern = re.escape(first).replace(r"\*", r"(\d+(?:\.\d+)?)")
        for key in value:
            if found := re.fullmatch(pattern, str(key)):
                yield from _walk(value[key], rest, found[1])


# --- JSON -------------------------------------------------------------------------------------


def _k6(document: Any) -> Iterator[Named]:
    for name, metric in document["metrics"].items():
        values = metric.get("values", metric)
        if name == "http_req_failed":
            yield "", {"failed": values.get("value", values.get("rate"))}
        elif name in ("http_req_duration", "iteration_duration"):
            title = "HTTP request" if name.startswith("http") else "iteration"
            yield title, {"trend": values}
        elif name in ("http_reqs", "iterations"):
            yield "HTTP requests" if name == "http_reqs" else "iterations", {"rate": values["rate"]}
        elif not name.startswith(("http_", "group_")) and "p(95)" in values:
            yield name, {"trend": values}


def _transactions(document: Any) -> Iterator[Named]:
    for name, entry in document.items():
        yield "" if name == "Total" else name or "(no label)", entry


def _gatling(document: Any) -> Iterator[Named]:
    def walk(node: Any, name: str) -> Iterator[Named]:
        yield name, node["stats"]
        for child in node.get("contents", {}).values():
            yield from walk(child, str(child["name"]))

    if "stats" in document:
        return walk(document, "")
    return iter([("", document)])


def _fio(document: Any) -> Iterator[Named]:
    jobs = document["jobs"]
    for job in jobs:
        for way in ("read", "write", "trim"):
            if way in job and job[way].get("total_ios", job[way].get("io_bytes")):
                name = str(job["jobname"]) if len(jobs) > 1 else ""
                yield f"{name} {way}".strip(), job[way]


def _iperf3(document: Any) -> Iterator[Named]:
    end = document["end"]
    if "error" in document and not end:
        raise FaultError(f"iperf3 failed: {str(document['error'])[:200]}")
    received = end.get("sum_received") or end.get("sum") or {}
    yield "", {"received": received, "sent": end.get("sum_sent", {}), "udp": end.get("sum", {})}


def _hyperfine(document: Any) -> Iterator[Named]:
    results = document["results"]
    for one in results:
        parameters = one.get("parameters") or {}
        named = [f"{key}={value}" for key, value in parameters.items()]
        yield " ".join([one["command"], *(n for n in named if n not in one["command"])]), one


def _jmh(document: Any) -> Iterator[Named]:
    for one in document:
        name = ".".join(one["benchmark"].split(".")[-2:])
        params = ", ".join(f"{k}={v}" for k, v in sorted((one.get("params") or {}).items()))
        modes = {"thrpt": True, "avgt": False, "sample": False, "ss": False}
        shown = f"{name} ({params})" if params else name
        metric = one["primaryMetric"]
        yield shown, {"mode": one["mode"], "metric": metric, "more": modes.get(one["mode"])}


def _jmh_runs(text: str) -> Iterator[Execution]:
    words = {"thrpt": "throughput", "avgt": "average time", "sample": "sampled time",
             "ss": "single shot time"}  # fmt: skip
    try:
        figures = [
            Figure(f"{name} {words.get(one['mode'], one['mode'])}", score,
                   one["metric"]["scoreUnit"], one["more"])
            for name, one in _jmh(_json(text))
            if (score := number(one["metric"]["score"])) is not None
        ]  # fmt: skip
    except (AttributeError, KeyError, TypeError):
        raise FaultError("looks like an output of JMH, but is built otherwise") from None
    yield Execution(figures)


def _google_benchmark(text: str) -> Iterator[Execution]:
    document = _json(text)
    try:
        entries = document["benchmarks"]
        summed = {e.get("run_name") for e in entries if e.get("aggregate_name") == "mean"}
        figures = []
        for entry in entries:
            kind = entry.get("aggregate_name")
            if kind not in (None, "mean") or (kind is None and entry.get("run_name") in summed):
                continue
            name = str(entry.get("run_name", entry["name"]))
            unit = str(entry.get("time_unit", "ns"))
            for key, title, of in (
                ("real_time", "time", unit), ("cpu_time", "CPU time", unit),
                ("items_per_second", "items per second", "1/s"),
                ("bytes_per_second", "bytes per second", "B/s"),
            ):  # fmt: skip
                if (value := number(entry.get(key))) is not None:
                    figures.append(Figure(f"{name} {title}", value, of))
    except (AttributeError, KeyError, TypeError):
        raise FaultError(
            "looks like an output of Google Benchmark, but is built otherwise"
        ) from None
    yield Execution(figures, moment(document["context"].get("date")))


def _windows(document: Any) -> Iterator[Named]:
    """Yield OpenMessaging's figures; rates are means of their windows."""
    rates = {
        key: sum(values) / len(values)
        for key in ("publishRate", "consumeRate")
        if (values := [v for v in document.get(key, []) if number(v) is not None])
    }
    yield "", {**{k: v for k, v in document.items() if k.startswith("aggregated")}, **rates}


def _not_a_result(instead: str) -> Callable[[str], Iterable[Execution]]:
    """Return a reader that refuses what a tool writes while it runs."""

    def read(text: str) -> Iterable[Execution]:
        raise FaultError(f"the course of a run, not its result: give {instead} instead")

    return read


TOOLS = (
    Tool(
        "k6", (r'"metrics"\s*:', r'"(?:http_reqs|iterations|iteration_duration)"\s*:'),
        (Where("trend/p(*)", "{}", "ms"), Where("trend/avg", "mean", "ms"),
         Where("trend/med", "p50", "ms"), Where("rate", "per second", "1/s"),
         Where("failed", "failed HTTP requests", "%", 100, False)),
        _k6,
        seconds=lambda d: (number(d.get("state", {}).get("testRunDurationMs")) or 0) / 1000 or None,
    ),
    Tool("k6", (r"^\s*http_reqs\.{2,}:", r"^\s*(?:http_req_duration|iterations)\.{2,}:"),
         read=k6_console),
    Tool("JMeter", (r"^timeStamp,elapsed,label,(?:.*,)?success",), read=jtl),
    Tool(
        "JMeter", (r'"sampleCount"\s*:', r'"pct1ResTime"\s*:'),
        (Where("throughput", "requests per second", "1/s"), Where("errorPct", "errors", "%"),
         Where("meanResTime", "mean", "ms"), Where("medianResTime", "p50", "ms"),
         Where("pct1ResTime", "p90", "ms"), Where("pct2ResTime", "p95", "ms"),
         Where("pct3ResTime", "p99", "ms")),
        _transactions,
    ),
    Tool("Locust", (r"^\"?Timestamp\"?,\"?User Count\"?,",),
         read=_not_a_result("the file that ends in _stats.csv")),
    Tool("k6", (r'\A\s*(?:metric_name,timestamp,|\{"type":"Metric"|\{"metric":"[^"]*","type":)',),
         read=_not_a_result("the file of --summary-export")),
    Tool("Locust", (r"^\"?Type\"?,\"?Name\"?,\"?Request Count", r"Requests/s"), read=locust),
    Tool(
        "Gatling", (r'"numberOfRequests"\s*:', r'"percentiles1"\s*:'),
        (Where("meanNumberOfRequestsPerSecond/total", "requests per second", "1/s"),
         Where("numberOfRequests/ko", "failed requests", "count"),
         Where("meanResponseTime/ok", "mean", "ms"), Where("percentiles1/ok", "p50", "ms"),
         Where("percentiles2/ok", "p75", "ms"), Where("percentiles3/ok", "p95", "ms"),
         Where("percentiles4/ok", "p99", "ms")),
        _gatling,
    ),
    Tool(
        "vegeta", (r'"latencies"\s*:', r'"status_codes"\s*:', r'"wait"\s*:'),
        (Where("throughput", "successful requests per second", "1/s"),
         Where("rate", "requests per second", "1/s"),
         Where("success", "successful requests", "%", 100, True),
         Where("latencies/mean", "mean", "ms", 1e-6), Where("latencies/*th", "{}", "ms", 1e-6)),
        lambda d: [("", d)] if d.get("requests") != 0 else [],
        start=lambda d: d.get("earliest"),
        seconds=lambda d: (number(d.get("duration")) or 0) / 1e9 or None,
    ),
    Tool("wrk", (r"^\s*Running .+ test @ ", r"Thread Stats"), read=wrk),
    Tool(
        "fio", (r'"fio version"\s*:', r'"jobs"\s*:'),
        (Where("iops", "IOPS", "1/s"), Where("bw_bytes", "bandwidth", "MB/s", 2.0**-20),
         Where("lat_ns/mean", "mean latency", "us", 1e-3),
         Where("clat_ns/percentile/*", "completion latency {}", "us", 1e-3)),
        _fio,
        start=lambda d: d.get("timestamp_ms", d.get("timestamp")),
    ),
    Tool(
        "iperf3", (r'"start"\s*:', r'"connected"\s*:|"test_start"\s*:', r'"intervals"\s*:'),
        (Where("received/bits_per_second", "received", "Mb/s", 1e-6, True),
         Where("sent/retransmits", "retransmits", "count"),
         Where("udp/jitter_ms", "jitter", "ms"), Where("udp/lost_percent", "lost packets", "%")),
        _iperf3,
        start=lambda d: d["start"]["timestamp"]["timesecs"],
        seconds=lambda d: (d["end"].get("sum_received") or d["end"].get("sum", {})).get("seconds"),
    ),
    Tool(
        "OpenMessaging Benchmark", (r'"publishRate"\s*:', r'"consumeRate"\s*:'),
        (Where("publishRate", "publish rate", "1/s", more_is_better=True),
         Where("consumeRate", "consume rate", "1/s", more_is_better=True),
         Where("aggregatedPublishLatencyAvg", "publish latency mean", "ms"),
         Where("aggregatedPublishLatency50pct", "publish latency p50", "ms"),
         Where("aggregatedPublishLatency95pct", "publish latency p95", "ms"),
         Where("aggregatedPublishLatency99pct", "publish latency p99", "ms"),
         Where("aggregatedEndToEndLatencyAvg", "end-to-end latency mean", "ms"),
         Where("aggregatedEndToEndLatency50pct", "end-to-end latency p50", "ms"),
         Where("aggregatedEndToEndLatency95pct", "end-to-end latency p95", "ms"),
         Where("aggregatedEndToEndLatency99pct", "end-to-end latency p99", "ms"),
         Where("aggregatedPublishDelayLatencyAvg", "publish delay mean", "us"),
         Where("aggregatedPublishDelayLatency99pct", "publish delay p99", "us")),
        _windows,
    ),
    Tool("RabbitMQ PerfTest", (r"^id: [^,]+, (?:sending|receiving) rate avg: ",), read=perf_test),
    Tool("Kafka producer", (r"\d+ records sent, [\d.]+ records/sec \(",), read=kafka_producer),
    Tool("Kafka consumer", (r"^start\.time, end\.time, data\.consumed\.in\.MB",),
         read=kafka_consumer),
    Tool(
        "hyperfine", (r'"results"\s*:', r'"command"\s*:', r'"stddev"\s*:'),
        (Where("mean", "mean", "s"), Where("median", "p50", "s"),
         Where("user", "user CPU time", "s"), Where("system", "system CPU time", "s")),
        _hyperfine,
    ),
    Tool("JMH", (r'"benchmark"\s*:', r'"primaryMetric"\s*:'), read=_jmh_runs),
    Tool(
        "pytest-benchmark", (r'"machine_info"\s*:',),
        (Where("stats/mean", "mean", "s"), Where("stats/median", "p50", "s"),
         Where("stats/ops", "operations per second", "1/s")),
        lambda d: ((b.get("fullname") or b["name"], b) for b in d["benchmarks"]),
        start=lambda d: f"{d['datetime']}+00:00" if "+" not in d["datetime"] else d["datetime"],
    ),
    Tool("Google Benchmark", (r'"context"\s*:', r'"benchmarks"\s*:', r'"num_cpus"\s*:'),
         read=_google_benchmark),
    Tool("go test", (r"^Benchmark\S+\s+\d+\s+[\d.]+ ns/op",), read=go),
)  # fmt: skip
