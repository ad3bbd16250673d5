"""The tools whose outputs are read: a declaration each (ingest.formats.bench.forms).

A file is one run, unless it has several: documents one after another, entries with surroundings of
their own (package, threads), repetitions of an entry. Metrics bear the name of what was measured,
if a file has more than one thing: "GET /api p95". Readers say what failed, and how much; what is
kept of that is decided in one place (`results.runs_of`).

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
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ingest.formats.bench.forms import Named, Tool
from ingest.formats.bench.printed import (
    benchstat,
    fio_jobs,
    go,
    jtl,
    jtl_xml,
    number,
    plain,
    rows,
)
from ingest.formats.bench.results import Execution
from ingest.formats.bench.samples import MARKS, means
from ingest.formats.bench.values import FaultError
from ingest.formats.plugin import plugins

__all__ = ["TOOLS", "find_tool"]

_Text = partial(Tool, is_text=True)


def find_tool(head: str) -> Tool | None:
    """Return the first tool whose marks are all in the beginning of a text."""
    text = plain(head)
    return next(
        (
            tool
            for tool in (*TOOLS, *(tool for plugin in plugins() for tool in plugin.tools))
            if all(re.search(mark, text, re.MULTILINE) for mark in tool.marks)
        ),
        None,
    )


# --- JSON -------------------------------------------------------------------------------------


_TIMES = re.compile(r"duration|latency|time|wait|delay|_ms$")


def _k6(document: Any) -> Iterator[Named]:
    metrics = document["metrics"]
    counts = {
        name: figures.get("values", figures).get("count")
        for name, figures in metrics.items()
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


def _transactions(document: Any) -> Iterator[Named]:
    for name, entry in document.items():
        if entry["sampleCount"]:
            yield Named("" if name == "Total" else name or "(no label)", entry)


def _reports(document: Any) -> Iterator[Named]:
    for row in document:
        cells = {key.lower(): number(value) for key, value in row.items() if key != "100%"}
        done, failed = (
            next((cells[name] for name in names if name in cells), None)
            for names in (("request count", "# requests", "# samples"),
                          ("failure count", "# failures"))
        )  # fmt: skip
        way, name = (
            next((str(row[key] or "").strip() for key in keys if key in row), "")
            for keys in (("Type", "Method"), ("Name", "Label"))
        )
        if done and failed is not None:
            cells["errors"] = 100 * failed / done
        if done != 0:  # a mean of 0 ms is none
            is_all = name in ("Aggregated", "TOTAL", "Total")
            yield Named("" if is_all else f"{way} {name}".strip(), cells)


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
    parts: dict[tuple[object, str], list[Any]] = {}
    for job in jobs:
        prefix = str(job["jobname"]) if len(names) > 1 else ""
        if job.get("error"):
            yield Named(prefix, {}, f"fio's error {job['error']}")
            continue
        for way in ("read", "write", "trim"):
            if way in job and job[way].get("total_ios", job[way].get("io_bytes")):
                key = job.get("groupid", 0), f"{prefix} {way}".strip()
                parts.setdefault(key, []).append(job[way])
    for (_, name), figures in parts.items():
        yield Named(name, _add_processes(figures))


def _add_processes(parts: list[Any]) -> Any:
    """Return the figures of processes of one job: rates add up, and percentiles do not."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    latency = "lat_ns" if "lat_ns" in first else "lat"
    total = sum(part.get("total_ios", 1) for part in parts)
    means = [part.get(latency, {}).get("mean", 0) * part.get("total_ios", 1) for part in parts]
    rates = {
        key: sum(part[key] for part in parts) for key in ("iops", "bw_bytes", "bw") if key in first
    }
    return rates | {latency: {"mean": sum(means) / total}}


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


def _last_events(text: str) -> dict[str, Any]:
    """Return the last of each event that iperf3 wrote line by line, as its JSON has them."""
    events = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return {"end": {}} | {event["event"]: event["data"] for event in events}


def _hyperfine(document: Any) -> Iterator[Named]:
    for result in document["results"]:
        parameters = result.get("parameters") or {}
        named = [f"{key}={value}" for key, value in parameters.items()]
        code = next((code for code in result.get("exit_codes") or [] if code != 0), 0)
        failed = f"it ended with status {code}" if code != 0 else ""
        name = " ".join([result["command"], *(n for n in named if n not in result["command"])])
        yield Named(name, result, failed)


_MODES = {"thrpt": "throughput", "avgt": "average time", "sample": "sampled time",
          "ss": "single shot time"}  # fmt: skip


