"""Outputs of tools that are tables or texts: one function each, from a text to its runs.

What the tools print is said in ingest/formats/bench/tools.py.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import polars as pl

from ingest.formats.bench.results import Entry, Execution, Figure, duration_of, runs_of
from ingest.formats.bench.values import FaultError
from ingest.formats.text.parser import Rejected

__all__ = [
    "fio_jobs",
    "go",
    "jtl",
    "jtl_xml",
    "k6_console",
    "kafka_consumer",
    "kafka_producer",
    "moment",
    "number",
    "percentile",
    "perf_test",
    "plain",
    "reports",
    "summariser",
    "vegeta",
    "wrk",
]


def number(value: object) -> float | None:
    """Return a finite number, also of a text that is one; None for anything else.

    >>> [number(value) for value in (3, "1.5", "117,74", "0.5%", "NaN", "Infinity", True, "-")]
    [3.0, 1.5, 117.74, 0.5, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:  # no tool here prints thousands, so a comma is decimal
        figure = float(
            value.removesuffix("%").replace(",", ".") if isinstance(value, str) else value
        )
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


_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_STAMP = r"\[?20\d\d-\d\d-\d\dT[\d:.]+Z\]? (?:\d\d[OE][+ ]?)?"
_PREFIX = re.compile(rf"^(?:{_STAMP}|[\w.-]+ +\| ?)", re.MULTILINE)


def plain(text: str) -> str:
    """Return a text without colours, and without what a CI job or Docker puts before all lines."""
    text = _ESCAPE.sub("", text.replace("\r\n", "\n"))
    lines = text.count("\n") + (not text.endswith("\n"))
    blank = len(re.findall(r"^\s*$", text, re.MULTILINE))
    with_prefix = len(_PREFIX.findall(text))
    return _PREFIX.sub("", text) if with_prefix and with_prefix >= lines - blank - 1 else text


# --- tables -----------------------------------------------------------------------------------

#: JMeter's columns, for a JTL without a header.
_JTL = (
    "timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType",
    "success",
)  # fmt: skip
_GAP, _USUAL = 60_000, 20  # ms without a sample, and times the usual, between two runs
_CONTROLLER = "Number of samples in transaction"


def _csv(text: str, names: tuple[str, ...] = ()) -> pl.DataFrame:
    first = text.split("\n", 1)[0]
    try:
        frame = pl.read_csv(
            io.BytesIO(text.encode()), separator=max(",;\t|", key=first.count),
            infer_schema=False, has_header=not names, truncate_ragged_lines=True,
        )  # fmt: skip
    except pl.exceptions.PolarsError as error:
        raise FaultError(f"not CSV: {str(error).splitlines()[0][:200]}") from None
    return frame.rename(dict(zip(frame.columns, names, strict=False)))


def jtl(text: str) -> Iterator[Execution]:
    """Read the samples of a JTL as CSV, of one or more runs; a line cut short is left out."""
    return _samples(_csv(text, () if text.startswith("timeStamp") else _JTL))


def jtl_xml(text: str) -> Iterator[Execution]:
    """Read the samples of a JTL as XML: the outermost that are no transaction controllers."""
    rows, depth = [], 0
    for close, given, empty in re.findall(r"<(/?)(?:httpS|s)ample\b([^>]*?)(/?)>", text):
        if close:
            depth -= depth > 0
            continue
        of = dict(re.findall(r'(\w+)="([^"]*)"', given))
        if depth == 0 and not of.get("rm", "").startswith(_CONTROLLER):
            rows.append([of.get(key) for key in ("ts", "t", "lb", "rm", "s")])
            depth += not empty
        elif depth:
            depth += not empty
    names = ["timeStamp", "elapsed", "label", "responseMessage", "success"]
    return _samples(pl.DataFrame(rows, dict.fromkeys(names, pl.String), orient="row"))


def _samples(frame: pl.DataFrame) -> Iterator[Execution]:
    """Yield a run for each part of the samples that a gap ends."""
    message = pl.col("responseMessage" if "responseMessage" in frame.columns else "label")
    stamp = pl.col("timeStamp")
    text = stamp.str.replace_all("/", "-", literal=True).str.replace("T", " ", literal=True)
    samples = frame.with_row_index("line", 2).filter(
        ~message.fill_null("").str.starts_with(_CONTROLLER), stamp.ne_missing(pl.lit("timeStamp"))
    ).select(
        "line",
        at=pl.coalesce(
            stamp.cast(pl.Int64, strict=False),
            text.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", strict=False).dt.epoch("ms"),
        ),
        elapsed=pl.col("elapsed").cast(pl.Float64, strict=False),
        label=pl.col("label").fill_null("").replace("", "(no label)"),
        failed=pl.col("success").str.to_lowercase().replace_strict(
            {"true": False, "false": True}, default=None, return_dtype=pl.Boolean
        ),
    )  # fmt: skip
    is_sample = pl.all_horizontal(pl.col("at", "elapsed", "failed").is_not_null())
    rejected = [
        Rejected(line, "no sample: timeStamp, elapsed or success is missing or no number")
        for line in samples.filter(~is_sample)["line"]
    ]
    samples = samples.filter(is_sample).sort("at", maintain_order=True)
    if samples.is_empty():
        raise FaultError("a JTL without samples whose timeStamp and elapsed are numbers")
    is_zoned = frame["timeStamp"].str.contains(r"^\d+$").any()
    idle = pl.col("at") - (pl.col("at") + pl.col("elapsed")).cum_max().shift(1)
    usual = pl.col("at").diff().median()
    begins = (idle > pl.max_horizontal(_GAP, _USUAL * usual)).fill_null(value=False)
    line = 1
    for run in samples.with_columns(run=begins.cum_sum()).partition_by("run", maintain_order=True):
        start, stop = run["at"].min(), (run["at"] + run["elapsed"]).max()
        begin = datetime.fromtimestamp(start / 1000, UTC)
        seconds = max((stop - start) / 1000, 0.001)
        yield from runs_of(
            _by_label(run, seconds), begin if is_zoned else begin.replace(tzinfo=None), seconds,
            line if line == 1 else run["line"].min(), rejected=rejected,
        )  # fmt: skip
        line, rejected = 0, []


def _by_label(samples: pl.DataFrame, seconds: float) -> Iterator[Entry]:
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
    for name, row in rows:
        yield Entry(name, [Figure(m, value, units.get(m, "ms")) for m, value in row.items()])


_OF_REPORTS = {
    "Throughput": ("requests per second", "1/s"), "Error %": ("errors", "%"),
    "Average": ("mean", "ms"), "Median": ("p50", "ms"),
    "Requests/s": ("requests per second", "1/s"), "Average Response Time": ("mean", "ms"),
    "Average response time": ("mean", "ms"), "Median response time": ("p50", "ms"),
}  # fmt: skip


def reports(text: str) -> Iterator[Execution]:
    """Read the reports of JMeter and Locust, whatever their percentiles are: a row per request."""
    frame = _csv(text)
    columns = {name: what for name, what in _OF_REPORTS.items() if name in frame.columns}
    columns |= {
        name: (percentile(found[1]), "ms")
        for name in frame.columns
        if (found := re.fullmatch(r"(\d+(?:\.\d+)?)%(?: Line)?", name)) and found[1] != "100"
    }
    yield from runs_of(_of_reports(frame, columns))


def _of_reports(frame: pl.DataFrame, columns: Mapping[str, tuple[str, str]]) -> Iterator[Entry]:
    for row in frame.rows(named=True):
        requests, failures = (
            next((number(row[c]) for c in frame.columns if c.lower() in names), None)
            for names in (
                ("request count", "# requests", "# samples"), ("failure count", "# failures"),
            )
        )  # fmt: skip
        way = str(row.get("Type", row.get("Method")) or "")
        name = str(row.get("Name", row.get("Label")) or "").strip()
        name = "" if name in ("Aggregated", "TOTAL", "Total") else f"{way} {name}".strip()
        figures = [
            Figure(metric, value, unit)
            for column, (metric, unit) in columns.items()
            if (value := number(row[column])) is not None
        ]
        if requests and failures is not None:
            figures.append(Figure("errors", 100 * failures / requests, "%"))
        if requests != 0:  # a mean of 0 ms is none
            yield Entry(name, figures)


_SUMMARY = re.compile(
    r"^\w+ =\s*(\d+) in\s+([\d:.]+)s? =\s*([\d.,]+)/s Avg:\s*(\d+) .*Err:\s*\d+ \(([\d.,]+)%\)",
    re.MULTILINE,
)


def summariser(text: str) -> Iterator[Execution]:
    """Read the last summary of each test that JMeter printed on its console."""
    for part, line in _parts(text, r"^Starting (?:standalone|the) test|\A"):
        if (totals := _SUMMARY.findall(part)) and totals[-1][0] != "0":
            _, length, rate, mean, errors = totals[-1]
            started = re.search(r"^Starting .*\((\d{13})\)", part, re.MULTILINE)
            seconds = 0.0
            for figure in length.split(":"):
                seconds = 60 * seconds + float(figure)
            given = ((rate, "requests per second", "1/s"), (errors, "errors", "%"),
                     (mean, "mean", "ms"))  # fmt: skip
            figures = [Figure(m, v, u) for text, m, u in given if (v := number(text)) is not None]
            yield from runs_of(
                [Entry("", figures)], moment(started[1]) if started else None, seconds, line
            )


# --- texts ------------------------------------------------------------------------------------

_BYTES = {"B": 1.0, "KB": 2.0**10, "MB": 2.0**20, "GB": 2.0**30, "TB": 2.0**40}


def _parts(text: str, begin: str) -> Iterator[tuple[str, int]]:
    """Yield the parts of a text that each begin with a pattern, and their lines."""
    starts = [found.start() for found in re.finditer(begin, text, re.MULTILINE)]
    for at, stop in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text[at:stop], text.count("\n", 0, at) + 1


_SHARE = re.compile(r"^\s*(\d+(?:\.\d+)?)%\s+([\d.]+\w+)\s*$", re.MULTILINE)


def wrk(text: str) -> Iterator[Execution]:
    """Read the runs that wrk or wrk2 printed; its rate counts failures, which are left out."""
    for part, line in _parts(text, r"^\s*Running .+ test @ "):
        figures: list[Figure] = []
        done = re.search(r"^\s*(\d+) requests in ([\d.]+\w+),", part, re.MULTILINE)
        requests = int(done[1]) if done else None
        if requests == 0:
            continue
        found = re.search(r"^\s*Non-2xx or 3xx responses:\s*(\d+)", part, re.MULTILINE)
        refused = int(found[1]) if found else 0
        broken = sum(
            int(count)
            for row in re.findall(r"^\s*Socket errors:(.*)", part, re.MULTILINE)
            for count in re.findall(r"\d+", row)
        )
        share = min((refused + broken) / requests, 1) if requests else 0
        if refused or broken:
            figures.append(Figure("errors", 100 * share, "%"))
        if found := re.search(r"^\s*Requests/sec:\s*([\d.]+)", part, re.MULTILINE):
            rate = float(found[1]) * (1 - (refused / requests if requests else 0))
            figures.append(Figure("requests per second", rate, "1/s"))
        if found := re.search(r"^\s*Transfer/sec:\s*([\d.]+)(\w+)", part, re.MULTILINE):
            rate = float(found[1]) * _BYTES.get(found[2], math.nan) / 2**20
            figures += [Figure("transfer rate", rate, "MB/s")] if math.isfinite(rate) else []
        if found := re.search(r"^\s*Latency\s+([\d.]+\w+)", part, re.MULTILINE):
            figures += _latency("mean latency", found[1])
        for block in re.split(r"^\s*Latency Distribution", part, flags=re.MULTILINE)[1:]:
            kind = "uncorrected latency" if "Uncorrected" in block.split("\n")[0] else "latency"
            for found in _SHARE.finditer(block):
                if float(found[1]) < 100:
                    figures += _latency(f"{percentile(found[1])} {kind}", found[2])
        yield from runs_of(
            [Entry("", figures)], seconds=duration_of(done[2]) if done else None, line=line
        )


def _latency(metric: str, text: str) -> list[Figure]:
    seconds = duration_of(text)
    return [] if seconds is None else [Figure(metric, round(1000 * seconds, 9), "ms")]


def vegeta(text: str) -> Iterator[Execution]:
    """Read the reports that vegeta printed."""
    for part, line in _parts(text, r"^Requests\s+\[total, "):
        rows = {
            row[1]: dict(zip(row[2].split(", "), re.split(r",\s+", row[3].strip()), strict=False))
            for row in re.finditer(r"^([A-Z][\w ]+?)\s+\[([^\]]+)\]\s+(.*)$", part, re.MULTILINE)
        }
        requests, times = rows["Requests"], rows.get("Latencies", {})
        figures = [
            Figure(metric, figure, unit, True)
            for metric, given, unit in (
                ("successful requests per second", requests.get("throughput"), "1/s"),
                ("requests per second", requests.get("rate"), "1/s"),
                ("successful requests", rows.get("Success", {}).get("ratio"), "%"),
            )
            if (figure := number(given)) is not None
        ]  # fmt: skip
        for name, given in times.items():
            if name not in ("min", "max"):
                figures += _latency(percentile(name) if number(name) else name, given)
        seconds = duration_of(rows.get("Duration", {}).get("attack", ""))
        if requests.get("total") != "0":
            yield from runs_of([Entry("", figures)], seconds=seconds, line=line)


def perf_test(text: str) -> Iterator[Execution]:
    """Read the summaries of RabbitMQ PerfTest, each of one id."""
    runs: dict[str, tuple[int, list[Figure]]] = {}
    for at, row in enumerate(text.split("\n"), 1):
        found = re.match(r"id: ([^,]+), (sending|rec(?:ei)?ving) rate avg: ([\d.,]+) msg/s", row)
        if found and (rate := number(found[3])) is not None:
            way = found[2].replace("recving", "receiving")
            runs.setdefault(found[1], (at, []))[1].append(Figure(f"{way} rate", rate, "1/s", True))
        found = re.match(r"id: ([^,]+), (consumer|confirm) latency (\S+) (\S+) (µs|us|ms)", row)
        if found and found[1] in runs:
            for given, value in zip(found[3].split("/"), found[4].split("/"), strict=False):
                name = re.sub(r"^(\d+(?:\.\d+)?)th$", r"p\1", given)
                if (figure := number(value)) is not None:
                    unit = found[5].replace("µ", "u")
                    runs[found[1]][1].append(Figure(f"{found[2]} latency {name}", figure, unit))
    for line, figures in runs.values():
        failed = "" if figures[0].value else "no message was sent or received"
        yield from runs_of([Entry("", figures, failed)], line=line)


_PRODUCER = re.compile(
    r"(\d+) records sent, ([\d.,]+) records/sec \(([\d.,]+) MB/sec\), ([\d.,]+|NaN) ms avg "
    r"latency, ([\d.,]+) ms max latency, (.*\d ms [\d.]+th.*)"
)


def kafka_producer(text: str) -> Iterator[Execution]:
    """Read the totals of kafka-producer-perf-test: lines with percentiles."""
    errors = 0
    for at, row in enumerate(text.split("\n"), 1):
        errors += bool(re.match(r"org\.apache\.kafka\.\S*Exception", row))
        if found := _PRODUCER.search(row):
            sent, rate = int(found[1]), number(found[2])
            given = (
                ("records per second", rate, "1/s"), ("transfer rate", number(found[3]), "MB/s"),
                ("mean latency", number(found[4]), "ms"),
                *((f"{percentile(p)} latency", number(value), "ms")
                  for value, p in re.findall(r"(\d+(?:[.,]\d+)?) ms ([\d.]+)th", found[6])),
            )  # fmt: skip
            figures = [Figure(m, value, unit) for m, value, unit in given if value is not None]
            if errors:
                figures.append(Figure("errors", 100 * errors / max(sent, errors), "%"))
            yield from runs_of(
                [Entry("", figures, "" if sent else "no record was sent")],
                seconds=sent / rate if rate else None, line=at,
            )  # fmt: skip
            errors = 0


def kafka_consumer(text: str) -> Iterator[Execution]:
    """Read kafka-consumer-perf-test; its times have no zone, so only their length counts."""
    names: list[str] = []
    cut = "WARNING: Exiting before consuming the expected number" in text
    for at, row in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in row.split(", ")]
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
            failed = "it ended before it had all records" if cut else ""
            if number(values.get("data.consumed.in.nMsg")) == 0:
                failed = "no record was consumed"
            seconds = (times[1] - times[0]).total_seconds()
            yield from runs_of([Entry("", figures, failed)], seconds=seconds, line=at)


