"""Declarations of tools: how an output is recognised and where its figures stand.

One engine reads them all (`executions`). A file is one run, unless it has several: documents one
after another, entries with surroundings of their own (package, threads), repetitions of an entry.
Metrics bear the name of what was measured, if a file has more than one: "GET /api p95". Readers say
what failed, and how much; what is kept of that is decided in one place (`results.runs_of`).

Facts: real outputs in public repositories, and the sources that print them. k6's summary export has
the figures in a metric itself, handleSummary in `values`; `passes` of a rate counts what is true,
so those of http_req_failed are failures. JMeter writes NaN and Infinity as texts. iperf3's receiver
counts what arrived; on a server sum_sent is 0. OpenMessaging gives latencies in ms and the delay of
publishing in us. pytest-benchmark 2 has no ops. JMH's params are part of a benchmark's name. fio
without group_reporting lists each of a job's processes. Before 3.10, iperf3 has only what was sent
by UDP, and how much of that was lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ingest.formats.bench.printed import (
    fio_jobs,
    go,
    jtl,
    jtl_xml,
    k6_console,
    kafka_consumer,
    kafka_producer,
    moment,
    number,
    percentile,
    perf_test,
    plain,
    reports,
    summariser,
    vegeta,
    wrk,
)
from ingest.formats.bench.results import Entry, Execution, Figure, runs_of
from ingest.formats.bench.values import FaultError
from ingest.formats.text.parser import Rejected

__all__ = ["TOOLS", "Tool", "find_tool"]


class Named(NamedTuple):
    """What was measured: name, the tree of its figures, why it failed, and its surroundings."""

    name: str
    values: Any
    failed: str = ""
    context: Mapping[str, object] = {}


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
    entries: Callable[[Any], Iterable[Named]] = lambda document: [Named("", document)]
    start: Callable[[Any], object] = lambda document: None
    seconds: Callable[[Any], object] = lambda document: None
    labels: Callable[[Any], Mapping[str, object]] = lambda document: {}
    document: Callable[[str], Any] | None = None  # of what is not JSON, the same tree
    read: Callable[[str], Iterable[Execution]] | None = None  # of what is no tree

    def executions(self, content: bytes) -> list[Execution]:
        """Return the runs of an output, and those that failed as a whole. Raises FaultError."""
        try:
            text = plain(content.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise FaultError("not UTF-8", line) from None
        try:
            found = list(self.read(text) if self.read else self._of_documents(text))
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            if isinstance(error, FaultError):
                raise
            raise FaultError(
                f"looks like an output of {self.name}, but is built otherwise"
            ) from None
        found = [one for one in found if one.figures or one.rejected]
        if not found:
            raise FaultError(f"an output of {self.name} without figures: was it cut short?")
        return found

    def _of_documents(self, text: str) -> Iterator[Execution]:
        documents = [(self.document(text), 1)] if self.document else _documents(text)
        for document, line in documents:
            if isinstance(document, FaultError):
                yield Execution([], line=line, rejected=[Rejected(document.line, str(document))])
                continue
            entries = [
                Entry(
                    of.name,
                    [f for where in self.figures for f in _found(where, of.values)],
                    of.failed,
                    of.context,
                )
                for of in self.entries(document)
            ]
            yield from runs_of(
                (entry for entry in entries if entry.figures or entry.failed),
                moment(self.start(document)), number(self.seconds(document)), line,
                self.labels(document),
            )  # fmt: skip


def find_tool(head: str) -> Tool | None:
    """Return the first tool whose marks are all in the beginning of a text."""
    text = plain(head)
    return next(
        (t for t in TOOLS if all(re.search(mark, text, re.MULTILINE) for mark in t.marks)), None
    )


def _documents(text: str) -> Iterator[tuple[Any, int]]:
    """Yield the JSON documents in a text, which may have other lines between them, and their lines.

    One that is cut short is a fault: it is raised if it is the first, and yielded otherwise.
    """
    begins, stop, count = re.compile(r"^\s*[{\[]", re.MULTILINE), 0, 0
    while found := begins.search(text, stop):
        at, line = found.end() - 1, text.count("\n", 0, found.end()) + 1
        try:
            document, stop = json.JSONDecoder().raw_decode(text, at)
        except json.JSONDecodeError as error:
            fault = FaultError(f"not JSON: {error.msg}; was the file cut short?", error.lineno)
            if not count:
                raise fault from None
            yield fault, line
            return
        except (RecursionError, ValueError) as error:
            raise FaultError(f"cannot be read: {error}") from None
        count += 1
        yield document, line if count > 1 else 1


def _found(where: Where, entry: Any) -> Iterator[Figure]:
    for matched, value in _walk(entry, where.path.split("/")):
        figure = number(value)
        if figure is not None:
            metric, unit = where.metric.format(percentile(matched)), where.unit
            if unit.startswith("*"):  # the entry says it
                unit = entry[unit[1:]]
            yield Figure(metric, round(figure * where.factor, 12), unit, where.more_is_better)


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


_TIMES = re.compile(r"duration|latency|time|wait|delay|_ms$")


def _k6(document: Any) -> Iterator[Named]:
    metrics = document["metrics"]
    counts = {
        name: of.get("values", of).get("count")
        for name, of in metrics.items()
        if name in ("http_reqs", "iterations")
    }
    idle = {name for name, count in counts.items() if count == 0}
    if counts and idle == counts.keys():
        yield Named("", {}, "nothing was done")
        return
    whole: dict[str, Any] = {}
    trends = []
    for name, metric in metrics.items():
        values = metric.get("values", metric)
        if name in idle or (name.startswith("http_req_") and "http_reqs" in idle):
            continue
        if name == "http_req_failed":
            whole[name] = values.get("value", values.get("rate"))
        elif name in ("http_req_duration", "iteration_duration", "http_reqs", "iterations"):
            whole[name] = values
        elif not name.startswith(("http_", "group_")) and "p(95)" in values:
            is_time = metric.get("contains", "time" if _TIMES.search(name) else "") == "time"
            trends.append(Named(name, {"trend": values, "unit": "ms" if is_time else "1"}))
    yield Named("", whole)
    yield from trends


def _trend(path: str, title: str, unit: str) -> tuple[Where, ...]:
    keys = (("p(*)", "{}"), ("avg", "mean"), ("med", "p50"))
    return tuple(Where(f"{path}/{key}", f"{title} {name}".strip(), unit) for key, name in keys)


def _transactions(document: Any) -> Iterator[Named]:
    for name, entry in document.items():
        if entry["sampleCount"]:
            yield Named("" if name == "Total" else name or "(no label)", entry)


def _gatling(document: Any) -> Iterator[Named]:
    def walk(node: Any, names: list[str]) -> Iterator[Named]:
        stats = node["stats"]
        count = stats["numberOfRequests"]
        requests, failed = number(count.get("total")), number(count.get("ko"))
        share = {"errors": 100 * (failed or 0) / requests} if requests else {}
        yield Named(" / ".join(names), {**stats, **share})
        for child in node.get("contents", {}).values():
            yield from walk(child, [*names, str(child["name"])])

    return walk(document if "stats" in document else {"stats": document}, [])


def _fio(document: Any) -> Iterator[Named]:
    jobs = document["jobs"]
    names = {job["jobname"] for job in jobs}
    parts: dict[tuple[object, ...], list[Any]] = {}
    for job in jobs:
        prefix = str(job["jobname"]) if len(names) > 1 else ""
        if job.get("error"):
            yield Named(prefix, {}, f"fio's error {job['error']}")
            continue
        for way in ("read", "write", "trim"):
            if way in job and job[way].get("total_ios", job[way].get("io_bytes")):
                key = job.get("groupid", 0), f"{prefix} {way}".strip()
                parts.setdefault(key, []).append(job[way])
    for (_, name), of in parts.items():
        yield Named(name, _added([_of_today(part) for part in of]))


def _of_today(part: Any) -> Any:
    """Return the figures of fio 2 as those of fio 3: KB/s as B/s, us as ns."""
    if "bw_bytes" in part or "bw" not in part:
        return part
    spread = part.get("clat", {}).get("percentile", {})
    return part | {
        "bw_bytes": 1024 * part["bw"],
        "lat_ns": {"mean": 1000 * part["lat"]["mean"]} if "lat" in part else {},
        "clat_ns": {"percentile": {share: 1000 * value for share, value in spread.items()}},
    }


def _added(parts: list[Any]) -> Any:
    """Return the figures of processes of one job: rates add up, and percentiles do not."""
    if len(parts) == 1:
        return parts[0]
    total = sum(part.get("total_ios", 1) for part in parts)
    means = [part.get("lat_ns", {}).get("mean", 0) * part.get("total_ios", 1) for part in parts]
    rates = {key: sum(p[key] for p in parts) for key in ("iops", "bw_bytes") if key in parts[0]}
    return rates | {"lat_ns": {"mean": sum(means) / total}}


def _iperf3(document: Any) -> Iterator[Named]:
    end = document["end"]
    if "error" in document:
        yield Named("", {}, f"iperf3 failed: {str(document['error'])[:200]}")
        return
    for name, suffix in (("", ""), ("reverse", "_bidir_reverse")):
        sent, sums = end.get(f"sum_sent{suffix}", {}), end.get(f"sum{suffix}", {})
        received = end.get(f"sum_received{suffix}")
        if not received and (rate := number(sums.get("bits_per_second"))) is not None:
            kept = 1 - (number(sums.get("lost_percent")) or 0) / 100
            received = {"bits_per_second": rate * kept}
        if received:
            yield Named(name, {"received": received, "sent": sent, "udp": sums})


def _hyperfine(document: Any) -> Iterator[Named]:
    for one in document["results"]:
        parameters = one.get("parameters") or {}
        named = [f"{key}={value}" for key, value in parameters.items()]
        codes = sorted({code for code in one.get("exit_codes") or [] if code != 0}, key=str)
        failed = f"it ended with status {', '.join(map(str, codes))}" if codes else ""
        name = " ".join([one["command"], *(n for n in named if n not in one["command"])])
        yield Named(name, one, failed)


_MODES = {"thrpt": ("throughput", True), "avgt": ("average time", False),
          "sample": ("sampled time", False), "ss": ("single shot time", False)}  # fmt: skip


def _jmh(document: Any) -> Iterator[Named]:
    for one in document:
        package, _, name = one["benchmark"].rpartition(".")
        package, _, of = package.rpartition(".")
        params = ", ".join(f"{k}={v}" for k, v in sorted((one.get("params") or {}).items()))
        mode, _ = _MODES[one["mode"]]
        # A regression of an update of the JDK is to be seen, so only its release counts.
        jdk = re.sub(r"^1\.", "", str(one.get("jdkVersion", ""))).split(".")[0]
        context = {"package": package, "threads": one.get("threads"), "jdk": jdk}
        metric = one["primaryMetric"]
        title = f"{of}.{name} ({params}) {mode}" if params else f"{of}.{name} {mode}"
        values = {mode: metric["score"], "unit": metric["scoreUnit"]}
        yield Named(title, values, context={k: v for k, v in context.items() if v})


def _google_benchmark(document: Any) -> Iterator[Named]:
    entries = document["benchmarks"]
    summed = {e.get("run_name") for e in entries if e.get("aggregate_name") == "mean"}
    for entry in entries:
        kind = entry.get("aggregate_name")
        if kind not in (None, "mean") or (kind is None and entry.get("run_name") in summed):
            continue
        failed = str(entry.get("error_message") or "") if entry.get("error_occurred") else ""
        name = str(entry.get("run_name", entry["name"]))
        yield Named(name, {"time_unit": "ns", **entry}, failed)


def _windows(document: Any) -> Iterator[Named]:
    """Yield OpenMessaging's figures; rates are means of their windows."""
    rates = {
        key: sum(values) / len(values)
        for key in ("publishRate", "consumeRate")
        if (values := [v for v in document.get(key, []) if number(v) is not None])
    }
    values = {**{k: v for k, v in document.items() if k.startswith("aggregated")}, **rates}
    yield Named("", values, "" if any(rates.values()) else "no message was sent or received")