def _jmh(document: Any) -> Iterator[Named]:
    for entry in document:
        package, _, name = entry["benchmark"].rpartition(".")
        package, _, method = package.rpartition(".")
        params = ", ".join(f"{k}={v}" for k, v in sorted((entry.get("params") or {}).items()))
        mode = _MODES[entry["mode"]]
        # A regression of an update of the JDK is to be seen, so only its release counts.
        jdk = re.sub(r"^1\.", "", str(entry.get("jdkVersion", ""))).split(".")[0]
        context = {"package": package, "threads": entry.get("threads"), "jdk": jdk}
        metric = entry["primaryMetric"]
        title = f"{method}.{name} ({params}) {mode}" if params else f"{method}.{name} {mode}"
        values = {entry["mode"]: metric["score"], "unit": metric["scoreUnit"]}
        yield Named(title, values, context={k: v for k, v in context.items() if v})


def _google_benchmark(document: Any) -> Iterator[Named]:
    entries = document["benchmarks"]
    summed = {e.get("run_name") for e in entries if e.get("aggregate_name") == "mean"}
    for entry in entries:
        kind = entry.get("aggregate_name")
        if kind not in (None, "mean") or (kind is None and entry.get("run_name") in summed):
            continue
        failed = str(entry.get("error_message", "error")) if entry.get("error_occurred") else ""
        name = str(entry.get("run_name", entry["name"]))
        yield Named(name, {"time_unit": "ns", **entry}, failed)


def _windows(document: Any) -> Iterator[Named]:
    """Yield OpenMessaging's figures; rates are means of their windows."""
    rates = {
        key: sum(values) / len(values)
        for key in ("publishRate", "consumeRate")
        if (values := [v for v in document.get(key, []) if number(v) is not None])
    }
    yield Named("", document | rates)


def _wrk(text: str) -> str:
    """Return what wrk printed: the rate of successes, the sum of errors, and uncorrected times."""
    text = re.sub(
        r"(\d+)( requests in (?:(?! *Running).*\n)*? *Non-2xx or 3xx responses: )(\d+)"
        r"((?:\n(?! *Running).*)*?Requests/sec: +)([\d.]+)",
        lambda groups: (
            "".join(groups.groups()[:4])
            + f"{float(groups[5]) * (1 - int(groups[3]) / int(groups[1])):.2f}"
        ),
        text,
    )
    text = re.sub(
        r"(?:^ *(?:Socket errors|Non-2xx or 3xx responses):.*\n?)+",
        lambda match: f"Errors: {sum(map(int, re.findall(r'(?<= )[0-9]+(?!x)', match[0])))}\n",
        text,
        flags=re.MULTILINE,
    )
    return re.sub(
        r"Uncorrected Latency\b.*(?:\n *[\d.]+% .*)+",
        lambda match: re.sub(r"\n *", "\nuncorrected ", match[0]),
        text,
    )


def _hey(text: str) -> str:
    """Return what hey or oha printed, with the share of responses that are no success."""

    def counted(match: re.Match[str]) -> str:
        codes = [(code, int(count)) for code, count in re.findall(r"\[(\S+)\]\s+(\d+)", match[1])]
        failed = sum(count for code, count in codes if not re.match(r"[23]|OK", code))
        return f"Failed: {100 * failed / max(1, sum(count for _, count in codes))}%\n"

    return re.sub(r"^ *Status code distribution:((?:\s*\[.*)+)", counted, text, flags=re.MULTILINE)


def _asv(text: str) -> str:
    """Return what asv printed, with a line for each value of its tables of parameters."""
    rows, name, heads = [], "", list[str]()
    for row in text.splitlines():
        cells = re.split(r" {2,}", row.strip())
        values = [cell for cell in cells if "±" in cell or cell == "n/a"]
        if match := re.match(r"\[ *[\d.]+%\] ·+ (\S+) +ok$", row):
            name = match[1]
        elif name and values and not row.startswith("["):
            units_of_values = heads[-len(values) :] if len(heads) == len(cells) else [""]
            for value, head in zip(values, units_of_values, strict=False):
                given = filter(None, [*cells[: -len(values)], head])
                rows.append(f"[1%] ·· {name}({','.join(given)}) {value}")
        elif not re.search("={3}|-{3}", row):
            heads = cells
        rows.append(row)
    return "\n".join(rows)


def _autocannon(document: Any) -> Iterator[Named]:
    done = document["requests"]["total"]
    failed = sum(number(document.get(key)) or 0 for key in ("errors", "timeouts", "non2xx"))
    yield Named("", document | {"errors": 100 * failed / max(done, failed, 1)})