_GO = re.compile(r"(\d+)\s+([\d.]+ \S+.*)")


def go(text: str) -> Iterator[Execution]:
    """Read go test -bench, also with -json: a run for each package and each repetition (-count)."""
    start = None
    if text.lstrip().startswith("{"):
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        start = moment(lines[0].get("Time"))
        parts: dict[str, str] = {}
        for line in lines:
            of = str(line.get("Package", ""))
            parts[of] = parts.get(of, f"pkg: {of}\n") + str(line.get("Output", ""))
        text = "\n".join(parts.values())
    package, pending, failed = "", "", False
    results: list[tuple[str, str, str, str, int]] = []  # package, name, figures, fault, line
    for at, row in enumerate(text.split("\n"), 1):
        if row.startswith("pkg: "):
            package = row[5:].strip()
        elif found := re.match(r"(Benchmark\S+)\s*(.*)", row):
            pending = found[1]
        elif found := re.match(r"\s*--- FAIL: (Benchmark\S+)", row):
            results.append((package, found[1], "", "failed", at))
            failed = True
        elif found := re.match(r"FAIL\b\s*(\S*)", row):
            if not failed:
                results.append((found[1] or package, "", "", "go test failed", at))
            failed = bool(not found[1])
        if pending and (found := _GO.match(row.removeprefix(pending).strip())):
            results.append((package, pending, found[2], "", at))
            pending = ""
    yield from runs_of(_of_go(results), start)


