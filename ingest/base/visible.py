r"""Text from data made safe to show: nothing in it controls a terminal, hides or is reordered.

Names in records, manifests and folders may contain escape sequences, marks that change the
direction of writing, or invisible characters. They are shown as Python writes them in a string:
\x1b, \u202e. Backslashes are not doubled, because most of them are in file names.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

__all__ = ["Guarded", "cell", "guard", "one_line", "visible"]

# The categories Cc, Cf, Zl, Zp and Cs of Unicode, what programs may show as nothing
# (Default_Ignorable_Code_Point), and the two other characters that XML cannot have.
_UNSEEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    r"\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    r"\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_IN_LINES = re.compile(f"[{_UNSEEN}]")
_IN_A_LINE = re.compile(rf"[{_UNSEEN}\t\n]")


def visible(text: str) -> str:
    """Return a text with invisible characters as escapes; line ends and tabs stay."""
    return _IN_LINES.sub(_escape, text)


def one_line(text: str) -> str:
    """Return a text as `visible` does, with line ends and tabs as escapes too."""
    return _IN_A_LINE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


class Guarded:
    """A stream that shows what is written to it as `visible` does.

    `stream` is what it writes to; all but writing is left to it.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text; return its length before it was escaped."""
        self.stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def cell(value: Any, out: TextIO) -> Any:
    """Return the value of a CSV cell for a stream: on a terminal, text is on one line."""
    return one_line(value) if isinstance(value, str) and out.isatty() else value


def guard() -> None:
    """Guard stdout and stderr where they are terminals; files and pipes get all as it is."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, Guarded) and stream.isatty():
            setattr(sys, name, Guarded(stream))
