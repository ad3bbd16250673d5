"""Charts as pictures: SVG and PNG, light and as wide as the page of a document."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import escape

from ingest.base.visible import visible

__all__ = ["png", "svg", "with_title"]

_SCALE = 3.0  # PNG pixels for each one of the chart: 300 dpi in the column of an A4 page
_BY_LABEL = re.compile(r"(\{.*\})(\[datum\.label\].*)")  # an expression that looks a name up
_TITLE, _LINE = 15, 11  # font sizes, pixels
_TITLE_LETTERS, _LINE_LETTERS = 76, 108  # that fit in the width of a page


def with_title(spec: Mapping[str, Any], title: str, lines: Sequence[str]) -> dict[str, Any]:
    """Return a Vega-Lite specification for a document, under its title and these lines."""
    from app.reports.charts import with_width

    return with_width(
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
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(_legible(spec))
    return re.sub(
        r"<svg ([^>]*)>",
        lambda tag: f'<svg role="img" aria-label="{escape(visible(title))}" {tag[1]}>',
        drawn,
        count=1,
    )


def png(spec: Mapping[str, Any]) -> bytes:
    """Return a Vega-Lite specification as PNG."""
    import vl_convert

    return vl_convert.vegalite_to_png(_legible(spec), scale=_SCALE)


def _legible(value: Any) -> Any:
    """Return a specification with the invisible characters of its texts as escapes.

    A control character in one of them, which XML cannot have, makes vl-convert end the process.
    """
    if isinstance(value, str):
        if labels := _BY_LABEL.fullmatch(value):
            return f"{json.dumps(_legible(json.loads(labels[1])))}{labels[2]}"
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(name): _legible(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_legible(item) for item in value]
    return value