def _of_go(results: list[tuple[str, str, str, str, int]]) -> Iterator[Entry]:
    """Yield entries; a number that all names end in is that of processors, or else a name's own."""
    ends = Counter(re.sub(r"^.*?(-\d+)?$", r"\1", name) for _, name, _, _, _ in results if name)
    processors = next(iter(ends))[1:] if len(ends) == 1 else ""
    titles = {"ns/op": "time", "B/op": "memory", "allocs/op": "allocations", "MB/s": "rate"}
    for package, name, text, failed, line in results:
        cells = text.split()
        figures = [
            Figure(titles.get(unit, unit), figure, unit,
                   False if unit in ("B/op", "allocs/op") else None)
            for value, unit in zip(cells[::2], cells[1::2], strict=False)
            if (figure := number(value)) is not None
        ]  # fmt: skip
        context = {"package": package, "processors": processors if name else ""}
        context = {key: value for key, value in context.items() if value}
        yield Entry(name[9:].removesuffix(f"-{processors}"), figures, failed, context, line)


_K6_LINE = re.compile(
    r"^[\s✓✗]*(http_req_duration|http_req_failed|http_reqs|iterations)\.*:\s*(.*)", re.MULTILINE
)


def k6_console(text: str) -> Iterator[Execution]:
    """Read the summaries that k6 prints at its end: a run ends where a line comes again."""
    runs: list[dict[str, tuple[str, int]]] = [{}]
    for found in _K6_LINE.finditer(text):
        if found[1] in runs[-1]:
            runs.append({})
        runs[-1][found[1]] = found[2], found.start()
    begin = 0
    for rows in runs:
        stop = max((at for _, at in rows.values()), default=0)
        cut = re.search(r"^\S+\s+✗ \[[^\]]*?(\d+)% *\]", text[begin:stop], re.MULTILINE)
        failed = f"k6 was aborted at {cut[1]} %" if cut and int(cut[1]) < 100 else ""
        figures: list[Figure] = []
        for name, (rest, _) in rows.items():
            if name == "http_req_duration":
                for key, value in re.findall(
                    r"(avg|med|p\([\d.]+\))=([\d.]+(?:[a-zµ]+[\d.]*)+)", rest
                ):
                    title = {"avg": "mean", "med": "p50"}.get(key) or f"p{key[2:-1]}"
                    figures += _latency(f"HTTP request {title}", value)
            elif name == "http_req_failed" and (found := re.match(r"([\d.]+)%", rest)):
                figures.append(Figure("failed HTTP requests", float(found[1]), "%"))
            elif found := re.search(r"([\d.]+)/s", rest):
                title = "HTTP requests" if name == "http_reqs" else "iterations"
                figures.append(Figure(f"{title} per second", float(found[1]), "1/s"))
        if figures and not any(figure.value for figure in figures):
            failed = failed or "nothing was done"
        line = text.count("\n", 0, begin) + 1
        yield from runs_of([Entry("", figures, failed)], line=line)
        begin = stop


