"""Colours, heights, axes and number formats shared by all charts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Sequence
from itertools import count, cycle
from math import ceil, floor, log10
from textwrap import wrap
from typing import Any, Literal, TypeAlias
from zlib import crc32

import altair as alt
import polars as pl
from polars import selectors as cs

from app.charts.spec import Spec

__all__ = [
    "COLORS", "GREY", "HEIGHT", "LABEL_LINE", "LETTERS", "NUMBER", "PREDICTED", "PUBLISHED",
    "AnyChart", "Places", "axis", "axis_spec", "columns_of", "dashes", "decades",
    "height_with_legend", "legend", "legend_spec", "lines", "names_axis", "row_of",
    "shaped_legend", "tooltip_of", "width_of",
]  # fmt: skip


def _data(frame: Any) -> Any:
    """Return rows as Vega-Lite has them; moments count from 1970, UTC, whatever the browser's zone.

    There is no limit on their number.
    """
    moments, numbers = cs.date() | cs.datetime(), cs.float()
    finite = pl.when(numbers.is_finite()).then(numbers)
    return {"values": frame.with_columns(moments.dt.epoch("ms"), finite).to_dicts()}


alt.data_transformers.register("rows", _data)
alt.data_transformers.enable("rows")
AnyChart: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart | alt.VConcatChart | Spec

#: The colours of series on a light background, which colour-blind people tell apart; the theme of
#: the dashboard has the same ones, and others for dark.
COLORS = (
    "#0072B2", "#D55E00", "#009E73", "#332277", "#884444", "#CC77AA", "#3399EE", "#661100",
)  # fmt: skip
#: Colours with a meaning, seen on light and on dark; a shape, dash or place says the same.
GREY, PUBLISHED, PREDICTED = "#8a93a3", "#8a5fc4", "#2f6fde"

HEIGHT = 215  # pixels, with axes, without legend
NUMBER = ",.4~r"  # four significant digits, grouped by thousands

LETTERS = 36  # of a name in one line
_CAPITAL = 1.3  # times the room of other letters
LABEL_LINE = 11  # pixels of each line of a name on an axis
_LEGEND_ROW = 22  # pixels
_SHORT, _LONG = 14, 30  # letters: four short names fit in a row, and no two long ones
_LABEL_WIDTHS = {4: 160, 2: 220, 1: 410}  # pixels, by the number of columns
_COLUMN_WIDTHS = {4: 125, 2: 235, 1: 410}  # that names of these lengths and their symbols take
_LETTER = 6  # pixels
_SYMBOL = 50  # pixels, with the margins of a chart
_DASHES = [[1, 0], [7, 3], [2, 2], [9, 3, 2, 3]]
# On a phone, a legend has as many columns as fit; a picture that is downloaded has no container.
_BESIDE = "min({0}, 0.4 * containerSize()[0])"  # names leave room for the plot
_FITTING = "containerSize()[0] > 0 ? {} : {}"
_NARROW = 22  # letters of a name in one line of a narrow page
_IS_NARROW = "inrange(containerSize()[0], [1, 500]) ? 1 : 0"
# "20k" only if the whole number would take too much room.
_LABEL = "abs(datum.value) >= 10000 ? format(datum.value, '~s') : format(datum.value, ',.6~r')"


def axis(title: str, **options: Any) -> alt.Axis:
    """Return a quantitative axis; `title` must give the unit."""
    return alt.Axis(**axis_spec(title), **options)


def axis_spec(title: str) -> dict[str, Any]:
    """Return `axis` as Vega-Lite has it."""
    return {"title": title, "labelExpr": _LABEL, "tickCount": 4, "titlePadding": 8}


def decades(title: str, low: float, high: float) -> dict[str, Any]:
    """Return axis and scale of a logarithmic encoding from decade to decade around two values.

    Ticks are at the decades; an axis of one decade has them at 2 and 5, too.
    """
    first = floor(log10(low))
    last = max(ceil(log10(high)), first + 1)
    steps = (1, 2, 5) if last == first + 1 else (1,)
    values = [step * 10.0**power for power in range(first, last) for step in steps]
    shown = axis_spec(f"{title} (log scale)") | {"values": [*values, 10.0**last]}
    scale = alt.Scale(type="log", domain=[10.0**first, 10.0**last], nice=False)
    return {"axis": alt.Axis(**shown), "scale": scale}


def legend(
    columns: int = 4,
    *,
    symbol: str = "stroke",
    orient: Literal["top", "bottom"] = "top",
    values: Sequence[str] = (),
    beside: int = 0,
) -> alt.Legend:
    """Return a legend with this many columns, above or below the plot; `values`: only of these.

    `beside`: pixels of the names on the left of the plot.
    """
    return alt.Legend(
        **legend_spec(columns, symbol=symbol, orient=orient, values=values, beside=beside)
    )


def legend_spec(
    columns: int = 4,
    *,
    symbol: str = "stroke",
    orient: Literal["top", "bottom"] = "top",
    values: Sequence[str] = (),
    beside: int = 0,
) -> dict[str, Any]:
    """Return `legend` as Vega-Lite has it."""
    width = _COLUMN_WIDTHS[columns]
    room = f"(containerSize()[0] - {_BESIDE.format(beside)})"
    fitting = f"clamp(floor({room} / {width}), 1, {columns})"
    label = f"min({_LABEL_WIDTHS[columns]}, {room} - {_SYMBOL})"
    return {
        "orient": orient,
        "title": None,
        "columns": {"expr": _FITTING.format(fitting, columns)},
        "symbolType": symbol,
        "symbolOpacity": 1,
        "symbolSize": 400 if symbol == "stroke" else 70,  # long enough to show dashes
        "labelLimit": {"expr": _FITTING.format(label, _LABEL_WIDTHS[columns])},
        **({"values": list(values)} if values else {}),
        "rowPadding": 2,
        "columnPadding": 14,
        "offset": 6,
        "padding": 0,
    }


def shaped_legend(columns: int = 4, beside: int = 0) -> alt.Legend:
    """Return a legend like `legend` that shows the shapes of the marks."""
    key = legend(columns, beside=beside)
    key.symbolType = alt.Undefined
    key.symbolStrokeWidth = 0
    return key


def lines(name: str, most: int = LETTERS) -> list[str]:
    """Return a name in lines of at most so many letters: names often differ only at their end.

    Lines break at commas if they can, otherwise at blanks and underscores. Capitals take more room.

    >>> lines("Shared - Db2, binary"), lines("Shared - Db2, no put to waiting getter", 24)
    (['Shared - Db2, binary'], ['Shared - Db2,', 'no put to waiting getter'])
    >>> lines("one, two, three and four, five", 9), lines("TLS_AES_128_GCM_SHA256", 20)
    (['one, two,', 'three and', 'four,', 'five'], ['TLS_AES_128_GCM_', 'SHA256'])
    """
    if _letters(name) <= most:
        return [name]
    parts = name.split(", ")
    cuts = [(", ".join(parts[:n]) + ",", ", ".join(parts[n:])) for n in range(1, len(parts))]
    if cuts and max(map(_letters, cut := min(cuts, key=lambda c: max(map(_letters, c))))) <= most:
        return list(cut)
    texts = [""]
    for piece in re.findall(r"[^ _]*[ _]|[^ _]+", name):
        longest = max(int(most / _CAPITAL), 1)  # that fits whatever the letters are
        for some in [piece] if _letters(piece) <= most else wrap(piece, longest):
            if texts[-1] and _letters((texts[-1] + some).rstrip()) > most:
                texts.append("")
            texts[-1] += some
    return [line.rstrip() for line in texts]


def _letters(text: str) -> float:
    """Return as how many letters of usual width a text is wide."""
    return len(text) + (_CAPITAL - 1) * sum(letter.isupper() for letter in text)


def row_of(names: Sequence[str], most: int, least: int, around: int = 6) -> int:
    """Return the pixels of a row beside names in lines of at most so many letters, or `least`."""
    deepest = max((len(lines(name, most)) for name in names), default=1)
    return max(least, around + 4 * (deepest > 2) + LABEL_LINE * deepest)


def width_of(names: Sequence[str], most: int) -> int:
    """Return about how many pixels names on an axis take, at most this many."""
    return min(_LETTER * max(map(len, names), default=0), most)


def names_axis(names: Sequence[str], letters: int, width: int) -> alt.Axis:
    """Return an axis of names, at most `width` px wide; longer ones are in several lines.

    On a narrow page names have less room and shorter lines, of which two fit into any row; the last
    one may be cut off.
    """
    wide = {name: lines(name, letters) for name in names}
    fit = max([2, *map(len, wide.values())])
    labels = {}
    for name in names:
        narrow = lines(name, _NARROW)
        if len(narrow) > fit:
            narrow = [*narrow[: fit - 1], " ".join(narrow[fit - 1 :])]
        labels[name] = [wide[name], narrow]
    return alt.Axis(
        title=None,
        labelExpr=f"{json.dumps(labels)}[datum.label][{_IS_NARROW}]",
        labelLimit=alt.ExprRef(_FITTING.format(_BESIDE.format(width), width)),
        labelLineHeight=LABEL_LINE,
        ticks=False,
        labelOverlap=False,
        labelFlush=False,
    )


def columns_of(names: Sequence[str]) -> int:
    """Return the number of columns of a legend in which none of the names is cut off."""
    longest = max(map(len, names), default=0)
    return 4 if longest <= _SHORT else 2 if longest <= _LONG else 1


class Places:
    """The places in the range of colours that series have, so that each keeps its colour.

    The colours themselves are those of the theme. A name has a place of its own from the start, so
    that it mostly has the same colour in every session, unless fewer series have another one.
    """

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}
        self._users: Counter[int] = Counter()

    def domain(self, series: Sequence[str]) -> list[str]:
        """Return a domain that gives the series of one chart their colours.

        A series that has been in another chart keeps its colour, unless another one of this chart
        has it. Places between theirs hold blanks, which no legend may show.
        """
        by_place: dict[int, str] = {}
        for name in sorted(series, key=lambda name: name not in self._taken):
            slot = self._taken.get(name)
            if slot is None or slot in by_place:
                slot = self._free(name, by_place)
            by_place[slot] = name
            if name not in self._taken:
                self._taken[name] = slot
                self._users[slot] += 1
        return [
            by_place.get(slot, " " * (slot + 1)) for slot in range(max(by_place, default=-1) + 1)
        ]

    def _free(self, name: str, here: Container[int]) -> int:
        """Return the place that a name gets: with the fewest users, the next to its own."""
        seed, colours = crc32(name.encode()), len(COLORS)
        free = [slot for slot in range(colours) if slot not in here]
        if not free:
            return next(slot for slot in count(colours) if slot not in here)
        return min(free, key=lambda slot: (self._users[slot], (slot - seed) % colours))


def dashes(domain: Sequence[str], series: Sequence[str]) -> list[list[int]]:
    """Return how the line of each place of a domain is dashed.

    The first of the series is solid; there are as many kinds of dashes as eyes keep apart.
    """
    kinds = dict(zip(series, cycle(_DASHES)))
    return [kinds.get(name, _DASHES[0]) for name in domain]


def height_with_legend(height: int, entries: int, columns: int = 4) -> int:
    """Return the height of a chart whose legend does not shrink the plot."""
    return height + _LEGEND_ROW * -(-entries // columns)


def tooltip_of(frame: pl.DataFrame, column: str, title: str) -> alt.Tooltip:
    """Return the tooltip of one column; numbers have four significant digits."""
    if frame.schema[column].is_numeric():
        return alt.Tooltip(f"{column}:Q", title=title, format=NUMBER)
    return alt.Tooltip(f"{column}:N", title=title)
