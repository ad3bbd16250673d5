"""Which way data go: lanes of boxes and arrows, from the rows of the query `paths`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from app.reports.facts import listed, plural
from app.results.labels import small

__all__ = ["Lane", "in_words", "lanes"]

Row = dict[str, Any]
_ZOS = {"z/OS": "data sets", "USS": "Unix System Services files"}
_PLACES = {"xLinux": "xLinux", "Linux": "Linux"}
_PROTOCOLS = {"TCP": "TCP/IP", "FASP": "fasp.io"}
_STORED = 40  # letters of where data are kept
_GATEWAY = ("fasp.io", "gateway")


class Lane(NamedTuple):
    """One way: boxes from left to right, each of some lines, and the lines over each arrow.

    `below`: the lines of a box apart from the way, and the places of those it is connected with.
    """

    boxes: tuple[tuple[str, ...], ...]
    arrows: tuple[tuple[str, ...], ...]
    below: tuple[tuple[str, ...], tuple[int, ...]] = ((), ())


def lanes(rows: Iterable[Row], driver: str = "") -> list[Lane]:
    """Return the different ways of configurations, in their order.

    `rows`: of the query `paths`; `driver`: what puts the messages, where that is no agent. Ways
    through the same boxes are one lane, whose arrow says all their networks and channels.
    """
    found: dict[tuple[tuple[str, ...], ...], list[Row]] = {}
    for row in rows:
        boxes = _boxes(row, driver)
        if len(boxes) > 1:
            found.setdefault(boxes, []).append(row)
    merged: dict[tuple[tuple[str, ...], ...], list[Row]] = {}
    for boxes, own in found.items():
        for known in merged:
            if both := _together(known, boxes):
                merged = {both if one == known else one: some for one, some in merged.items()}
                merged[both] += own
                break
        else:
            merged[boxes] = own
    return [
        Lane(boxes, _arrows(boxes, own), _coordination(boxes, own)) for boxes, own in merged.items()
    ]


def in_words(found: Sequence[Lane]) -> str:
    """Return what a drawing of lanes shows, for those who cannot see it."""
    said = []
    for lane in found:
        text = ", ".join(lane.boxes[0])
        for box, over in zip(lane.boxes[1:], lane.arrows, strict=True):
            text += f" to {' '.join(box) if box == _GATEWAY else ', '.join(box)}"
            text += f" ({', '.join(over)})" if over else ""
        text += f"; beside it {small(', '.join(lane.below[0]))}" if lane.below[0] else ""
        said.append(text)
    return "; ".join(said) + "." if said else ""


def _boxes(row: Row, driver: str) -> tuple[tuple[str, ...], ...]:
    """Return the boxes of one way; fewer than two if nothing says where data went."""
    if not (row["source"] and row["target"]):
        return _of_messages(row, driver)
    ends = [_end(row, "source"), _end(row, "target")]
    between: list[tuple[str, ...]] = []
    if row["connection"] == "client" and row["source_manager"]:
        between = [("Queue manager", str(row["source_manager"]))]
    elif str(row["queue"] or "").startswith("Shared"):
        between = [("Shared queues,", str(row["queue"]).removeprefix("Shared - "))]
    elif row["protocol"] == "FASP":
        between = [_GATEWAY, _GATEWAY]
    return (ends[0], *between, ends[1])


def _together(
    first: tuple[tuple[str, ...], ...], second: tuple[tuple[str, ...], ...]
) -> tuple[tuple[str, ...], ...] | None:
    """Return the boxes of two ways that differ in nothing but where the last one keeps the data.

    None if they differ in more, or if that would be too long for a box.
    """
    *way, end = first
    *other, last = second
    if way != other or end[:-1] != last[:-1] or len(end) < 2:
        return None
    stored = f"{end[-1]} or {last[-1]}"
    return (*way, (*end[:-1], stored)) if len(stored) <= _STORED else None


def _coordination(
    boxes: Sequence[tuple[str, ...]], rows: Sequence[Row]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the box of the coordination queue manager, which those of the agents report to.

    None where the files pass through it.
    """
    names = {
        str(row["coordination_manager"])
        for row in rows
        if row["coordination_manager"]
        and row["coordination_manager"] not in {row["source_manager"], row["target_manager"]}
    }
    if not names:
        return (), ()
    managed = [
        place
        for place, lines in enumerate(boxes)
        if any(line.startswith("Queue manager") for line in lines)
    ]
    return ("Coordination", f"Queue manager {listed(sorted(names))}"), tuple(managed)


