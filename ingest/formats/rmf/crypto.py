"""Crypto Hardware Activity report: coprocessors and accelerators.

No genuine report was available. The parser follows the field list of "Crypto Hardware Activity -
SMF record type 70-2" (IBM, z/OS RMF User's Guide, erbb200196: total rate, execution time and
utilisation of each card; key generation rate of a CCA coprocessor; rate, execution time and
utilisation of an accelerator by format and key length, of a PKCS11 coprocessor by function) and the
report's section titles. A line with other words is rejected rather than guessed at.

The lines of the ICSF services are not read.
"""

from __future__ import annotations

import re

import polars as pl

from ingest.formats.rmf.figures import number
from ingest.formats.rmf.report import HEADING, Report
from ingest.formats.text.lines import Line
from ingest.formats.text.table import Column, Output

__all__ = ["TABLES", "TITLES", "parse_crypto"]

TITLES = {"rmf_crypto": "One row per system, interval, crypto card and operation"}
TABLES = {
    "rmf_crypto": (
        *HEADING,
        Column("section", "CCA COPROCESSOR, PKCS11 COPROCESSOR or ACCELERATOR", pl.String),
        Column("card_type", "Type of the card, such as CEX7C", pl.String),
        Column("card_id", "Index of the card", pl.Int32),
        Column("operation", "TOTAL, KEY-GEN, ME or CRT with the key length, or a PKCS11 function",
               pl.String),
        Column("rate", "Operations [1/s]"),
        Column("exec_time_ms", "Execution time per operation [ms]"),
        Column("util_pct", "Utilisation of the card [%]"),
    ),
}  # fmt: skip

_SECTION = re.compile(r"CRYPTOGRAPHIC +(CCA COPROCESSOR|PKCS11 COPROCESSOR|ACCELERATOR)")
_OTHER = re.compile(r"\bICSF SERVICES\b")
_CARD = re.compile(r"\s*([A-Z][A-Z0-9]{3,5}) +(\d{1,2})\s+(.*\S)")
_FUNCTION = re.compile(r"((?:ASYM|SYMM)(?:ETRIC)?[ -][A-Z]+) +(\S+) +(\S+) +(\S+)\s*$")
_KEY_LENGTHS = ("1024", "2048", "4096")


def parse_crypto(report: Report, out: Output) -> None:
    """Read each card's line, and the lines of its operations below it."""
    section = ""
    card: dict[str, object] = {}
    for line in report.lines:
        if match := _SECTION.search(line.text):
            section, card = match[1], {}
        elif _OTHER.search(line.text):
            section = ""
        elif section and re.search(r"\d", line.text):
            rest = line.text
            if match := _CARD.match(line.text):
                card = {"section": section, "card_type": match[1], "card_id": int(match[2])}
                rest = match[3]
            rows = _operations(section, rest, first=rest is not line.text) if card else None
            if rows is None:
                if not _is_heading(line):
                    out.reject(line.number, f"{section}: a line with unexpected words")
                continue
            for row in rows:
                out.add("rmf_crypto", report.row(line.number, **(card | row)))


def _operations(section: str, text: str, *, first: bool) -> list[dict[str, object]] | None:
    """Return a card's line (`first`) or one below it as rows; None if it is something else."""
    rows = []
    function = _FUNCTION.search(text) if section.startswith("PKCS11") else None
    words = text[: function.start()].split() if function else text.split()
    figures = [number(word) for word in words]
    if first:
        if len(figures) < 3 or None in figures[:3]:
            return None
        rows.append(_row("TOTAL", figures[:3]))
        words, figures = words[3:], figures[3:]
    if function:
        rows.append(_row(function[1], [number(word) for word in function.groups()[1:]]))
    elif section.startswith("CCA") and len(figures) == 1 and first:
        rows.append(_row("KEY-GEN", [figures[0], None, None]))
        words = []
    elif section == "ACCELERATOR" and len(words) == 7 and words[0] in _KEY_LENGTHS:
        rows.append(_row(f"ME-{words[0]}", figures[1:4]))
        rows.append(_row(f"CRT-{words[0]}", figures[4:7]))
        words = []
    return rows if rows and not words else None


def _row(operation: str, figures: list[float | None]) -> dict[str, object]:
    names = ("rate", "exec_time_ms", "util_pct")
    return {"operation": operation} | dict(zip(names, figures, strict=True))


def _is_heading(line: Line) -> bool:
    """Return whether a heading has a digit in it: RSA key lengths, PKCS11."""
    return bool(re.search(r"\b(?:RATE|TYPE|FORMAT|OPERATIONS)\b|--", line.text))
