"""Read `docker system df` (also -v) and `docker stats`.

All are tables: a cell begins below its heading, and may be empty. `docker stats` without
--no-stream repeats its table, with terminal control characters between.

    TYPE            TOTAL     ACTIVE    SIZE      RECLAIMABLE
    Images          6         2         62.23GB   30.98GB (49%)

    CONTAINER ID   NAME      CPU %     MEM USAGE / LIMIT    MEM %     NET I/O       BLOCK I/O   PIDS
    57f320406648   mq        0.30%     64.2MiB / 6.698GiB   0.94%     1.21kB / 0B   0B / 0B     20

Facts: Docker's reference of the two commands; kB, MB and GB are powers of 1000, KiB, MiB and GiB of
1024; CPU % is relative to one CPU. Neither prints a time. Before release 1.9 docker stats had no
column BLOCK I/O, and MEM USAGE/LIMIT without blanks. Releases before 1.13 have a blank between size
and unit. A negative size (-2.5e+08 B; moby/moby issues 30257, 45395) is a miscount of Docker's and
keeps its unit B, with an exponent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import polars as pl

from ingest.formats.text.figures import integer, number_with_unit
from ingest.formats.text.lines import lines, sample
from ingest.formats.text.parser import Parsed
from ingest.formats.text.table import Column, Output, describe_tables

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

KIND = "docker"
_LINE = Column("record_no", "Line of the row", pl.Int64)
TABLES = {
    "bench_docker_df": (
        _LINE,
        Column("type", "Images, Containers, Local Volumes or Build Cache", pl.String),
        Column("total", "Objects of the type", pl.Int64),
        Column("active", "Objects in use", pl.Int64),
        Column("size_bytes", "Space used [bytes]"),
        Column(
            "reclaimable_bytes",
            "Space that could be freed, as printed; negative where Docker miscounts [bytes]",
        ),
    ),
    "bench_docker_object": (
        _LINE,
        Column("kind", "image, container, volume or build_cache", pl.String),
        Column("id", "Identifier of the object", pl.String),
        Column("name", "Name of the object; for an image, repository:tag", pl.String),
        Column("size_bytes", "Space used [bytes]"),
        Column("shared_bytes", "Space that an image shares with others [bytes]"),
        Column("unique_bytes", "Space that only this image uses [bytes]"),
        Column("users", "Containers that use the image or the volume", pl.Int64),
        Column("status", "Status of a container as printed", pl.String),
    ),
    "bench_docker_stats": (
        _LINE,
        Column("sample", "Number of the table in its file, from 1", pl.Int32),
        Column("container_id", "Identifier of the container", pl.String),
        Column("name", "Name of the container", pl.String),
        Column("cpu_pct", "CPU of the container, relative to one CPU [%]"),
        Column("memory_bytes", "Memory in use [bytes]"),
        Column("memory_limit_bytes", "Memory limit [bytes]"),
        Column("memory_pct", "Memory in use, relative to the limit [%]"),
        Column("network_received_bytes", "Bytes received since the container's start [bytes]"),
        Column("network_sent_bytes", "Bytes sent since the container's start [bytes]"),
        Column(
            "block_read_bytes",
            "Bytes read from devices since the container's start; null before Docker 1.9 [bytes]",
        ),
        Column(
            "block_written_bytes",
            "Bytes written to devices since the container's start; null before Docker 1.9 [bytes]",
        ),
        Column("pids", "Processes and threads of the container", pl.Int64),
    ),
}
SCHEMAS, COLUMN_DOCS = describe_tables(TABLES)
TITLES = {
    "bench_docker_df": "One row per type of object in the output of docker system df",
    "bench_docker_object": "One row per object in the output of docker system df -v",
    "bench_docker_stats": "One row per container and table in the output of docker stats",
}

_CONTROL = re.compile(r"\x1b\[[0-9;?]{0,12}[A-Za-z]")
#: Headings that identify a table, and what its rows are.
_HEADINGS = {
    ("TYPE", "TOTAL", "ACTIVE", "SIZE", "RECLAIMABLE"): "df",
    ("REPOSITORY", "TAG", "IMAGE ID"): "image",
    ("CONTAINER ID", "IMAGE", "COMMAND"): "container",
    ("VOLUME NAME", "LINKS", "SIZE"): "volume",
    ("CACHE ID", "CACHE TYPE", "SIZE"): "build_cache",
    ("CONTAINER ID", "NAME", "CPU %"): "stats",
    ("CONTAINER", "CPU %", "MEM USAGE / LIMIT"): "stats",
    ("CONTAINER", "CPU %", "MEM USAGE/LIMIT"): "stats",
    ("NAME", "CPU %", "MEM USAGE / LIMIT"): "stats",
}
#: Table -> heading -> the columns of its cells.
_CELLS = {
    "bench_docker_df": {
        "TYPE": "type", "TOTAL": "total", "ACTIVE": "active", "SIZE": "size_bytes",
        "RECLAIMABLE": "reclaimable_bytes",
    },
    "bench_docker_stats": {
        "CONTAINER ID": "container_id", "CONTAINER": "container_id", "NAME": "name",
        "CPU %": "cpu_pct", "MEM USAGE / LIMIT": "memory_bytes memory_limit_bytes",
        "MEM USAGE/LIMIT": "memory_bytes memory_limit_bytes", "MEM %": "memory_pct",
        "NET I/O": "network_received_bytes network_sent_bytes",
        "BLOCK I/O": "block_read_bytes block_written_bytes", "PIDS": "pids",
    },
    "bench_docker_object": {
        "IMAGE ID": "id", "CONTAINER ID": "id", "CACHE ID": "id", "NAMES": "name",
        "VOLUME NAME": "name", "SIZE": "size_bytes", "SHARED SIZE": "shared_bytes",
        "UNIQUE SIZE": "unique_bytes", "CONTAINERS": "users", "LINKS": "users", "STATUS": "status",
    },
}  # fmt: skip
_OTHER = re.compile(r"\s*(?:\w+ ?\w* (?:space )?usage:.*|\$ .*|> .*)?")
_UNITS = {"B": 1.0, "%": 1.0} | {
    unit: base**power
    for power, prefix in enumerate("KMGTP", 1)
    for base, unit in (
        (1000.0, f"{prefix}B"),
        (1000.0, f"{prefix.lower()}B"),
        (1024.0, f"{prefix}iB"),
    )
}


def recognise(head: bytes) -> str | None:
    """Return the kind of file, by the heading of a table in its first lines."""
    text = _CONTROL.sub("", sample(head))
    has_rows = any(_rows_of(_cells(line)) for line in text.splitlines()[:200])
    return KIND if has_rows else None


def parse(content: bytes) -> Parsed:
    """Parse one whole file; lines that do not fit the heading above them go to `rejected`."""
    out = Output(SCHEMAS)
    kind, heading, table = "", list[tuple[str, int]](), 0
    for number, printed in lines(content, is_print=False):
        text = _CONTROL.sub("", printed)
        cells = _cells(text)
        if rows := _rows_of(cells):
            kind, heading, table = rows, cells, table + (rows == "stats")
            continue
        if _OTHER.fullmatch(text):
            continue
        given = dict(_sections(text, heading))
        name = f"bench_docker_{kind if kind in ('df', 'stats') else 'object'}"
        row = _row(name, given)
        if not kind or row.get("cpu_pct" if kind == "stats" else "size_bytes") is None:
            out.reject(number, "not a row of the table above")
            continue
        if kind == "image":
            row["name"] = f"{given.get('REPOSITORY', '')}:{given.get('TAG', '')}"
        of_kind = {"df": {}, "stats": {"sample": table}}.get(kind, {"kind": kind})
        out.add(name, row | of_kind | {"record_no": number})
    return Parsed(KIND, out.frames(), out.rejected)


def _cells(text: str) -> list[tuple[str, int]]:
    """Return the cells of a heading, at least two blanks apart, and where each begins."""
    return [(m[0], m.start()) for m in re.finditer(r"\S+(?: \S+)*", text[:400])]


def _rows_of(cells: list[tuple[str, int]]) -> str:
    """Return what the rows below a heading are; nothing if it is not a heading."""
    names = tuple(name for name, _ in cells)
    return next(
        (kind for heading, kind in _HEADINGS.items() if names[: len(heading)] == heading), ""
    )


def _sections(text: str, heading: list[tuple[str, int]]) -> Iterator[tuple[str, str]]:
    """Yield each heading and the lines below it."""
    ends = [start for _, start in heading[1:]] + [len(text)]
    for (name, start), end in zip(heading, ends[: len(heading)], strict=True):
        # A cell wider than its column shifts those after it.
        if start and text[start - 1 : start].strip():
            return
        if value := text[start:end].strip():
            yield name, value


def _row(table: str, given: Mapping[str, str]) -> dict[str, object]:
    """Return the columns of the cells of a row."""
    row: dict[str, object] = {}
    for heading, columns in _CELLS[table].items():
        if (text := given.get(heading)) is None:
            continue
        # `64.2MiB / 6.698GiB`, `30.98GB (49%)` and `0B (virtual 1.2GB)`
        for column, part in zip(columns.split(), re.split(r"/| \(", text), strict=False):
            if SCHEMAS[table][column] == pl.String:
                row[column] = text
            elif SCHEMAS[table][column] == pl.Int64:
                row[column] = integer(text)
            else:
                row[column] = number_with_unit(part, _UNITS)
    return row