def _end(row: Row, side: str) -> tuple[str, ...]:
    """Return the lines of one end of a transfer: system, agent, queue manager and storage."""
    kind, volume = str(row[side]), row[f"{side}_volume"]
    manager = row[f"{side}_manager"] if row["connection"] != "client" else None
    if kind == "queue":
        stored = "a queue"
    else:
        stored = _ZOS.get(kind, row["target_storage"] if side == "target" else None) or "files"
    return tuple(
        line
        for line in (
            row[f"{side}_system"] or _PLACES.get(kind, "z/OS"),
            f"Agent {row[f'{side}_agent']}" if row[f"{side}_agent"] else None,
            f"Queue manager {manager}" if manager else None,
            f"{stored[0].upper()}{stored[1:]}" + (f" on {volume}" if volume else ""),
        )
        if line
    )


def _of_messages(row: Row, driver: str) -> tuple[tuple[str, ...], ...]:
    """Return the boxes that messages of an application go through."""
    first = [(driver,)] if driver else []
    if row["source_manager"] and row["target_manager"]:  # between two, over channels
        gateways = [_GATEWAY, _GATEWAY] if row["protocol"] == "FASP" else []
        ends = [
            tuple(filter(None, (row[f"{side}_system"], f"Queue manager {row[f'{side}_manager']}")))
            for side in ("source", "target")
        ]
        return (*first, ends[0], *gateways, ends[1])
    managers = str(row["busy_managers"] or "")
    several = "s" if "," in managers else ""
    own = tuple(
        filter(None, (row["busy_systems"], managers and f"Queue manager{several} {managers}"))
    )
    kind = row["connection"]
    between: list[tuple[str, ...]] = []
    if kind == "zCX":
        between = [("Queue manager", "in a z/OS container")]
    elif kind and kind not in {"direct", "z/OS"}:
        name, _, place = str(kind[:1].upper() + kind[1:]).partition(" on ")
        between = [(name, f"on {place}") if place else (name,)]
    if not own and kind == "z/OS":
        own = ("Queue manager", "on z/OS")
    shared = str(row["queue"] or "")
    behind = [("Shared queues",)] if shared.startswith("Shared") else []
    return tuple(box for box in (*first, *between, own, *behind) if box)


def _arrows(boxes: Sequence[tuple[str, ...]], rows: Sequence[Row]) -> tuple[tuple[str, ...], ...]:
    """Return the lines over the arrows between boxes: of the network, over the longest way."""
    networks = dict.fromkeys(str(row["network"]) for row in rows if row["network"])
    protocols = dict.fromkeys(
        _PROTOCOLS.get(row["protocol"], row["protocol"]) for row in rows if row["protocol"]
    )
    counts = sorted({row["channels"] for row in rows if row["channels"]})
    over = tuple(filter(None, (
        " or ".join(networks), listed(list(protocols)),
        f"{counts[0]} to {plural(counts[-1], 'channel')}" if len(counts) > 1
        else plural(counts[0], "channel") if counts else "",
    )))  # fmt: skip
    place = boxes.index(_GATEWAY) if _GATEWAY in boxes else 0
    if not rows[0]["source"] and len(boxes) > 2 and rows[0]["target_manager"]:
        place = max(place, 1)  # behind the driver
    return tuple(over if at == place else () for at in range(len(boxes) - 1))
