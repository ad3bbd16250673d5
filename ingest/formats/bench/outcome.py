"""Results of tools and plain tables: the parser that ingest.formats.parsers registers.

Rows go to the tables of manifests: see ingest.formats.bench.results.
"""

from __future__ import annotations

import logging

from ingest.formats.bench import tables
from ingest.formats.bench.manifest import COLUMN_DOCS, SCHEMAS, TITLES, declared
from ingest.formats.bench.results import About, document
from ingest.formats.bench.tools import find_tool
from ingest.formats.bench.values import FaultError
from ingest.formats.text.lines import decode, sample
from ingest.formats.text.parser import Parsed, Rejected

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "parse_file", "recognise"]

TABLE_KIND = "results_table"

log = logging.getLogger(__name__)


def recognise(head: bytes) -> str | None:
    """Return the kind of file: results_ and the name of a tool, or results_table."""
    if tool := find_tool(sample(head)):
        return "results_" + tool.name.lower().replace(" ", "_").replace("-", "_")
    return TABLE_KIND if tables.recognise(head) else None


def parse(content: bytes) -> Parsed:
    """Parse one whole file of which nothing else is known."""
    return parse_file(content, About())


def parse_file(content: bytes, about: About) -> Parsed:
    """Parse one whole file; what has a fault goes to `rejected`."""
    content = decode(content).encode() if content[:1] in (b"\xff", b"\xfe") else content
    tool = find_tool(sample(content))
    kind = recognise(content) or TABLE_KIND
    rejected: list[Rejected] = []
    try:
        if tool:
            name, runs = tool.name, tool.executions(content)
        else:
            runs, rejected, _ = tables.executions(content, about)
            name = about.series or about.name.split(".")[0] or "results"
    except FaultError as error:
        return Parsed(kind, {}, [Rejected(error.line, str(error))])
    rejected += [part for run in runs for part in run.rejected]
    runs = [run for run in runs if run.figures]
    if not runs:
        return Parsed(kind, {}, rejected or [Rejected(1, "the file has no results")])
    metrics = {figure.metric for run in runs for figure in run.figures}
    if tool and (unused := sorted(about.better.keys() - metrics)):
        log.warning("%s: settings name no figure of this file: %s", name, ", ".join(unused))
    made, lines = document(name, runs, about)
    parsed = declared(made, lines, kind, apart=False)
    return Parsed(kind, parsed.tables, [*rejected, *parsed.rejected])
