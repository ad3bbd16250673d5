"""Factors of a configuration: the columns of the published figures, and settings of MFT and MQ.

No document has a table by those settings, so they are not columns of the figures.
"""

from __future__ import annotations

import polars as pl

from ingest.formats.published import CELL, Column

__all__ = ["ALIASES", "FACTORS", "SCOPES"]

_NOT_FACTORS = frozenset((
    "cell_id", "document", "table_id", "section", "source_line", "row_label", "target_printed",
    "chunk_size_printed", "address_space", "ziip_offload", "compared_with", "metric", "unit",
    "printed", "value_kind", "value", "value_low", "value_high", "anomalies", "note",
))  # fmt: skip
_SETTINGS = (
    Column("agent_window_size", "agentWindowSize: messages per acknowledgement", pl.Int32),
    Column("agent_frame_size", "agentFrameSize: acknowledgements per frame", pl.Int32),
    Column("agent_checkpoint_interval", "agentCheckpointInterval: frames per checkpoint", pl.Int32),
    Column("block_size", "BLKSIZE of the data set that is written, bytes", pl.Int32),
    Column("jit_level", "JIT of the agent on Linux: default, off, count=10, veryHot, scorching"),
)
_MESSAGING = (
    Column("persistent", "Persistent messages (Y) or non-persistent ones (N)"),
    Column("syncpoint", "Messages are put and got in syncpoint (Y) or outside of it (N)"),
    Column(
        "transaction", "What a transaction is: one-way, request/reply, channel start, queue open"
    ),
    Column("batching", "Batches of the channel: as achieved, or full"),
    Column("compressible", "How much of a message compression can save, percent", pl.Int32),
    Column("path", "Name of the path through the network"),
    Column("clients", "Number of clients", pl.Int32),
    Column("application", "How it uses connections: stays connected, connects for each message"),
    Column("accounting", "Accounting trace class 3 on (Y) or off (N)"),
    Column("queue_managers", "Number of queue managers", pl.Int32),
    Column("ziips", "Number of zIIPs online", pl.Int32),
    Column("key_interval", "After how many bytes a secret key is negotiated again; N: never"),
)
_FORMER = {"batching": "batch", "key_interval": "new_keys"}
#: Names of factors of messaging in manifests that were written before these were factors.
ALIASES = {f"x_{_FORMER.get(column.name, column.name)}": column.name for column in _MESSAGING}
#: Factor -> its column.
FACTORS = {
    column.name: column
    for column in (*CELL, *_SETTINGS, *_MESSAGING)
    if column.name not in _NOT_FACTORS
}
#: Key of a manifest's scope -> kind of the names in it.
SCOPES = {
    "lpars": "lpar",
    "address_spaces": "address_space",
    "report_classes": "report_class",
    "volumes": "volume",
}
