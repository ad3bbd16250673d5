"""Factors of a configuration: the columns of the published figures, and settings of MFT.

No document has a table by those settings, so they are not columns of the figures.
"""

from __future__ import annotations

import polars as pl

from ingest.formats.published import CELL, Column

__all__ = ["FACTORS", "SCOPES"]

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
#: Factor -> its column.
FACTORS = {column.name: column for column in (*CELL, *_SETTINGS) if column.name not in _NOT_FACTORS}
#: Key of a manifest's scope -> kind of the names in it.
SCOPES = {
    "lpars": "lpar",
    "address_spaces": "address_space",
    "report_classes": "report_class",
    "volumes": "volume",
}
