"""CSV that a person opens in a spreadsheet."""

from __future__ import annotations

import polars as pl
from polars import selectors as cs

__all__ = ["written"]

# OWASP's list, with the wide forms of East Asian keyboards. A number, as text too, is no formula.
_FORMULA = r"^[=+\-@\t\r\n\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]"
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_TEXTS = cs.string() | cs.categorical() | cs.enum()


def written(frame: pl.DataFrame) -> str:
    """Return a frame as CSV in which no text is a formula.

    Names come from records and manifests. A text or a heading that a spreadsheet would take for a
    formula gets an apostrophe, with which it is shown as text; numbers stay as they are.
    """
    text = _TEXTS.cast(pl.String)
    is_formula = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    safe = frame.with_columns(pl.when(is_formula).then("'" + text).otherwise(text).name.keep())
    headings = pl.Series(frame.columns, dtype=pl.String)
    return safe.rename(
        {name: f"'{name}" for name in headings.filter(headings.str.contains(_FORMULA))}
    ).write_csv()
