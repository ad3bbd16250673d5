"""Notices as a message that people read: one for everything pending."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ingest.base.visible import visible

__all__ = ["mail_of", "slack_of", "subject_of"]

Notice = Mapping[str, Any]
_LISTED = 20  # findings of a heading
_LONGEST = 500  # characters of a line
_WHOLE = 35_000  # Slack cuts a message at 40,000

#: The state of a regression -> the heading it stands under, in their order.
_HEADINGS = {
    "suspected": "Suspected",
    "new": "New regressions",
    "confirmed": "Confirmed",
    "open": "Open again",
    "fixed": "Fixed",
    "acknowledged": "Acknowledged",
    "expected": "Expected",
    "false alarm": "False alarms",
    "withdrawn": "Withdrawn",
}
_MORE = "More is known"
_SHOW = "perfhouse regressions show"


def subject_of(notices: Sequence[Notice]) -> str:
    """Return what the notices are about, on one line."""
    counts = [f"{heading.lower()} ({len(items)})" for heading, items in _sections(notices)]
    return f"perfhouse: {', '.join(counts) or 'nothing new'}"


def mail_of(notices: Sequence[Notice], address: str = "") -> str:
    """Return the message as plain text; address: of the dashboard, for links, else commands."""
    parts = []
    for heading, items in _sections(notices):
        lines = [f"{heading} ({len(items)})"]
        for text, name in items[:_LISTED]:
            lines.append(f"- {_short(text)}")
            if name:
                link = f"{address}/regressions?id={name}" if address else f"{_SHOW} {name}"
                lines.append(f"  {link}")
        parts.append("\n".join([*lines, *_rest(items)]))
    return "\n\n".join(parts) + "\n"


def slack_of(notices: Sequence[Notice], address: str = "") -> str:
    """Return the message in Slack's own markup; address: of the dashboard, for links."""
    parts = []
    for heading, items in _sections(notices):
        lines = [f"*{heading} ({len(items)})*"]
        for text, name in items[:_LISTED]:
            link = f" <{address}/regressions?id={name}|{name}>" if address and name else ""
            lines.append(f"• {_escape(_short(text))}{link}")
        parts.append("\n".join([*lines, *_rest(items)]))
    return "\n\n".join(parts)[:_WHOLE]


Told = list[tuple[str, str]]  # a line, and the regression that it leads to or ''


def _sections(notices: Sequence[Notice]) -> list[tuple[str, Told]]:
    """Return what is reported under each heading; each regression once, in its latest state."""
    sections: dict[str, Told] = {}
    for key, heading in (
        ("faults", "Failures"), ("missing", "Missing"), ("alarms", "Alarms"),
        ("errors", "Errors in the data"),
    ):  # fmt: skip
        texts = dict.fromkeys(text for notice in notices for text in notice.get(key, ()))
        if texts:
            sections[heading] = [(text, "") for text in texts]
    last: dict[str, Mapping[str, Any]] = {}
    first: dict[str, str] = {}
    for notice in notices:
        for row in (*notice.get("regressions", ()), *notice.get("answers", ())):
            name = row["regression_id"]
            first.setdefault(name, row.get("was") or "")
            last.pop(name, None)  # the order is that of the last events
            last[name] = row
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for name, row in last.items():
        heading = _HEADINGS.get(row["state"], row["state"])
        heading = _MORE if first[name] == row["state"] else heading
        groups.setdefault((heading, row["group_id"]), []).append(row)
    order = [*_HEADINGS.values(), _MORE]
    for (heading, _), rows in sorted(
        groups.items(), key=lambda item: order.index(item[0][0]) if item[0][0] in order else 99
    ):
        head = next((row for row in rows if row["leads"]), rows[0])
        sections.setdefault(heading, []).append((_line(head, len(rows) - 1), head["regression_id"]))
    return list(sections.items())


def _line(row: Mapping[str, Any], others: int) -> str:
    more = f" (and {others} more figure{'s' * (others != 1)})" if others else ""
    note = f": {row['note']}" if row.get("note") else ""
    by = row.get("by")
    mark = f" [{row['state']} by {by}{note}]" if by != "detector" or note else ""
    owner = f" [{row['owner']}]" if row.get("owner") else ""
    return f"{row['message']}{more}{mark}{owner}"


def _rest(found: Told) -> list[str]:
    return [f"and {len(found) - _LISTED:,} more"] if len(found) > _LISTED else []


def _short(text: str) -> str:
    line = visible(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _escape(text: str) -> str:
    """Return a text in which Slack sees no link, mention or markup of its own."""
    pairs: Iterable[tuple[str, str]] = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"))
    for special, entity in pairs:
        text = text.replace(special, entity)
    return text
