"""The cells that an independent formatter prints for a dump, and the values of raw.* for them.

`peer_columns.csv` maps every heading of the formatter to a raw column and a form. Its section "*"
has the headings that are in all its files, "115" those in all files of SMF 115; "{type}" is the
record type. A heading printed in two cells is written "A + B". The formatter's habits:

- a value that an older, shorter section lacks is -1; a text that it lacks is made of dots;
- a minimum size or time that was never set is -1 or 0 (the SQL of the map says which);
- a duration is two cells, seconds and microseconds; a moment is a date and a time with a comma;
- text keeps its padding, and characters that the formatter does not know (also zeros) are dots;
- text that looks like a number, and bytes in hexadecimal, are printed as ="...";
- codes have the formatter's own labels.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from scripts.evidence import OF_116, Mapped, table_of

PRINTED_SPECIALS = set(" $.<(+|&!*);-/,%_>?:#@'={}~[]")
PRINTED_AS = {"¢": "$", "»": "{", "º": "}", "ý": "(", "þ": "+"}
LABELS = {
    "Batch or TSO": "TSO",
    "IMS control region": "IMS Ctl",
    "IMS MPP or BMP": "IMS MPP/BMP",
    "Command server": "Cmd Svr",
    "Channel initiator": "CHIN",
    "RRS batch": "RRS",
    "Message id": "MsgId",
    "Correlation id": "CorrelId",
    "Message token": "MsgToken",
    "Group id": "GroupId",
    "Queue manager": "QMgr",
    "Fixed shared": "Fixshared",
    "Client connection": "ClntConn",
    "Server connection": "SvrConn",
    "Cluster receiver": "ClusRcvr",
    "Cluster sender": "ClusSdr",
}


def read_printed(path: Path) -> list[dict[str, str]]:
    """Return the lines of one of the formatter's files, by heading."""
    with path.open(newline="", encoding="latin-1") as file:
        heads, *lines = csv.reader(file)
    return [{h: _bare(cell) for h, cell in zip(heads, line, strict=True) if h} for line in lines]


def _bare(cell: str) -> str:
    return cell[2:-1] if cell.startswith('="') else cell


def read_held(
    db: duckdb.DuckDBPyConnection, source_id: str, section: str, mapping: Sequence[Mapped]
) -> list[tuple[Any, ...]]:
    """Return the rows of a section in record order, one value per mapped heading."""
    kind = "116" if section in OF_116 else "115"
    labels = f"(SELECT label FROM meta.code WHERE table_name IN ('{table_of(section)}', "
    labels += "'smf116_qwhc') AND column_name = '{0}' AND code = {0})"
    chosen = [
        labels.format(m.column) if m.form == "label" else m.column.format(type=kind)
        for m in mapping
    ]
    beside = [f"smf{kind}_{name}" for name in ("header", "qwhs", "qwhx")]
    beside += ["smf116_qwhc"] if section == "QMAC" else []
    beside += ["smf116_wtas"] if section == "WTID" else []
    joins = " ".join(
        f"LEFT JOIN (SELECT * EXCLUDE (section_no) FROM raw.{name}) AS {name} "
        "USING (source_id, record_no)"
        for name in beside
    )
    return db.execute(
        f"SELECT {', '.join(chosen)} FROM raw.{table_of(section)} {joins} "
        "WHERE source_id = ? ORDER BY record_no, section_no",
        [source_id],
    ).fetchall()


# --- forms: the cells that the formatter prints for a value


def _integer(value: Any) -> list[str]:
    return ["-1" if value is None else str(int(value))]


def _hex_integer(value: int | None) -> list[str]:
    return ["-1" if value is None else f"{value:X}"]


def _microseconds(value: timedelta | None) -> list[str]:
    return _integer(None if value is None else value // timedelta(microseconds=1))


def _duration(value: timedelta | None) -> list[str]:
    if value is None:
        return ["-1", "-1"]
    seconds, rest = divmod(value, timedelta(seconds=1))
    return [str(seconds), str(rest // timedelta(microseconds=1))]


def _moment(value: datetime | None) -> list[str]:
    return ["", ""] if value is None else [f"{value:%Y/%m/%d}", f"{value:%H:%M:%S,%f}"]


def _hex(value: bytes) -> list[str]:
    return [value.hex().upper()]


def _characters(value: bytes) -> list[str]:
    return [_as_printed(value.decode("cp037"))]


def _as_printed(text: str) -> str:
    plain = PRINTED_SPECIALS
    return "".join(
        c if (c.isascii() and c.isalnum()) or c in plain else PRINTED_AS.get(c, ".") for c in text
    )


def _agree_text(cells: list[str], value: str | None) -> bool:
    """Return whether a cell is the text plus padding, or nothing but dots if there is no text."""
    (cell,) = cells
    text = _as_printed(value or "")
    padding = set(cell[len(text) :])
    return cell.startswith(text) and padding <= ({"."} if value is None else {" ", "."})


def _agree_correlator(cells: list[str], value: dict[str, Any]) -> bool:
    """Return a task's start (the raw clock has 12 bits below the microsecond) and two addresses."""
    moment, addresses = value.values() if isinstance(value, dict) else value
    raw = bytes.fromhex(cells[0])
    microseconds = int.from_bytes(raw[:8]) >> 12
    start = datetime(1900, 1, 1) + timedelta(microseconds=microseconds)
    return (start, raw[8:]) == (moment, addresses)


def _agree_label(cells: list[str], value: str | None) -> bool:
    return value is not None and cells[0].strip() == LABELS.get(value, value)


def _printed_so(form: Callable[[Any], list[str]]) -> Callable[[list[str], Any], bool]:
    return lambda cells, value: [c.strip(" ") for c in cells] == form(value)


AGREE: dict[str, Callable[[list[str], Any], bool]] = {
    "integer": _printed_so(_integer),
    "hex integer": _printed_so(_hex_integer),
    "microseconds": _printed_so(_microseconds),
    "duration": _printed_so(_duration),
    "moment": _printed_so(_moment),
    "hex": _printed_so(_hex),
    "characters": lambda cells, value: cells == _characters(value),
    "text": _agree_text,
    "correlator": _agree_correlator,
    "label": _agree_label,
}