def _not_a_result(instead: str) -> Callable[[str], Iterable[Execution]]:
    """Return a reader that refuses what a tool writes while it runs."""

    def read(text: str) -> Iterable[Execution]:
        raise FaultError(f"the course of a run, not its result: give {instead} instead")

    return read


_FIO = (
    Where("iops", "IOPS", "1/s"), Where("bw_bytes", "bandwidth", "MB/s", 2.0**-20),
    Where("lat_ns/mean", "mean latency", "us", 1e-3),
    Where("clat_ns/percentile/*", "completion latency {}", "us", 1e-3),
)  # fmt: skip
TOOLS = (
    Tool(
        "k6", (r'"metrics"\s*:', r'"(?:http_reqs|iterations|iteration_duration)"\s*:'),
        (*_trend("http_req_duration", "HTTP request", "ms"),
         Where("http_reqs/rate", "HTTP requests per second", "1/s"),
         *_trend("iteration_duration", "iteration", "ms"),
         Where("iterations/rate", "iterations per second", "1/s"),
         Where("http_req_failed", "failed HTTP requests", "%", 100, False),
         *_trend("trend", "", "*unit")),
        _k6,
        seconds=lambda d: (number(d.get("state", {}).get("testRunDurationMs")) or 0) / 1000 or None,
    ),
    Tool("k6", (r"^\s*http_reqs\.{2,}:", r"^[\s✓✗]*(?:http_req_duration|iterations)\.{2,}:"),
         read=k6_console),
    Tool("JMeter", (r"^timeStamp([,;\t|])elapsed\1label\1(?:.*\1)?success",), read=jtl),
    Tool("JMeter", (r"\A\d{13}([,;\t|])\d+\1[^\n]*\1(?:true|false)\1",), read=jtl),
    Tool("JMeter", (r"<testResults\b", r"<(?:httpS|s)ample "), read=jtl_xml),
    Tool("JMeter", (r"^Label[,;\t]# Samples[,;\t]Average[,;\t]",), read=reports),
    Tool("JMeter", (r"^\w+ =\s*\d+ in .*/s Avg:",), read=summariser),
    Tool(
        "JMeter", (r'"sampleCount"\s*:', r'"pct1ResTime"\s*:'),
        (Where("throughput", "requests per second", "1/s"), Where("errorPct", "errors", "%"),
         Where("meanResTime", "mean", "ms"), Where("medianResTime", "p50", "ms"),
         *(Where(f"pct{at}ResTime", f"percentile {at}", "ms") for at in (1, 2, 3))),
        _transactions,
    ),
    Tool("Locust", (r"^\"?Timestamp\"?,\"?User Count\"?,",),
         read=_not_a_result("the file that ends in _stats.csv")),
    Tool("k6", (r'\A\s*(?:metric_name,timestamp,|\{"type":"Metric"|\{"metric":"[^"]*","type":)',),
         read=_not_a_result("the file of --summary-export")),
    Tool("Locust", (r"^\"?(?:Type|Method)\"?,\"?Name\"?,\"?(?:Request Count|# requests)",
                    r"Requests/s"), read=reports),
    Tool("Locust", (r'^"?(?:Method"?,"?Name"?,"?Error"?,"?Occ|Count"?,"?Message"?,"?Traceb)',),
         read=_not_a_result("the file that ends in _stats.csv")),
    Tool(
        "Gatling", (r'"numberOfRequests"\s*:', r'"percentiles1"\s*:'),
        (Where("meanNumberOfRequestsPerSecond/total", "requests per second", "1/s"),
         Where("numberOfRequests/ko", "failed requests", "count"), Where("errors", "errors", "%"),
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
        lambda d: [Named("", d)] if d.get("requests") != 0 else [],
        start=lambda d: d.get("earliest"),
        seconds=lambda d: (number(d.get("duration")) or 0) / 1e9 or None,
    ),
    Tool("vegeta", (r"^Requests\s+\[total, ", r"^Latencies\s+\["), read=vegeta),
    Tool("wrk", (r"^\s*Running .+ test @ ", r"Thread Stats"), read=wrk),
    Tool(
        "fio", (r'"fio version"\s*:', r'"jobs"\s*:'),
        _FIO,
        _fio,
        start=lambda d: d.get("timestamp_ms", d.get("timestamp")),
    ),
    Tool("fio", (r"^\S.*: \(groupid=\d+, jobs=\d+\): err=",), _FIO, _fio,
         document=lambda text: {"jobs": fio_jobs(text)}),
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
    Tool("Kafka producer", (r"\d+ records sent, [\d.,]+ records/sec \(",), read=kafka_producer),
    Tool("Kafka consumer", (r"^start\.time, end\.time, data\.consumed\.in\.MB",),
         read=kafka_consumer),
    Tool(
        "hyperfine", (r'"results"\s*:', r'"command"\s*:', r'"stddev"\s*:'),
        (Where("mean", "mean", "s"), Where("median", "p50", "s"),
         Where("user", "user CPU time", "s"), Where("system", "system CPU time", "s")),
        _hyperfine,
    ),
    Tool(
        "JMH", (r'"benchmark"\s*:', r'"primaryMetric"\s*:'),
        tuple(Where(mode, "", "*unit", 1, more) for mode, more in _MODES.values()),
        _jmh,
    ),
    Tool(
        "pytest-benchmark", (r'"machine_info"\s*:',),
        (Where("stats/mean", "mean", "s"), Where("stats/median", "p50", "s"),
         Where("stats/ops", "operations per second", "1/s")),
        lambda d: (Named(b.get("fullname") or b["name"], b) for b in d["benchmarks"]),
        start=lambda d: f"{d['datetime']}+00:00" if "+" not in d["datetime"] else d["datetime"],
        labels=lambda d: {"git_revision": of["id"]} if (of := d.get("commit_info") or {}).get("id")
        else {},
    ),
    Tool(
        "Google Benchmark", (r'"context"\s*:', r'"benchmarks"\s*:', r'"num_cpus"\s*:'),
        (Where("real_time", "time", "*time_unit"), Where("cpu_time", "CPU time", "*time_unit"),
         Where("items_per_second", "items per second", "1/s"),
         Where("bytes_per_second", "bytes per second", "B/s")),
        _google_benchmark,
        start=lambda d: d["context"].get("date"),
    ),
    Tool("go test", (r"^\{\"Time\":.*\"Output\":\s*\"Benchmark",), read=go),
    Tool("go test", (r"^(?:--- FAIL: )?Benchmark\S+\s", r"[\d.]+ ns/op|^FAIL\b"), read=go),
)  # fmt: skip
