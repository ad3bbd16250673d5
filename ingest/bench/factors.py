"""Factors of a configuration, named after the columns of the published figures."""

from __future__ import annotations

from ingest.published import CELL

__all__ = ["FACTORS", "SCOPES"]

_NOT_FACTORS = frozenset((
    "cell_id", "document", "table_id", "section", "source_line", "row_label", "target_printed",
    "chunk_size_printed", "address_space", "ziip_offload", "compared_with", "metric", "unit",
    "printed", "value_kind", "value", "value_low", "value_high", "anomalies", "note",
))  # fmt: skip
#: Factor -> its column of the published figures.
FACTORS = {column.name: column for column in CELL if column.name not in _NOT_FACTORS}
#: Key of a manifest's scope -> kind of the names in it.
SCOPES = {
    "lpars": "lpar",
    "address_spaces": "address_space",
    "report_classes": "report_class",
    "volumes": "volume",
}
