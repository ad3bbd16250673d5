"""A drawing of systems, queue managers and what connects them, from their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from app.charts.style import COLORS

__all__ = ["systems"]

Row = Mapping[str, Any]
_LINE = 15  # pixels of a line of text
_GAP = 18
_PARTNER = 120  # pixels: the width of a partner off z/OS
_LETTER = 6.2  # pixels: the mean width of one
_FILLS = ("#dbe9f4", "#fbeede")  # of what data go to, and of what they come from
_INK, _FRAME, _PAPER = "#1d2530", "#8a93a3", "#f3f6f9"


def systems(parts: Mapping[str, Sequence[Row]], *, width: int) -> dict[str, Any]:
    """Return a Vega-Lite specification that draws systems in a row, `width` pixels wide.

    `parts`: rows of machines (system, sysplex, machine, cps, ziips), managers (queue_manager,
    system), channels (queue_manager, remote, channels), facilities (coupling_facility), disks
    (control_unit) and partners (partner, networks), each maybe empty. Partners stand at the left,
    the coupling facilities above the systems, the disks below; an arrow is drawn for each pair of
    queue managers with channels between them.
    """
    boxes: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    arrows: list[dict[str, Any]] = []

    def box(
        left: float, top: float, wide: float, high: float, lines: Sequence[str], fill: str
    ) -> None:
        boxes.append(_box(left, top, wide, high, fill))
        texts.extend(
            {"x": left + wide / 2, "y": top + 11 + _LINE * n, "text": line}
            for n, line in enumerate(lines)
        )

    machines = list(parts["machines"]) or [
        {"system": name} for name in dict.fromkeys(row["system"] for row in parts["managers"])
    ]
    partners = parts["partners"]
    left = _PARTNER + 70 if partners else 0
    wide = (width - left - _GAP * (len(machines) - 1)) / len(machines)
    managers_of = {m["system"]: [q for q in parts["managers"] if q["system"] == m["system"]]
           for m in machines}  # fmt: skip
    deep = max(map(len, managers_of.values()), default=0)
    top = 0.0
    if parts["facilities"]:
        names = ", ".join(str(row["coupling_facility"]) for row in parts["facilities"])
        label = "Coupling facility" if len(parts["facilities"]) == 1 else "Coupling facilities"
        box(left, 0, width - left, 24, [f"{label} {names}"], _PAPER)
        top = 24 + _GAP
    texts_of = {m["system"]: _of_system(m, int(wide / _LETTER)) for m in machines}
    above = 17 + _LINE * max(map(len, texts_of.values()))
    height = above + 2 + deep * 38
    middle: dict[str, tuple[float, float]] = {}
    for index, machine in enumerate(machines):
        at = left + index * (wide + _GAP)
        box(at, top, wide, height, texts_of[machine["system"]], "white")
        for n, manager in enumerate(managers_of[machine["system"]]):
            under = top + above + n * 38
            name = str(manager["queue_manager"])
            box(at + 10, under, wide - 20, 22, [name], "#dbe9f4")
            middle[name] = (at + wide / 2, under)
        if parts["facilities"]:
            arrows.append(_line(at + wide / 2, top - _GAP, at + wide / 2, top))
        if parts["disks"]:
            arrows.append(_line(at + wide / 2, top + height, at + wide / 2, top + height + _GAP))
    if partners:
        for n, partner in enumerate(partners):
            under = top + 20 + n * 60
            box(0, under, _PARTNER, 40, [str(partner["partner"])], "#fbeede")
            arrows.append(_line(_PARTNER, under + 20, left, under + 20, COLORS[1]))
            texts.append({
                "x": (_PARTNER + left) / 2, "y": under + 8,
                "text": ", ".join(partner["networks"] or ["network"]),
            })  # fmt: skip
    lane = 0
    for row in parts["channels"]:
        start, end = middle.get(str(row["queue_manager"])), middle.get(str(row["remote"]))
        if start is None or end is None or start[0] == end[0]:
            continue
        (x, y), (x2, y2) = start, end
        low = max(y, y2) + 28 + 4 * lane
        lane += 1
        arrows += [
            _line(x, y + 22, x, low, COLORS[0]), _line(x, low, x2, low, COLORS[0]),
            _line(x2, low, x2, y2 + 22, COLORS[0]),
        ]  # fmt: skip
    bottom = top + height
    if parts["disks"]:
        names = ", ".join(dict.fromkeys(str(row["control_unit"]) for row in parts["disks"]))
        box(left, bottom + _GAP, width - left, 24, [f"Disks {names}"], _PAPER)
        bottom += _GAP + 24
    return _spec(boxes, texts, arrows, width, bottom + 4)


def paths(ways: Sequence[tuple[Sequence[str], Sequence[str]]], *, width: int) -> dict[str, Any]:
    """Return a Vega-Lite specification that draws which ways data go, `width` pixels wide.

    `ways`: of each its boxes from left to right, and the text over the arrow behind each but the
    last.
    """
    boxes: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    arrows: list[dict[str, Any]] = []
    heads: list[dict[str, Any]] = []
    wide = [max(14 + _LETTER * len(names[side]) for names, _ in ways) for side in (0, -1)]
    for n, (names, over) in enumerate(ways):
        widths = [wide[0], *(14 + _LETTER * len(name) for name in names[1:-1]), wide[1]]
        gap, top, x = (width - sum(widths)) / len(over), n * (24 + _GAP), 0.0
        for k, name in enumerate(names):
            boxes.append(_box(x, top, widths[k], 24, _FILLS[k == 0]))
            texts.append({"x": x + widths[k] / 2, "y": top + 12, "text": name})
            x += widths[k]
            if k < len(over):
                arrows.append(_line(x, top + 12, x + gap - 6, top + 12, COLORS[0]))
                heads.append({"x": x + gap - 5, "y": top + 12})
                texts.append({"x": x + gap / 2, "y": top + 3, "text": over[k]})
            x += gap
    return _spec(boxes, texts, arrows, width, len(ways) * (24 + _GAP) - _GAP + 2, heads)


def _box(x: float, y: float, wide: float, high: float, fill: str) -> dict[str, Any]:
    return {"x": x, "x2": x + wide, "y": y, "y2": y + high, "fill": fill}


def _of_system(row: Row, letters: int) -> list[str]:
    """Return what stands at the top of a system's box, in lines of so many letters."""
    sysplex = f" in {row['sysplex']}" if row.get("sysplex") else ""
    processors = [
        f"{row[kind]:g} {word if row[kind] == 1 else word + 's'}"
        for kind, word in (("cps", "CP"), ("ziips", "zIIP"))
        if row.get(kind)
    ]
    texts = [f"{row['system']}{sysplex}", str(row.get("machine") or ""), ", ".join(processors)]
    return [line for text in texts for line in wrap(text, letters)]


