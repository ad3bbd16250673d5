"""The parsers of text inputs, in the order in which they are tried."""

from __future__ import annotations

from functools import cache

from ingest.formats import published
from ingest.formats.bench import (
    amqsrua,
    docker,
    du,
    harness,
    ioping,
    linux,
    manifest,
    measurements,
    mft,
    mqsc,
    outcome,
    syslog,
)
from ingest.formats.plugin import register
from ingest.formats.rmf import reports as rmf_reports
from ingest.formats.text.lines import sample
from ingest.formats.text.parser import Divisible, Parser

__all__ = ["PARSERS", "find_parser", "is_divisible"]

_OURS: tuple[Parser, ...] = (
    published,
    rmf_reports,
    manifest,
    measurements,
    mft,
    amqsrua,
    harness,
    mqsc,
    ioping,
    linux,
    docker,
    syslog,
    du,
)
PARSERS: tuple[Parser, ...]  # also of plug-ins


@cache
def __getattr__(name: str) -> tuple[Parser, ...]:
    """Return what has parts of plug-ins: not before it is asked for, as they import parsers."""
    if name != "PARSERS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    objects = register(
        _OURS,
        lambda plugin: plugin.parsers,
        lambda parser: [f"raw.{table}" for table in parser.SCHEMAS],
    )
    return (*objects, outcome)  # last, as it takes any table


def find_parser(head: bytes) -> tuple[Parser, str] | None:
    """Return the first parser that recognises a file from its first bytes, and the kind of file."""
    for parser in __getattr__("PARSERS"):
        if kind := parser.recognise(head):
            return parser, kind
    return None


def is_divisible(head: bytes) -> bool:
    """Return whether parts of a file can be read at the same time: of SMF, and of some texts."""
    if not sample(head):
        return True
    parser = find_parser(head)
    return parser is not None and isinstance(parser[0], Divisible)