def _artillery(document: Any) -> Iterator[Named]:
    totals = document["aggregate"]
    counts = dict(totals.get("counters", {}))
    for name, field in (("http.codes", "codes"), ("errors", "errors")):  # of 1.x
        counts |= {f"{name}.{key}": count for key, count in totals.get(field, {}).items()}
    failed = sum(n for key, n in counts.items() if re.match(r"errors\.|http\.codes\.[45]", key))
    done = counts.get("http.requests", totals.get("requestsCompleted", 0))
    users = counts.get("vusers.failed", 0) / max(1, counts.get("vusers.created", 0))
    yield Named("", totals | {"errors": 100 * max(failed / max(1, done, failed), users)})


def _dotnet(document: Any) -> Iterator[Named]:
    for entry in document["Benchmarks"]:
        statistics = entry.get("Statistics")
        name = (
            entry.get("FullName") or f"{entry['Type']}.{entry['Method']}({entry['Parameters']})"
        )  # or 0.9
        yield Named(name.replace("()", ""), entry, "" if statistics else "it has no statistics")


def _not_a_result(instead: str) -> Callable[[str], Iterable[Execution]]:
    """Return a reader that refuses what a tool writes while it runs."""

    def read(text: str) -> Iterable[Execution]:
        raise FaultError(f"the course of a run, not its result: give {instead} instead")

    return read


def _trend(path: str, title: str, unit: str) -> tuple[str, ...]:
    keys = {"{}": "p(*)", "mean": "avg", "p50": "med"}
    return tuple(f"{title}{name} [{unit}] = {path}/{key}" for name, key in keys.items())


#: How a table of JMH begins -> one of its rows, in text and in CSV.
_JMH_ROWS = {
    r"^Benchmark +.*Mode +(?:Cnt|Samples) +Score": r"^(?P<of>[\w.$:·-]+(?: +\S+)*?) +{} +"
    r"(?:\d+ +)?{{n}}(?: +(?:± *)?[\d.,]+)? +(?P<u>[a-zµ]+/[a-zµ]+)$",
    '^"Benchmark","Mode","Threads"': r'^"(?:\w+\.)*(?P<of>\w+\.\w+)","{}",\d+,\d+,{{n}},[^,]*,'
    r'"(?P<u>[^"]+)"(?:,(?P<of2>.*))?$',
}  # fmt: skip
_FIO = (  # and fio 2 after fio 3
    "IOPS [1/s] = iops",
    f"bandwidth [MB/s] = bw_bytes * {2.0**-20}",
    f"bandwidth [MB/s] = bw * {2.0**-10}",
    "mean latency [us] = lat_ns/mean * 1e-3",
    "mean latency [us] = lat/mean",
    "completion latency {} [us] = clat_ns/percentile/* * 1e-3",
    "completion latency {} [us] = clat/percentile/*",
    "start [] = timestamp_ms",
)
_IPERF3 = (
    "received [Mb/s, more] = received/bits_per_second * 1e-6",
    "retransmits [count] = sent/retransmits",
    "jitter [ms] = udp/jitter_ms",
    "lost packets [%] = udp/lost_percent",
    "start [] = start/timestamp/timesecs",
    "seconds [s] = end/sum/seconds",
    "seconds [s] = end/sum_received/seconds",
)
_REPORTS = (
    "requests per second [1/s] = throughput", "requests per second [1/s] = requests per s",
    *(f"{name} [ms] = {column}" for name, columns in (
        ("mean", ("average", "average response time")), ("{}", ("*%", "*% line")),
        ("p50", ("median", "median response time")),
    ) for column in columns),
    "errors [%] = errors", "errors [%] = error %",
)  # fmt: skip
_K6 = r"^[ \t✓✗]*"
# The summary is cumulative: only the last one of a test counts.
_LAST = r"(?!.*\n(?:(?!Tidying|Starting|\w+ = ).*\n)*\w+ = +\d)"
_JMETER = r"^\w+ = +(?:\d+) in +"


def _vegeta(name: str, new: int, old: int) -> str:
    """Declare a time that stands at a place in the lists of newer and of older releases."""
    lists = rf"min, mean, 50, 90.*\] +(?:\S+ +){{{new}}}|mean, 50, 95.*\] +(?:\S+ +){{{old}}}"
    return rf"{name} [ms] = ^Latencies +\[(?:{lists}){{t}}"