def _line(x: float, y: float, x2: float, y2: float, color: str = _FRAME) -> dict[str, Any]:
    return {"x": x, "y": y, "x2": x2, "y2": y2, "color": color}


def _spec(
    boxes: list[dict[str, Any]],
    texts: list[dict[str, Any]],
    lines: list[dict[str, Any]],
    width: int,
    height: float,
    heads: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return the layers of a drawing in pixels, from the top left."""
    x = {"type": "quantitative", "axis": None, "scale": {"domain": [0, width], "nice": False}}
    y = {
        "type": "quantitative", "axis": None,
        "scale": {"domain": [0, height], "nice": False, "reverse": True},
    }  # fmt: skip
    both = {"x": {"field": "x", **x}, "y": {"field": "y", **y}}
    ends = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width,
        "height": height,
        "padding": 2,
        "layer": [
            {
                "data": {"values": boxes},
                "mark": {"type": "rect", "stroke": _FRAME, "cornerRadius": 3},
                "encoding": both | ends
                | {"fill": {"field": "fill", "type": "nominal", "scale": None}},
            },
            {
                "data": {"values": lines},
                "mark": {"type": "rule", "strokeWidth": 1.6},
                "encoding": both | ends
                | {"color": {"field": "color", "type": "nominal", "scale": None}},
            },
            {
                "data": {"values": list(heads)},
                "mark": {"type": "point", "shape": "triangle-right", "filled": True, "size": 70,
                         "color": COLORS[0], "opacity": 1},
                "encoding": both,
            },
            {
                "data": {"values": texts},
                "mark": {"type": "text", "color": _INK, "fontSize": 11, "baseline": "middle"},
                "encoding": both | {"text": {"field": "text", "type": "nominal"}},
            },
        ],
    }  # fmt: skip
