"""Outputs of tools that no declaration can read: one function each, from a text to its runs.

What the tools print is said in ingest/formats/bench/tools.py.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import polars as pl

from ingest.formats.bench.cells import moment
from ingest.formats.bench.results import Entry, Execution, Figure, runs_of
from ingest.formats.bench.units import conversion
from ingest.formats.bench.values import FaultError
from ingest.formats.text.parser import Rejected

__all__ = [
    "benchstat",
    "fio_jobs",
    "go",
    "jtl",
    "jtl_xml",
    "number",
    "percentile",
    "plain",
    "rows",
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
    """Return a percentile as people write it: 95.000000 and 95 are p95, and 999 is p99.9."""
    digits = text if "." in text or len(text) < 3 or text == "100" else f"{text[:2]}.{text[2:]}"
    return f"p{float(digits):g}" if text else ""


_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_STAMP = r"\[?20\d\d-\d\d-\d\dT[\d:.]+Z\]? (?:\d\d[OE][+ ]?)?"
_PREFIX = re.compile(rf"^(?:{_STAMP}|[\w.-]+ +\| ?)", re.MULTILINE)


def plain(text: str) -> str:
    """Return a text without colours, and without what a CI job or Docker puts before all lines."""
    text = _ESCAPE.sub("", text.replace("\r\n", "\n").replace("μ", "µ"))
    lines = text.count("\n") + (not text.endswith("\n"))
    blank = len(re.findall(r"^[ \t]*$", text, re.MULTILINE))
    with_prefix = len(_PREFIX.findall(text))
    return _PREFIX.sub("", text) if with_prefix and with_prefix >= lines - blank - 1 else text


# --- tables -----------------------------------------------------------------------------------

#: The columns of a JTL without a header.
_JTL = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success\n"
_GAP, _USUAL = 60_000, 20  # ms without a sample, and times the usual, between two runs
_CONTROLLER = "Number of samples in transaction"


def _csv(text: str) -> pl.DataFrame:
    first = text.split("\n", 1)[0]
    try:
        return pl.read_csv(
            io.BytesIO(text.encode()), separator=max(",;\t|", key=first.count),
            infer_schema=False, truncate_ragged_lines=True,
        )  # fmt: skip
    except pl.exceptions.PolarsError as error:
        raise FaultError(f"not CSV: {str(error).splitlines()[0][:200]}") from None


def jtl(text: str) -> Iterator[Execution]:
    """Read the samples of a JTL as CSV, of one or more runs; a line cut short is left out."""
    if text.startswith("timeStamp"):
        return _samples(_csv(text), 2)
    return _samples(_csv(_JTL.replace(",", text[13]) + text), 1)


def jtl_xml(text: str) -> Iterator[Execution]:
    """Read the samples of a JTL as XML: the outermost that are no transaction controllers."""
    rows, depth = [], 0
    for close, given, empty in re.findall(r"<(/?)(?:httpS|s)ample\b([^>]*?)(/?)>", text):
        if close:
            depth -= depth > 0
            continue
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', given))
        if depth == 0 and not attributes.get("rm", "").startswith(_CONTROLLER):
            rows.append([attributes.get(key) for key in ("ts", "t", "lb", "rm", "s")])
            depth += not empty
        elif depth:
            depth += not empty
    names = ["timeStamp", "elapsed", "label", "responseMessage", "success"]
    return _samples(pl.DataFrame(rows, dict.fromkeys(names, pl.String), orient="row"), 1)


def _samples(frame: pl.DataFrame, first_line: int) -> Iterator[Execution]:
    """Yield a run for each part of the samples that a gap ends."""
    message = pl.col("responseMessage" if "responseMessage" in frame.columns else "label")
    stamp = pl.col("timeStamp")
    text = stamp.str.replace_all("/", "-", literal=True).str.replace("T", " ", literal=True)
    samples = frame.with_row_index("line", first_line).filter(
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
    is_first, at, end = True, pl.col("at"), pl.col("at") + pl.col("elapsed")
    for run in samples.with_columns(run=begins.cum_sum()).partition_by("run", maintain_order=True):
        start, stop, line = run.select(at.min(), end.max().alias("end"), pl.col("line").min()).row(
            0
        )
        begin = datetime.fromtimestamp(start / 1000, UTC)
        seconds = max((stop - start) / 1000, 0.001)
        yield from runs_of(
            _by_label(run, seconds), begin if is_zoned else begin.replace(tzinfo=None), seconds,
            1 if is_first else line, rejected=rejected if is_first else (),
        )  # fmt: skip
        is_first = False


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


def rows(text: str) -> list[dict[str, Any]]:
    """Return the rows of a report in CSV; their keys have no slash, which would be a path."""
    return _csv(text).rename(lambda name: name.replace("/", " per ")).to_dicts()


# --- texts ------------------------------------------------------------------------------------


def _parts(text: str, begin: str) -> Iterator[tuple[str, int]]:
    """Yield the parts of a text that each begin with a pattern, and their lines."""
    starts = [match.start() for match in re.finditer(begin, text, re.MULTILINE)]
    for at, stop in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text[at:stop], text.count("\n", 0, at) + 1


_OfGo = tuple[str, str, str, str, int]  # package, name, figures, fault, line
_GO = re.compile(r"(\d+)\s+([\d.]+ \S+.*)")


def go(text: str) -> Iterator[Execution]:
    """Read go test -bench, also with -json: a run for each package and each repetition (-count)."""
    start = None
    if text.lstrip().startswith("{"):
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        start = moment(lines[0].get("Time", ""))
        parts: dict[str, str] = {}
        for line in lines:
            package_name = str(line.get("Package", ""))
            parts[package_name] = parts.get(package_name, f"pkg: {package_name}\n") + str(
                line.get("Output", "")
            )
        text = "\n".join(parts.values())
    package, pending, failed = "", "", False
    results: list[_OfGo] = []
    for at, row in enumerate(text.split("\n"), 1):
        if row.startswith("pkg: "):
            package = row[5:].strip()
        elif match := re.match(r"(Benchmark\S+)\s*(.*)", row):
            pending = match[1]
        elif match := re.match(r"\s*--- FAIL: (Benchmark\S+)", row):
            results.append((package, match[1], "", "failed", at))
            failed = True
        elif match := re.match(r"FAIL\b\s*(\S*)", row):
            if not failed:
                results.append((match[1] or package, "", "", "go test failed", at))
            failed = bool(not match[1])
        if pending and (match := _GO.match(row.removeprefix(pending).strip())):
            results.append((package, pending, match[2], "", at))
            pending = ""
    yield from runs_of(_of_go(results), start)


def _of_go(results: list[_OfGo]) -> Iterator[Entry]:
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
        given = {"package": package, "processors": name and processors}
        context = {key: value for key, value in given.items() if value}
        yield Entry(name[9:].removesuffix(f"-{processors}"), figures, failed, context, line)


_SCALES = {"n": 1e-9, "µ": 1e-6, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9,
           "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30}  # fmt: skip
#: Units of benchstat -> those of go test.
_OF_GO = {"sec/op": ("ns/op", 1e9), "time/op": ("ns/op", 1e9), "alloc/op": ("B/op", 1.0),
          "B/s": ("MB/s", 1e-6), "speed": ("MB/s", 1e-6)}  # fmt: skip


def benchstat(text: str) -> Iterator[Execution]:
    """Read what benchstat compares, as go test gives it: a run for each of its files."""
    package, unit, labels = "", "", list[str]()
    results: dict[str, dict[tuple[str, str], _OfGo]] = {}
    lacking: list[Rejected] = []
    for at, row in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in row.split("│")[1:] if cell.strip()]
        if row.startswith("pkg: "):
            package = row[5:].strip()
        elif cells and re.search(r"(?:/op|/s)(?: +vs base)?$", cells[0]) and labels and not unit:
            unit = cells[0].split()[0]
        elif cells:
            labels, unit = cells, ""
        elif row.startswith("name "):
            names = [
                name.split() for name in re.split(r" {2,}", row.strip())[1:] if name != "delta"
            ]
            labels, unit = [" ".join(parts[:-1]) for parts in names], names[0][-1]
        name, *values = re.sub(r"[-+][\d.]+%|~|±\s*\S+|\(.*|[¹²³]", " ", row).split() or [""]
        numbers = [re.fullmatch(r"([\d.]+)([nuµmkMG]?i?)(?:s|B|B/s)?", value) for value in values]
        if not unit or not values or not all(numbers) or name == "geomean":
            continue
        if len(values) < len(labels):
            lacking.append(
                Rejected(at, f"{name}: one file lacks it, and the line does not say which")
            )
            continue
        of_go, times = _OF_GO.get(unit, (unit, 1.0))
        for label, number_of in zip(labels, numbers, strict=True):
            assert number_of
            value = float(number_of[1]) * _SCALES.get(number_of[2], 1.0) * times
            by_test = results.setdefault(label, {})
            before = by_test[package, name][2] if (package, name) in by_test else ""
            figures = f"{before} {value:.12g} {of_go}"
            by_test[package, name] = (package, f"Benchmark{name}", figures, "", at)
    for label, by_test in results.items():
        build = {"git_revision": label.removesuffix(".txt")} if label else {}
        yield from runs_of(_of_go(list(by_test.values())), labels=build, rejected=lacking)
        lacking = []


_FIO_JOB = r"^(\S.*?): \(groupid=(\d+), jobs=\d+\): err=\s*(\d+)"


def fio_jobs(text: str) -> list[dict[str, object]]:
    """Return the jobs that fio printed, as its JSON has them."""
    jobs = []
    for part, _ in _parts(text, _FIO_JOB):
        match = re.match(_FIO_JOB, part)
        assert match
        job: dict[str, object] = {
            "jobname": match[1], "groupid": int(match[2]), "error": int(match[3]),
        }  # fmt: skip
        for way, _ in _parts(part.split("\nRun status")[0], r"^ {1,3}(?:read|write|trim)\s*: "):
            rate = re.search(r"iops=\s*([\d.]+)([kMG]?)", way, re.IGNORECASE)
            width = re.search(r"bw=\s*([\d.]+)([KMGT]?)i?B/s", way, re.IGNORECASE)
            figures: dict[str, object] = {"total_ios": 1}
            if rate:
                figures["iops"] = float(rate[1]) * _SCALES[rate[2]]
            if width:
                figures["bw_bytes"] = float(width[1]) * (
                    conversion(f"{width[2].upper()}B", "B") or 0
                )
            if mean := re.search(r"^\s*lat \((.)sec\)\s*:.*avg=\s*([\d.]+)", way, re.MULTILINE):
                figures["lat_ns"] = {"mean": float(mean[2]) * 1e9 * _SCALES[mean[1]]}
            if block := re.search(r"clat percentiles \((.)sec\):((?:\s*\|.*)+)", way):
                figures["clat_ns"] = {"percentile": {
                    share: float(value) * 1e9 * _SCALES[block[1]]
                    for share, value in re.findall(r"([\d.]+)th=\[\s*([\d.]+)\]", block[2])
                }}  # fmt: skip
            job[way.split(":")[0].strip()] = figures
        jobs.append(job)
    return jobs