_FIO_JOB = r"^(\S.*?): \(groupid=(\d+), jobs=\d+\): err=\s*(\d+)"
_SI = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


def fio_jobs(text: str) -> list[dict[str, object]]:
    """Return the jobs that fio printed, as its JSON has them."""
    jobs = []
    for part, _ in _parts(text, _FIO_JOB):
        found = re.match(_FIO_JOB, part)
        assert found
        job: dict[str, object] = {
            "jobname": found[1], "groupid": int(found[2]), "error": int(found[3]),
        }  # fmt: skip
        for way, _ in _parts(part.split("\nRun status")[0], r"^ {1,3}(?:read|write|trim)\s*: "):
            rate = re.search(r"iops=\s*([\d.]+)([kMG]?)", way, re.IGNORECASE)
            width = re.search(r"bw=\s*([\d.]+)([KMGT]?)i?B/s", way, re.IGNORECASE)
            figures: dict[str, object] = {"total_ios": 1}
            if rate:
                figures["iops"] = float(rate[1]) * _SI[rate[2]]
            if width:
                figures["bw_bytes"] = float(width[1]) * _BYTES[f"{width[2].upper()}B"]
            if mean := re.search(r"^\s*lat \((.)sec\)\s*:.*avg=\s*([\d.]+)", way, re.MULTILINE):
                figures["lat_ns"] = {"mean": float(mean[2]) * _NANO[mean[1]]}
            if block := re.search(r"clat percentiles \((.)sec\):((?:\s*\|.*)+)", way):
                figures["clat_ns"] = {"percentile": {
                    share: float(value) * _NANO[block[1]]
                    for share, value in re.findall(r"([\d.]+)th=\[\s*([\d.]+)\]", block[2])
                }}  # fmt: skip
            job[way.split(":")[0].strip()] = figures
        jobs.append(job)
    return jobs


_NANO = {"n": 1.0, "u": 1e3, "m": 1e6}
