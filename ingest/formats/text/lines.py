"""Bytes of a printed report -> numbered lines, for any code page and carriage control.

Printed output of z/OS arrives as UTF-8 or Latin-1 with any line end, as EBCDIC (037, 1047, 500,
1140, 273) with NEL or LF line ends, or as fixed-length records without line ends. Its first column
may hold carriage control: ASA characters or machine codes. All of this is detected.

Facts: IBM's code page tables (1047 differs from 037 in only six characters); ASA control is blank,
0, -, +, 1; machine control codes are odd bytes below X'A0' (z/OS DFSMS Using Data Sets).
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Line", "decode", "is_ebcdic", "lines", "sample"]

_SAMPLE = 1 << 16
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks
_LONGEST = 512  # characters of a line that are kept; printers have at most 255
#: Where 1047 differs from 037: the six positions hold each other's characters.
_TO_1047 = str.maketrans("\u00dd\u00a8[]^\u00ac", "[]\u00dd\u00a8\u00ac^")
_ENDS = re.compile(r"\r\n|\x0c\r\n|\n\x0c|[\n\r\x85\x0c]")
_RECORD_LENGTHS = (133, 132, 137, 121)
_ASA = frozenset(" 01-+")
_MACHINE_BYTES = (0x01, 0x09, 0x0B, 0x11, 0x13, 0x19, 0x1B, 0x89, 0x8B)
_MACHINE = frozenset(bytes(_MACHINE_BYTES).decode("cp037")) | frozenset(map(chr, _MACHINE_BYTES))


class Line(NamedTuple):
    """One printed line: its number in the file, from 1, and its text without carriage control."""

    number: int
    text: str


def decode(content: bytes) -> str:
    """Return the text of a file: UTF-8, UTF-16 or Latin-1, or the EBCDIC page that fits best."""
    if content.startswith(_UTF_16):
        return content[: len(content) // 2 * 2].decode("utf-16", "replace")
    sample = content[:_SAMPLE]
    if not is_ebcdic(sample):
        try:
            return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        except UnicodeDecodeError:
            return content.decode("latin-1")
    text = content.decode("cp037")
    # 1047 has brackets and the caret elsewhere; choose the page whose positions are in use.
    places_1047 = sum(sample.count(byte) for byte in (b"\xad", b"\xbd"))
    places_037 = sum(sample.count(byte) for byte in (b"\xba", b"\xbb"))
    return text.translate(_TO_1047) if places_1047 > places_037 else text


def sample(head: bytes) -> str:
    """Return the first characters of a text, or nothing if the bytes are not text."""
    start = head[:_SAMPLE]
    return "" if b"\x00" in start and not start.startswith(_UTF_16) else decode(start)


def lines(content: bytes, is_print: bool = True) -> list[Line]:
    """Return the lines of a file; of a print, without carriage control and overprinted lines.

    is_print: False for output that was never printed, whose lines may all begin with a letter or
    digit that looks like carriage control.
    """
    texts = [text.rstrip(" \x00\x1a")[:_LONGEST] for text in _split(decode(content))]
    if is_print and _has_control(texts, _ASA, needs="1"):
        return [Line(n, text[1:]) for n, text in enumerate(texts, 1) if text[:1] != "+"]
    if is_print and _has_control(texts, _MACHINE):
        return [Line(n, text[1:]) for n, text in enumerate(texts, 1)]
    return [Line(n, text) for n, text in enumerate(texts, 1)]


def is_ebcdic(content: bytes) -> bool:
    """Return whether blanks are more frequent at EBCDIC's code point than at ASCII's."""
    sample = content[:_SAMPLE]
    ebcdic = sample.count(b"\x40")
    return ebcdic > sample.count(b"\x20") and ebcdic > len(sample) // 100


def _split(text: str) -> list[str]:
    if not _ENDS.search(text, 0, 1 << 16):
        return _fixed(text)
    if any(end in text for end in "\r\x0c\x85"):
        return _ENDS.split(text)
    return text.split("\n")  # ten times as fast


def _fixed(text: str) -> list[str]:
    """Split records of one length without line ends; one line if no usual length fits."""
    length = next((n for n in _RECORD_LENGTHS if len(text) % n == 0), 0) or max(len(text), 1)
    return [text[start : start + length] for start in range(0, len(text), length)]


def _has_control(found: list[str], controls: frozenset[str], needs: str = "") -> bool:
    """Return whether the first column holds only control characters, with `needs` among them."""
    firsts = [text[0] for text in found if text]
    if needs and needs not in firsts:
        return False
    if needs:
        # Lines that begin with a time of day look similar, but few lines of a print skip any.
        if sum(first in "01" for first in firsts) > len(firsts) / 2:
            return False
    elif all(first == " " for first in firsts):
        return False
    return sum(first in controls for first in firsts) >= 0.995 * len(firsts) > 0