TOOLS = (
    Tool(
        "k6", (r'"metrics"\s*:', r'"(?:http_reqs|iterations|iteration_duration)"\s*:'),
        (*_trend("http_req_duration", "HTTP request ", "ms"),
         "HTTP requests per second [1/s] = http_reqs/rate",
         *_trend("iteration_duration", "iteration ", "ms"),
         "iterations per second [1/s] = iterations/rate",
         "failed HTTP requests [%, less] = http_req_failed * 100",
         *_trend("trend", "", "*unit"),
         "seconds [s] = state/testRunDurationMs * 1e-3"),
        _k6,
    ),
    _Text(
        "k6", (r"^[ \t]*http_reqs\.{2,}:", rf"{_K6}(?:http_req_duration|iterations)\.{{2,}}:"),
        (_K6.join(("HTTP request mean [ms] = ", r"http_req_duration\.*:.*avg={t}")),
         _K6.join(("HTTP request p50 [ms] = ", r"http_req_duration\.*:.*med={t}")),
         *(_K6.join(("HTTP request {} [ms] = ",
                     rf"http_req_duration\.*:.*p\((?P<of>{share})\)={{t}}"))
           for share in ("75", "90", "95", "99", r"99\.9", r"99\.99")),
         _K6.join(("failed HTTP requests [%] = ", r"http_req_failed\.*: +{n}%")),
         _K6.join(("HTTP requests per second [1/s] = ", r"http_reqs\.*:.* {n}/s")),
         _K6.join(("iterations per second [1/s] = ", r"iterations\.*:.* {n}/s"))),
        failed=r"^\S+ +✗ \[(?! *100%).*?\d+% *\]",
    ),
    Tool("JMeter", (r"^timeStamp([,;\t|])elapsed\1label\1(?:.*\1)?success",), read=jtl),
    Tool("JMeter", (r"\A\d{13}([,;\t|])\d+\1[^\n]*\1(?:true|false)\1",), read=jtl),
    Tool("JMeter", (r"<testResults\b", r"<(?:httpS|s)ample "), read=jtl_xml),
    Tool("JMeter", (r"^Label[,;\t]# Samples[,;\t]Average[,;\t]",), _REPORTS, _reports,
         document=rows),
    _Text(
        "JMeter", (r"^\w+ = +\d+ in .*/s Avg:",),
        (rf"requests per second [1/s] = {_JMETER}\S+ = +{{n}}/s{_LAST}",
         rf"errors [%] = {_JMETER}.* Err: +\d+ \({{n}}%\){_LAST}",
         rf"mean [ms] = {_JMETER}.* Avg: +{{n}} {_LAST}",
         rf"seconds [s] = {_JMETER}{{c}}.*{_LAST}",
         r"start [] = ^Starting .*\({n}\)"),
    ),
    Tool(
        "JMeter", (r'"sampleCount"\s*:', r'"pct1ResTime"\s*:'),
        ("requests per second [1/s] = throughput", "errors [%] = errorPct",
         "mean [ms] = meanResTime", "p50 [ms] = medianResTime",
         *(f"percentile {at} [ms] = pct{at}ResTime" for at in (1, 2, 3))),
        _transactions,
    ),
    Tool("k6", (r'\A\s*(?:metric_name,timestamp,|\{"type":"Metric"|\{"metric":"[^"]*","type":)',),
         read=_not_a_result("the file of --summary-export")),
    Tool("Locust", (r"^\"?(?:Type|Method)\"?,\"?Name\"?,\"?(?:Request Count|# requests)",
                    r"Requests/s"), _REPORTS, _reports, document=rows),
    Tool("Locust", (r'^"?(?:Timestamp"?,"?User|Method"?,"?Name"?,"?Error|Count"?,"?Message"?,)',),
         read=_not_a_result("the file that ends in _stats.csv")),
    Tool(
        "Gatling", (r'"numberOfRequests"\s*:', r'"percentiles1"\s*:'),
        ("requests per second [1/s] = meanNumberOfRequestsPerSecond/total",
         "failed requests [count] = numberOfRequests/ko", "errors [%] = errors",
         "mean [ms] = meanResponseTime/ok",
         *(f"p{share} [ms] = percentiles{at}/ok" for at, share in enumerate((50, 75, 95, 99), 1))),
        _gatling,
    ),
    Tool(
        "vegeta", (r'"latencies"\s*:', r'"status_codes"\s*:', r'"wait"\s*:'),
        ("successful requests per second [1/s] = throughput", "requests per second [1/s] = rate",
         "successful requests [%, more] = success * 100", "mean [ms] = latencies/mean * 1e-6",
         "{} [ms] = latencies/*th * 1e-6", "start [] = earliest", "seconds [s] = duration * 1e-9"),
        lambda d: [Named("", d)] if d.get("requests") != 0 else [],
    ),
    _Text(
        "vegeta", (r"^Requests\s+\[total, ", r"^Latencies\s+\["),
        (r"successful requests per second [1/s] = ^Requests +\[total, rate, th.*\] +\d+, \S+, {n}$",
         r"requests per second [1/s] = ^Requests +\[total, rate.*\] +\d+, {n}",
         r"successful requests [%, more] = ^Success .*\] +{n}%",
         *map(_vegeta, ("mean", "p50", "p95", "p99"), (1, 2, 4, 5), (0, 1, 2, 3)),
         r"p90 [ms] = ^Latencies +\[min, mean, 50, 90.*\] +(?:\S+ +){3}{t}",
         r"seconds [s] = ^Duration .*\] +\S+ {t} * 1e-3"),
    ),
    _Text(
        "wrk", (r"^[ \t]*Running .+ test @ ", r"Thread Stats"),
        (r"requests per second [1/s] = ^ *Requests/sec: +{n}",
         r"transfer rate [MB/s] = ^ *Transfer/sec: +{b}", r"mean latency [ms] = ^ *Latency +{t}",
         r"{} latency [ms] = ^ *(?P<of>(?!100)[\d.]+)% +{t} *$",
         r"{} uncorrected latency [ms] = ^ *uncorrected (?P<of>(?!100)[\d.]+)% +{t} *$",
         r"errors [%] = ^ *(?P<all>\d+) requests in .*\n *Errors: {n} * 100",
         r"seconds [s] = ^ *\d+ requests in {t}, * 1e-3"),
        failed=r"^ *0 requests in .*", prepare=_wrk,
    ),
    Tool("fio", (r'"fio version"\s*:', r'"jobs"\s*:'), ("start [] = timestamp", *_FIO), _fio),
    Tool("fio", (r"^\S.*: \(groupid=\d+, jobs=\d+\): err=",), _FIO, _fio,
         document=lambda text: {"jobs": fio_jobs(text)}),
    Tool(
        "iperf3", (r'"start"\s*:', r'"connected"\s*:|"test_start"\s*:', r'"intervals"\s*:'),
        _IPERF3,
        _iperf3,
    ),
    Tool("iperf3", (r'^\{"event": *"start"',), _IPERF3, _iperf3, document=_last_events),
    _Text(
        "iperf3", (r"^\[ *ID\] +Interval +Transfer +(?:Bitrate|Bandwidth)",),
        (r"received [Mb/s, more] = ^\[SUM\].* {s}bits/sec.* receiver$ * 1e-6",
         r"received [Mb/s, more] = ^\[ *\d+\].* {s}bits/sec.* receiver$ * 1e-6",
         r"lost packets [%] = ^\[ *\d+\].* \({n}%\) +receiver$"),
        failed=r"^iperf3: error.*",
        prepare=lambda text: re.sub(r"(?m)^\[ *\d+\].*", "", text) if "[SUM]" in text else text,
    ),
    Tool(
        "OpenMessaging Benchmark", (r'"publishRate"\s*:', r'"consumeRate"\s*:'),
        ("publish rate [1/s, more] = publishRate", "consume rate [1/s, more] = consumeRate",
         *(f"{title} {name} [ms] = aggregated{key}Latency{e}"
           for title, key in (("publish latency", "Publish"), ("end-to-end latency", "EndToEnd"))
           for name, e in (("mean", "Avg"), ("p50", "50pct"), ("p95", "95pct"), ("p99", "99pct"))),
         "publish delay mean [us] = aggregatedPublishDelayLatencyAvg",
         "publish delay p99 [us] = aggregatedPublishDelayLatency99pct"),
        _windows,
    ),
    _Text(
        "RabbitMQ PerfTest", (r"^id: [^,]+, (?:sending|rec(?:ei)?ving) rate avg: ",),
        ("sending rate [1/s, more] = ^id: [^,]+, sending rate avg: {n} msg/s",
         "receiving rate [1/s, more] = ^id: [^,]+, rec(?:ei)?ving rate avg: {n} msg/s",
         *(rf"{{}} latency {name} [us] = ^id: [^,]+, (?P<of>consumer|confirm) latency min/\S+"
           rf" (?:[\d.]+/){{{at}}}{{n}}[\d./]* (?P<u>[µum]s)"
           for at, name in enumerate(("min", "median", "p75", "p95", "p99")))),
    ),
    _Text(
        "Kafka producer", (r"\b\d+ records sent, [\d.,]+ records/sec \(",),
        (r"records per second [1/s] = records sent, {n} records/sec .*\d ms [\d.]+th",
         r"transfer rate [MB/s] = records sent, .*\({n} MB/sec\).*\d ms [\d.]+th",
         r"mean latency [ms] = records sent, .* {n} ms avg latency.*\d ms [\d.]+th",
         r"{} latency [ms] = , {n} ms (?P<of>[\d.]+)th",
         r"seconds [s] = \b{n} records sent, (?P<all>[\d.,]+) records/sec .*\d ms [\d.]+th"),
        failed=r"^org\.apache\.kafka\.\S*Exception.*",
    ),
    _Text(
        "Kafka consumer", (r"^start\.time, end\.time, data\.consumed\.in\.MB",),
        (r"records per second [1/s] = ^20\d\d-(?:[^ ]+ [^ ]+, ){2}(?:\S+, ){3}{n}",
         r"transfer rate [MB/s] = ^20\d\d-(?:[^ ]+ [^ ]+, ){2}\S+, {n}",
         r"seconds [s] = ^20\S+ (?P<since>\d+:\d+:\d+):\d+, \S+ (?P<c>\d+:\d+:\d+):"),
        failed=r"^WARNING: Exiting before.*",
    ),
    Tool(
        "hyperfine", (r'"results"\s*:', r'"command"\s*:', r'"stddev"\s*:'),
        ("mean [s] = mean", "p50 [s] = median", "user CPU time [s] = user",
         "system CPU time [s] = system"),
        _hyperfine,
    ),
    Tool(
        "JMH", (r'"benchmark"\s*:', r'"primaryMetric"\s*:'),
        tuple(f"[*unit, {'more' if mode == 'thrpt' else 'less'}] = {mode}" for mode in _MODES),
        _jmh,
    ),
    *(
        _Text("JMH", (mark,), tuple(
            f"{{}} {title} [*u, {'more' if mode == 'thrpt' else 'less'}] = {row.format(mode)}"
            for mode, title in _MODES.items()
        ), failed=r"^<failure>.*|^.*ERROR: .*")
        for mark, row in _JMH_ROWS.items()
    ),
    Tool(
        "pytest-benchmark", (r'"machine_info"\s*:',),
        ("mean [s] = stats/mean", "p50 [s] = stats/median",
         "operations per second [1/s] = stats/ops", "start [UTC] = datetime",
         "git_revision [label] = commit_info/id"),
        lambda d: (Named(b.get("fullname") or b["name"], b) for b in d["benchmarks"]),
    ),
    Tool(
        "Google Benchmark", (r'"context"\s*:', r'"benchmarks"\s*:', r'"num_cpus"\s*:'),
        ("time [*time_unit] = real_time", "CPU time [*time_unit] = cpu_time",
         "items per second [1/s] = items_per_second", "bytes per second [B/s] = bytes_per_second",
         "start [] = context/date"),
        _google_benchmark,
    ),
    Tool("go test", (r"^\{\"Time\":.*\"Output\":\s*\"Benchmark",), read=go),
    Tool("go test", (r"^(?:--- FAIL: )?Benchmark\S+\s", r"\d ns/op|^FAIL\b"), read=go),
    Tool("go test", (r"^name +(?:\S+ )?\S+/op\b|│ +(?:sec|B|allocs)/op ",), read=benchstat),
    *(Tool(program, (mark,), read=partial(means, program)) for program, mark in MARKS.items()),
    _Text(
        "ab", (r"^This is ApacheBench|^Time per request: ", r"^Requests per second: "),
        (r"requests per second [1/s] = ^Requests per second: +{n}",
         r"mean [ms] = ^Time per request: +{n} \[ms\] \(mean\)$",
         r"{} [ms] = ^ +(?P<of>(?!100)\d+)% +{n}$",
         r"errors [%] = ^Complete requests: +(?P<all>\d+)\nFailed requests: +{n} * 100",
         r"failed HTTP requests [%] = ^Comp.*: +(?P<all>\d+)\n(?:.*\n){1,4}?Non-2xx.*: +{n} * 100",
         r"seconds [s] = ^Time taken for tests: +{n}"),
    ),
    _Text(
        "h2load", (r"^finished in .* req/s", r"^time for request:"),
        (r"requests per second [1/s] = ^finished in \S+, {n} req/s",
         r"transfer rate [MB/s] = ^finished in \S+, \S+ req/s, {b}/s",
         r"mean [ms] = ^time for request: +\S+ +\S+ +{t}",
         r"errors [%] = ^requests: (?P<all>\d+) total,.* {n} failed * 100",
         r"seconds [s] = ^finished in {t}, * 1e-3"),
    ),
    _Text(
        "hey", (r"^ *Requests/sec:", r"^ *(?:Slowest|Fastest):", r"^ *Average:"),
        (r"requests per second [1/s] = ^ *Requests/sec:\s+{n}",
         r"mean [ms] = ^ *Average:\s+{n} (?P<u>m?s)(?:ecs)?$",
         r"{} [ms] = ^ *(?P<of>[\d.]+) ?%+ in {n} (?P<u>m?s)(?:ecs)?$",
         r"successful requests [%, more] = ^ *Success rate:\s+{n}%",
         r"failed HTTP requests [%] = ^Failed: {n}%",
         r"seconds [s] = ^ *Total:\s+{n} (?P<u>m?s)(?:ecs)?$"),
        prepare=_hey,
    ),
    _Text(
        "sysbench", (r"^ *General statistics:", r"^ *Latency \(ms\):"),
        (r"transactions per second [1/s] = ^ *transactions: +\d+ +\({n} per sec",
         r"queries per second [1/s] = ^ *queries: +\d+ +\({n} per sec",
         r"events per second [1/s] = ^ *events per second: +{n}",
         r"transfer rate [MB/s] = ^\d.*transferred \({n} MiB/sec",
         r"mean latency [ms] = ^ *avg: +{n}",
         r"{} latency [ms] = ^ *(?P<of>\d+)th percentile: +{n}",
         r"seconds [s] = ^ *total time: +{n}s"),
        failed=r"^FATAL:.*",
    ),
    _Text(
        "pgbench", (r"^number of transactions actually processed:", r"^tps = "),
        (r"transactions per second [1/s] = ^tps = {n} \((?:without|excluding)",
         r"mean latency [ms] = ^latency average[ =:]+{n} ms",
         r"errors [%] = ^number of failed transactions: \d+ \({n}%\)"),
        failed=r"^pgbench: (?:error|fatal):.*|^Run was aborted.*",
    ),
    _Text(
        "HammerDB", (r"TEST RESULT : System achieved",),
        (r"new orders per minute [1/min] = System achieved (?:.* TPM at )?{n} NOPM",
         r"transactions per minute [1/min] = System achieved (?:\d+ NOPM from )?{n} .*TPM"),
        failed=r"^.*FINISHED FAILED.*",
    ),
    _Text(
        "YCSB", (r"^\[OVERALL\], Throughput\(ops/sec\)",),
        (r"operations per second [1/s] = ^\[OVERALL\], Throughput\(ops/sec\), {n}",
         r"{} mean latency [us] = ^\[(?P<of>(?!CLEAN)[A-Z-]+)\], AverageLatency\(us\), {n}",
         *(rf"{{}} p{share} latency [us] = ^\[(?P<of>(?!CLE)[A-Z-]+)\], {share}thP.*\(us\), {{n}}"
           for share in (95, 99)),
         r"seconds [s] = ^\[OVERALL\], RunTime\(ms\), {n} * 1e-3"),
        failed=r"^.*Throughput\(ops/sec\), NaN|^\[[A-Z]+-FAILED\], Operations.*",
    ),
    _Text(
        "memtier", (r"^Type +Ops/sec ", r"^Totals "),
        (r"{} per second [1/s] = ^(?P<of>Sets|Gets|Totals) +{n}",
         r"{} mean latency [ms] = ^(?P<of>Sets|Gets|Totals) +\S+ +\S+ +\S+ +{n}",
         r"p50 latency [ms] = ^Type .*Latency +p50 .*\n(?:.*\n){0,9}?Totals +(?:\S+ +){4}{n}",
         r"p99 latency [ms] = ^Type .*p50 Latency +p99 .*\n(?:.*\n){0,9}?Totals +(?:\S+ +){5}{n}"),
        failed=r"^(?:connection error|handle error).*",
    ),
    _Text(
        "netperf", (r"^MIGRATED \S+ (?:STREAM|REQUEST/RESPONSE) TEST",),
        (r"message_size_bytes [factor] = 10\^6bits/s.*\n(?: *\n)* *(?:\d+ +){2}{n} ",
         r"throughput [Mbit/s] = 10\^6bits/s.*\n(?: *\n)* *(?:\d+ +){3}[\d.]+ +{n}",
         r"message_size_bytes [factor] = Okay Errors(?:.*\n){2,4}? *\d+ +{n} +[\d.]+ +\d",
         r"received [Mbit/s, more] = Okay Errors(?:.*\n){3,5} *\d+ +[\d.]+ +\d+ +{n}$",
         r"message_size_bytes [factor] = per sec.*\n(?: *\n)* *(?:\d+ +){2}{n} ",
         r"transactions per second [1/s] = per sec.*\n(?: *\n)* *(?:\d+ +){4}[\d.]+ +{n}"),
        failed=r"^(?:establish control|netperf: ).*",
    ),
    _Text(
        "stress-ng", (r"^stress-ng: (?:info|metrc): .*bogo ops/s",),
        (r"{} operations per second [1/s] = ^stress-ng.*\] (?P<of>[\w-]+) +\d+ +(?:\S+ +){3}{n}",),
        failed=r"^stress-ng: fail:.*|.*unsuccessful run completed.*",
    ),
    _Text(
        "DiskSpd", (r"^Total IO$", r"^thread \| +bytes"),
        (r"block_size_bytes [factor] = ^\s*block size: {n}$",
         r"block_size_bytes [factor] = ^\s*block size: {b}$ * 1048576",
         *(
            rf"{{}} {name} [{unit}] = ^(?P<of>Total|Read|Write) IO\n(?:.*\n){{0,999}}?total:"
            rf" +\d+ \|(?: +[\d.]+ \|){{{at}}} +{{n}}"
            for at, (name, unit) in enumerate((("bandwidth", "MiB/s"), ("IOPS", "1/s"),
                                               ("mean latency", "ms")), 1)
        ), r"{} latency [ms] = ^ *(?P<of>\d+)th \|[^|]*\|[^|]*\| +{n}$"),
        failed=r"^(?:Error|ERROR).*",
    ),
    _Text(
        "Criterion", (r"^\S.*(?: |\n) +time: +\[\S+ \S+ \S+ \S+ \S+ \S+\]",),
        (r"{} time [ms] = ^(?P<of>\S.*?)(?: |\n) +time: +\[\S+ \S+ {t}",),
        failed=r"^thread .* panicked.*",
    ),
    _Text(
        "cargo bench", (r"^test \S+ +\.\.\. bench: +[\d,.]+ ns/iter",),
        (r"{} time [ns] = ^test (?P<of>\S+) +\.\.\. bench: +{k} ns/iter",),
        failed=r"^test \S+ +\.\.\. FAILED",
    ),
    _Text(
        "asv", (r"^\[ *[\d.]+%\] ·+",),
        (r"{} [ms] = ^\[ *[\d.]+%\] ·+ (?P<of>\S+) +{n}±\S*?(?P<u>[nuµm]?s)$",
         r"{} [B] = ^\[ *[\d.]+%\] ·+ (?P<of>\S*mem_\S+) +{s}$"),
        failed=r"^\[ *[\d.]+%\] ·+ \S+ +failed", prepare=_asv,
    ),
    _Text(
        "time", (r"^[ \t]*Command being timed:", r"Maximum resident set size"),
        (r"elapsed [s] = Elapsed \(wall clock\).*\): {c}",
         r"user CPU time [s] = User time \(seconds\): {n}",
         r"system CPU time [s] = System time \(seconds\): {n}",
         r"memory [KB] = Maximum resident set size \(kbytes\): {n}"),
        failed=r"Command (?:exited with non-zero|terminated).*|Exit status: [1-9].*",
    ),
    Tool(
        "autocannon", (r'"requests"\s*:', r'"latency"\s*:', r'"non2xx"\s*:'),
        ("requests per second [1/s] = requests/average",
         "transfer rate [B/s] = throughput/average", "mean [ms] = latency/average",
         "{} [ms] = latency/p*", "errors [%] = errors", "seconds [s] = duration",
         "start [] = start"),
        _autocannon,
    ),
    Tool(
        "Artillery",
        (r'"aggregate"\s*:', r'"counters"\s*:|"codes"\s*:', r'"summaries"\s*:|"rps"\s*:'),
        ("requests per second [1/s] = rates/http.request_rate",
         "requests per second [1/s] = rps/mean",
         *(f"{name} [ms] = {table}/{key}" for table in ("summaries/http.response_time", "latency")
           for name, key in (("{}", "p*"), ("p50", "median"), ("mean", "mean"))),
         "errors [%] = errors"),
        _artillery,
    ),
    Tool(
        "BenchmarkDotNet", (r'"BenchmarkDotNetVersion"\s*:', r'"Benchmarks"\s*:'),
        ("mean [ns] = Statistics/Mean", "p50 [ns] = Statistics/Median",
         "p95 [ns] = Statistics/Percentiles/P95",
         "memory [B] = Memory/BytesAllocatedPerOperation"),
        _dotnet,
    ),
)  # fmt: skip
