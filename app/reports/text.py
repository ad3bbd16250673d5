"""Values and texts as Markdown that reads as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.reports.cells import shown

__all__ = ["filled_in", "printed"]

_SPECIAL = re.compile(r"[\\`*_\[\]<>$~|#&!]|^(\s*)([-+=]|\d+[.)](?=\s|$))")
_NAMED = re.compile(r"\{(\w+)\}")


def printed(value: object) -> str:
    r"""Return a value as Markdown that reads as it is, on one line.

    >>> printed("z16_A01*"), printed(1234.5)
    ('z16\\_A01\\*', '1,234')
    """
    return _SPECIAL.sub(_escaped, shown(value))


def _escaped(match: re.Match[str]) -> str:
    text = match[0]
    return text[:-1] + "\\" + text[-1]


def filled_in(text: str, values: Mapping[str, object], *, plain: bool = False) -> str:
    r"""Return a declared text with {name} as the value of that name; `plain`: it is no Markdown.

    >>> filled_in("Runs of {campaign}, {other}", {"campaign": "a_b"})
    'Runs of a\\_b, {other}'
    """
    say = shown if plain else printed
    return _NAMED.sub(lambda m: say(values[m[1]]) if m[1] in values else m[0], text)
