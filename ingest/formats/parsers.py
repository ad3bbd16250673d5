"""The parsers of text inputs, in the order in which they are tried."""

from __future__ import annotations

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
from ingest.formats.rmf import reports as rmf_reports
from ingest.formats.text.lines import sample
from ingest.formats.text.parser import Divisible, Parser

__all__ = ["PARSERS", "find_parser", "is_divisible"]

PARSERS: tuple[Parser, ...] = (
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
    outcome,  # last, as it takes any table
)


def find_parser(head: bytes) -> tuple[Parser, str] | None:
    """Return the first parser that recognises a file from its first bytes, and the kind of file."""
    for parser in PARSERS:
        if kind := parser.recognise(head):
            return parser, kind
    return None


def is_divisible(head: bytes) -> bool:
    """Return whether parts of a file can be read at the same time: of SMF, and of some texts."""
    if not sample(head):
        return True
    known = find_parser(head)
    return known is not None and isinstance(known[0], Divisible)
