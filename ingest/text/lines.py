"""Bytes of a printed report -> numbered lines, whatever their code page and line control.

Printed output of z/OS comes as UTF-8 or Latin-1 with any line end, or as EBCDIC (037, 1047, 500,
1140, 273) with NEL or LF ends, or as fixed-length records without any end. Its first column may
hold the carriage control: ASA characters, or machine codes. All of this is told by the content.

Facts: IBM's code page tables (1047 differs from 037 in six characters only); ASA control is
blank, 0, -, +, 1; machine control codes are odd bytes below X'A0' (z/OS DFSMS Using Data Sets).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Line", "decode", "lines", "sample"]

_SAMPLE = 1 << 16
_LONGEST = 512  # characters of a line that are kept; printers have 255 at most
#: Where 1047 differs from 037: the six places hold each other's characters.
_TO_1047 = str.maketrans("\u00dd\u00a8[]^\u00ac", "[]\u00dd\u00a8\u00ac^")
_ENDS = re.compile(r"\r\n|\x0c\r\n|\n\x0c|[\n\r\x85\x0c]")
_RECORD_LENGTHS = (133, 132, 137, 121)
_ASA = frozenset(" 01-+")
_MACHINE_BYTES = (0x01, 0x09, 0x0B, 0x11, 0x13, 0x19, 0x1B, 0x89, 0x8B)
_MACHINE = frozenset(bytes(_MACHINE_BYTES).decode("cp037")) | frozenset(map(chr, _MACHINE_BYTES))


class Line(NamedTuple):
    """One printed line: its number in the file (the first is 1) and its text without control."""

    number: int
    text: str


def decode(content: bytes) -> str:
    """The text of a file: UTF-8 or Latin-1, or the EBCDIC page that fits best."""
    sample = content[:_SAMPLE]
    if not _is_ebcdic(sample):
        try:
            return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        except UnicodeDecodeError:
            return content.decode("latin-1")
    text = content.decode("cp037")
    # Brackets and the caret stand elsewhere in 1047: the page whose places are in use is meant.
    places_1047 = sum(sample.count(byte) for byte in (b"\xad", b"\xbd"))
    places_037 = sum(sample.count(byte) for byte in (b"\xba", b"\xbb"))
    return text.translate(_TO_1047) if places_1047 > places_037 else text


def sample(head: bytes) -> str:
    """The first characters of a text; nothing where the bytes are none."""
    start = head[:_SAMPLE]
    return "" if b"\x00" in start else decode(start)


def lines(content: bytes, is_print: bool = True) -> list[Line]:
    """The lines of a file; of a print, carriage control taken off and overprints left out.

    What no printer was meant for may begin all its lines with a letter or digit of its own that
    looks like control.
    """
    text = decode(content)
    found = [Line(n, t[:_LONGEST]) for n, t in _split(text)]
    if not is_print:
        return found
    if found and _has_control(found, _ASA, needs="1"):
        return [Line(n, t[1:]) for n, t in found if t[:1] != "+"]
    if found and _has_control(found, _MACHINE):
        return [Line(n, t[1:]) for n, t in found]
    return [Line(n, t) for n, t in found]


def _is_ebcdic(sample: bytes) -> bool:
    """True where blanks and letters stand in EBCDIC's places more often than in ASCII's."""
    ebcdic = sample.count(b"\x40")
    return ebcdic > sample.count(b"\x20") and ebcdic > len(sample) // 100


def _split(text: str) -> Iterator[Line]:
    if not _ENDS.search(text, 0, 1 << 16):
        yield from _fixed(text)
        return
    for number, line in enumerate(_ENDS.split(text), 1):
        yield Line(number, line.rstrip(" \x00\x1a"))


def _fixed(text: str) -> Iterator[Line]:
    """Records of one length without line ends; one line where no usual length fits."""
    length = next((n for n in _RECORD_LENGTHS if len(text) % n == 0), 0) or max(len(text), 1)
    for number, start in enumerate(range(0, len(text), length), 1):
        yield Line(number, text[start : start + length].rstrip(" \x00\x1a"))


def _has_control(found: list[Line], controls: frozenset[str], needs: str = "") -> bool:
    """True where the first column holds control characters only (and `needs` among them)."""
    firsts = [line.text[0] for line in found if line.text]
    if needs and not any(line.text.startswith(needs) for line in found if line.text.strip()):
        return False
    if needs:
        # Times of day before the lines look like it too, but few lines of a print skip any.
        if sum(first in "01" for first in firsts) > len(firsts) / 2:
            return False
    elif all(first == " " for first in firsts):
        return False
    return sum(first in controls for first in firsts) >= 0.995 * len(firsts) > 0
