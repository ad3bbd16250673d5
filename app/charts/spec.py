"""Charts as Vega-Lite specifications, for pages with many of them.

Altair builds and checks a chart of lines in 30 ms; the same specification as a dict takes 1 ms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

__all__ = ["Spec"]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_MOMENT = "%Y-%m-%dT%H:%M:%S%.3f%:z"


@dataclass(frozen=True)
class Spec:
    """A specification without data, and the frames that it names.

    Moments have the time zone UTC.
    """

    body: Mapping[str, Any]
    data: Mapping[str, pl.DataFrame]

    def with_frames(self) -> dict[str, Any]:
        """Return the specification with its frames, as Streamlit takes it."""
        return {"$schema": _SCHEMA, **self.body, "datasets": dict(self.data)}

    def to_dict(self) -> dict[str, Any]:
        """Return the whole specification as JSON values."""
        rows = {
            name: frame.with_columns(pl.selectors.datetime().dt.strftime(_MOMENT)).to_dicts()
            for name, frame in self.data.items()
        }
        return {"$schema": _SCHEMA, **self.body, "datasets": rows}
