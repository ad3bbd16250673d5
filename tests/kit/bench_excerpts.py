"""Outputs of tools for the tests, and what is genuine in each.

MADE_HERE printed by the tool itself, on a Linux machine, for these tests
GENUINE   lines as shown by the named page or repository
PARTLY    the named part is genuine; the rest follows the page's schema or format
MADE      follows the format of the named source
"""

import csv
from pathlib import Path

FOLDER = Path(__file__).parent / "samples/bench"
__all__ = ["EXCERPTS", "FOLDER", "content"]

#: File -> (what is genuine, its source).
with Path(__file__).with_suffix(".csv").open(newline="") as _file:
    EXCERPTS = {name: tuple(said) for name, *said in list(csv.reader(_file))[1:]}


def content(name: str) -> bytes:
    """Return the bytes of an excerpt."""
    return (FOLDER / name).read_bytes()
