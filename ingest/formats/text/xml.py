"""An XML parser for files from outside: it opens nothing else and expands no entity."""

from __future__ import annotations

from typing import NoReturn
from xml.parsers import expat

__all__ = ["RefusedError", "new_parser", "refuse_depth"]


class RefusedError(ValueError):
    """The XML contains something that is never read."""


def new_parser() -> expat.XMLParserType:
    """Return a parser that raises RefusedError at a document type declaration."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.ExternalEntityRefHandler = _refuse
    return parser


def refuse_depth() -> NoReturn:
    """Raise RefusedError for elements that are nested too deeply."""
    raise RefusedError("elements are nested deeper than in the format")


def _refuse(*_: object) -> int:
    raise RefusedError("a document type declaration is never read")
