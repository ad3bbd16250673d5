"""Excerpts of RMF reports for the tests, and what is genuine in each.

GENUINE  printed figures and words as shown by the named page
LAID_OUT the page's copy has lost its blanks: words and figures are the page's, but the columns are
         aligned again below the page's headings
MADE     made for the tests, below headings that are genuine or from the manual's field list
"""

import csv
from pathlib import Path

FOLDER = Path(__file__).parent / "samples/rmf"
__all__ = ["EXCERPTS", "FOLDER", "text"]

#: File -> (what is genuine, its source).
with Path(__file__).with_suffix(".csv").open(newline="") as _file:
    EXCERPTS = {name: tuple(said) for name, *said in list(csv.reader(_file))[1:]}


def text(name: str) -> str:
    """Return the text of an excerpt."""
    return (FOLDER / name).read_text()
