"""Outputs of benchmark tools and RMF as the tools print them, made from rows of the raw tables.

    write_output("mft_xml", {"bench_mft_transfer": frame, "bench_mft_item": frame}) -> bytes

The parser of the same kind reads the bytes back as the same rows, rounded as the tool rounds; each
writer's module says how.
"""

from __future__ import annotations

import polars as pl

from models_sim.simulator.outputs import (
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
    rmf,
    syslog,
)

__all__ = ["KINDS", "write_output"]

_TOOLS = (manifest, measurements, mft, amqsrua, harness, mqsc, ioping, linux, docker, syslog, du,
          rmf)  # fmt: skip
_WRITERS = {kind: writer for tool in _TOOLS for kind, writer in tool.WRITERS.items()}
#: The kinds that can be written, under the names that the parsers' `recognise` uses.
KINDS = tuple(_WRITERS)


def write_output(kind: str, tables: dict[str, pl.DataFrame]) -> bytes:
    """Return the bytes that the tool would have printed for these rows.

    `tables` maps the name of a raw table to its rows in print order; absent tables and columns
    count as empty. Raise KeyError for an unknown kind.
    """
    return _WRITERS[kind](tables)
