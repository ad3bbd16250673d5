"""Outputs of benchmark tools and RMF, as the tools print them, made of the rows they are read into.

    write_output("mft_xml", {"bench_mft_transfer": frame, "bench_mft_item": frame}) -> bytes

What a writer gives, the parser of the same kind reads back as the same rows, rounded as the tool
rounds: each writer's module says how.
"""

from __future__ import annotations

import polars as pl

from models_sim.simulator.outputs import (
    amqsrua,
    docker,
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

_TOOLS = (manifest, measurements, mft, amqsrua, harness, mqsc, ioping, linux, docker, syslog, rmf)
_WRITERS = {kind: writer for tool in _TOOLS for kind, writer in tool.WRITERS.items()}
#: The kinds that can be written, as the parsers' `recognise` names them.
KINDS = tuple(_WRITERS)


def write_output(kind: str, tables: dict[str, pl.DataFrame]) -> bytes:
    """The bytes that the tool would have printed of these rows. Raises KeyError for other kinds.

    `tables` is name of a raw table -> its rows in the order of the print; absent tables and columns
    are taken as empty.
    """
    return _WRITERS[kind](tables)
