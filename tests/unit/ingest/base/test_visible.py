"""Text from data as people see it."""

from __future__ import annotations

import io
import sys
import unicodedata

import pytest

from ingest.base.visible import Guarded, cell, guard, one_line, visible

SHOWN = [
    # text, as it is shown, and where it has to be on one line
    ("SYQ1", "SYQ1", None),
    ("Zürich 東京 مرحبا 😀 €", "Zürich 東京 مرحبا 😀 €", None),
    (r"C:\new\x1b", r"C:\new\x1b", None),
    ("two\nlines\tand a tab", "two\nlines\tand a tab", r"two\nlines\tand a tab"),
    ("back\rto the start", r"back\rto the start", None),
    ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m", None),
    ("\x1b]0;a title\x07", r"\x1b]0;a title\x07", None),
    ("\x9b2J", r"\x9b2J", None),  # the one character for ESC [
    ("\x85\x7f\x00\x08", r"\x85\x7f\x00\x08", None),
    ("a\u202eb\u2066c\u200fd\u061ce", r"a\u202eb\u2066c\u200fd\u061ce", None),
    ("a\u2028b\u2029c", r"a\u2028b\u2029c", None),
    ("a\u200bb\ufeffc\xadd\u2060e", r"a\u200bb\ufeffc\xadd\u2060e", None),
    ("\U000e0041\U000e0001", r"\U000e0041\U000e0001", None),  # tags, which hide a text in another
    ("\u3164\ufe0f", r"\u3164\ufe0f", None),
    ("\udcff\ud800", r"\udcff\ud800", None),  # bytes of a name that are not UTF-8
]


@pytest.mark.parametrize(("text", "shown", "on_one_line"), SHOWN)
def test_what_is_not_seen_is_written_as_an_escape(
    text: str, shown: str, on_one_line: str | None
) -> None:
    assert visible(text) == shown
    assert one_line(text) == (on_one_line or shown)
    assert visible(shown) == shown


def test_every_control_format_and_separator_of_unicode_is_escaped() -> None:
    hidden = ("Cc", "Cf", "Zl", "Zp", "Cs")
    left = [
        f"{code:04X}"
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in hidden and one_line(chr(code)) == chr(code)
    ]
    assert left == []


def test_letters_digits_marks_and_signs_stay() -> None:
    letters = [chr(code) for code in range(0x300) if unicodedata.category(chr(code))[0] in "LNPSZ"]
    assert visible("".join(letters)) == "".join(letters)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_terminals_are_guarded_once_and_files_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, file = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stderr", file)
    guard()
    guard()
    print("a\x1b[2J", "b\u202e\n", end="")
    print("a\x1b[2J", file=sys.stderr)
    sys.stdout.writelines(["c\x07", "\n"])
    assert screen.getvalue() == "a\\x1b[2J b\\u202e\nc\\x07\n"
    assert file.getvalue() == "a\x1b[2J\n"
    assert sys.stdout.isatty()


def test_a_cell_of_csv_is_on_one_line_on_a_terminal_only() -> None:
    assert cell("a\nb", Guarded(Terminal())) == r"a\nb"
    assert cell("a\nb", io.StringIO()) == "a\nb"
    assert cell(1.5, Guarded(Terminal())) == 1.5
