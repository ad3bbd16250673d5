"""Charts as pictures: SVG and PNG, light and as wide as the page of a document."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import vl_convert
from markupsafe import escape

from app.reports.charts import sized

__all__ = ["png", "svg", "titled"]

_SCALE = 3.0  # PNG pixels for each one of the chart: 300 dpi in the column of an A4 page
_TITLE, _LINE = 15, 11  # font sizes, pixels
_TITLE_LETTERS, _LINE_LETTERS = 76, 108  # that fit in the width of a page


def titled(spec: Mapping[str, Any], title: str, lines: Sequence[str]) -> dict[str, Any]:
    """Return a Vega-Lite specification for a document, under its title and these lines."""
    return sized(
        dict(spec)
        | {
            "background": "white",
            "padding": 8,
            "title": {
                "text": textwrap.wrap(title, _TITLE_LETTERS),
                "subtitle": [part for line in lines for part in textwrap.wrap(line, _LINE_LETTERS)],
                "anchor": "start",
                "frame": "bounds",
                "fontSize": _TITLE,
                "fontWeight": "bold",
                "subtitleFontSize": _LINE,
                "subtitleColor": "#555",
                "offset": 12,
            },
        }
    )


def svg(spec: Mapping[str, Any], title: str) -> str:
    """Return a Vega-Lite specification as SVG with a title for screen readers."""
    drawn = vl_convert.vegalite_to_svg(dict(spec))
    return re.sub(
        r"<svg ([^>]*)>",
        lambda tag: f'<svg role="img" aria-label="{escape(title)}" {tag[1]}>',
        drawn,
        count=1,
    )


def png(spec: Mapping[str, Any]) -> bytes:
    """Return a Vega-Lite specification as PNG."""
    return vl_convert.vegalite_to_png(dict(spec), scale=_SCALE)
