"""MQ's structures: the fields of MQ 10.0 and the lengths of every release, from tables of facts."""

from __future__ import annotations

import csv
from collections import defaultdict

from app.pipeline.places import ROOT
from ingest.formats.binary.layout import Layout

FOLDER = ROOT / "tests/unit/ingest/formats/layouts"
HEADERS = {"smf115_header": "qwst", "smf116_header": "qwas"}
#: Lengths in records of MQ 8.0, which is older than the table of sizes.
MQ_8_0 = {
    "qmst": 72, "qjst": 576, "qist": 80, "qlst": 32, "q5st": 672, "qesd": 328, "qpst": 104,
    "qcct": 48, "qcst": 324, "qwac": 176, "qmac": 48, "wtid": 208, "wtas": 2344, "wq": 2792,
}  # fmt: skip


def _read(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(newline="") as file:
        return list(csv.DictReader(file))


FACTS = _read("mq_structures.csv")
#: Structure -> release -> length.
SIZES: dict[str, dict[int, int]] = defaultdict(dict)
for _row in _read("mq_structure_sizes.csv"):
    SIZES[_row["structure"]][int(_row["mq_release"])] = int(_row["length"])


def structure_of(layout: Layout) -> str:
    """Return the name of a layout's structure in the facts."""
    return HEADERS.get(layout.table) or layout.table.split("_", 1)[1]


def released_lengths(layout: Layout) -> list[int]:
    """Return the lengths that a section had in any release, from the newest on.

    For z/OS they are not known: the newest, and one without the last third of the fields.
    """
    if layout.repeat or layout.table.startswith("smf180"):
        return [layout.row_length]
    if not layout.table.startswith(("smf115", "smf116")):
        return [layout.length, max(f.end for f in layout.fields[: -(-2 * len(layout.fields) // 3)])]
    structure = structure_of(layout)
    lengths = {layout.length, *SIZES[structure].values()}
    lengths |= {MQ_8_0.get(structure, layout.length)}
    return sorted(lengths | {layout.min_length or layout.length}, reverse=True)
