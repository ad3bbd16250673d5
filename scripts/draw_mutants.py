"""Draw small faults at random, for scripts/mutants.py.

    .venv/bin/python scripts/draw_mutants.py --seed 7 --each 14

writes scripts/drawn.toml: from each room so many faults, each in a file of its own. A fault changes
one operator, name or number of the code.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "scripts/drawn.toml"
ROOMS = {  # their folders, and their tests: the quick ones first
    "marts": ("dbt/models/intermediate dbt/models/marts", "tests/marts"),
    "judging": ("expectations", "tests/unit/expectations tests/marts tests/steps/expectations"),
    "lakes": ("ingest/lake ingest/repair", "tests/unit/ingest/lake tests/steps"),
}
_SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
    "*": "/", "/": "*", "and": "or", "or": "and", "min": "max", "max": "min", "any": "all",
    "all": "any", "True": "False", "False": "True", "not": "",
}  # fmt: skip
_SQL_SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "<>", "<>": "=", " + ": " - ",
    " - ": " + ", " * ": " / ", " / ": " * ", "and": "or", "or": "and", "min(": "max(",
    "max(": "min(", "arg_min(": "arg_max(", "arg_max(": "arg_min(", "sum(": "max(",
    "greatest(": "least(", "least(": "greatest(", "left join": "join", "is not null": "is null",
    "is null": "is not null", "desc": "asc", "true": "false", "false": "true",
}  # fmt: skip
_BINARY = {"+", "-", "*", "/"}
_SQL_TOKEN = re.compile(
    r"'[^']*'|--.*|\{[{%#].*?[}%#]\}|(?<![\w.])\d+(?![\w.])|"
    + "|".join(
        (r"\b" if text[0].isalpha() else r"(?<!select)")
        + re.escape(text)
        + (r"\b" if text[-1].isalpha() else "")
        for text in sorted(_SQL_SWAPS, key=len, reverse=True)
    ),
    re.DOTALL,
)  # fmt: skip


class Site(NamedTuple):
    """A place where a fault can be put: `start` and `end` are positions in the text of the file."""

    start: int
    end: int
    new: str


def sites(file: Path) -> Iterator[Site]:
    """Yield the places of a file of Python or of SQL."""
    text = file.read_text()
    yield from _python(text) if file.suffix == ".py" else _sql(text)


def _python(text: str) -> Iterator[Site]:
    begins = [0]
    for line in text.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for before, token in pairwise(tokens):
        start = begins[token.start[0] - 1] + token.start[1]
        is_operand = before.type in (tokenize.NAME, tokenize.NUMBER) or before.string in ")]"
        if token.type == tokenize.NUMBER and token.string.isdigit():
            yield Site(start, start + len(token.string), str(int(token.string) + 1))
        elif token.type in (tokenize.OP, tokenize.NAME) and token.string in _SWAPS:
            if token.string in _BINARY and not is_operand:
                continue
            after = text[start + len(token.string) :].lstrip()
            if token.string == "not" and (before.string == "is" or after.startswith("in ")):
                continue
            yield Site(start, start + len(token.string), _SWAPS[token.string])


def _sql(text: str) -> Iterator[Site]:
    for match in _SQL_TOKEN.finditer(text):
        token = match[0]
        if token.isdigit():
            yield Site(match.start(), match.end(), str(int(token) + 1))
        elif token in _SQL_SWAPS:
            yield Site(match.start(), match.end(), _SQL_SWAPS[token])


def fault_line(file: Path, site: Site) -> str:
    """Return a fault as a line of TOML; its text occurs once in the file."""
    text = file.read_text()
    first, last = text.rfind("\n", 0, site.start) + 1, text.find("\n", site.end)
    while text.count(text[first:last]) > 1:  # with the line before
        first = text.rfind("\n", 0, first - 1) + 1
    old, new = text[first:last], text[first : site.start] + site.new + text[site.end : last]
    line = text.count("\n", 0, site.start) + 1
    means = f"line {line}: {text[site.start : site.end].strip()} -> {site.new.strip() or 'nothing'}"
    fields = {"file": str(file.relative_to(ROOT)), "old": old, "new": new, "means": means}
    body = ", ".join(f"{name} = {_quote(value)}" for name, value in fields.items())
    return f"  {{ {body}, line = {line} }},\n"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def draw(room: str, count: int, chance: random.Random) -> list[str]:
    """Return faults of a room, in files that are drawn by their number of places."""
    folders = [ROOT / folder for folder in ROOMS[room][0].split()]
    suffix = "*.sql" if room == "marts" else "*.py"
    files = sorted(file for folder in folders for file in folder.rglob(suffix))
    places = [(file, site) for file in files for site in sites(file)]
    chosen: dict[Path, Site] = {}
    while len(chosen) < count:
        file, site = chance.choice(places)
        chosen.setdefault(file, site)
    return [fault_line(file, site) for file, site in chosen.items()]


def main() -> None:
    """Write scripts/drawn.toml."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--each", type=int, default=14, help="faults of each room")
    given = parser.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - no secret
    head = f"# Drawn by scripts/draw_mutants.py --seed {given.seed} --each {given.each}.\n"
    rooms = (
        f'\n[[room]]\nname = "{room}"\ntests = "{tests}"\nmutant = [\n'
        + "".join(draw(room, given.each, chance))
        + "]\n"
        for room, (_, tests) in ROOMS.items()
    )
    FILE.write_text(head + "".join(rooms))


if __name__ == "__main__":
    main()
