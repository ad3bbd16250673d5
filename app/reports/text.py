"""Values and texts as Markdown that reads as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.reports.cells import cell_text

__all__ = ["escaped", "fill_in"]

_SPECIAL = re.compile(r"[\\`*_\[\]<>$~|#&!]|^(\s*)([-+=]|\d+[.)](?=\s|$))")
_NAMED = re.compile(r"\{(\w+)\}")


def escaped(value: object) -> str:
    r"""Return a value as Markdown that reads as it is, on one line.

    >>> printed("z16_A01*"), printed(1234.5)
    ('z16\\_A01\\*', '1,234')
    """
    return _SPECIAL.sub(_escape, cell_text(value))


def _escape(match: re.Match[str]) -> str:
    text = match[0]
    return text[:-1] + "\\" + text[-1]


def fill_in(text: str, values: Mapping[str, object], *, plain: bool = False) -> str:
    r"""Return a declared text with {name} as the value of that name; `plain`: it is no Markdown.

    >>> filled_in("Runs of {campaign}, {other}", {"campaign": "a_b"})
    'Runs of a\\_b, {other}'
    """
    say = cell_text if plain else escaped
    return _NAMED.sub(lambda m: say(values[m[1]]) if m[1] in values else m[0], text)
