"""Count the constants that are set by hand: numbers in assignments at the top of modules.

    python -m scripts.constants [FOLDER...]

Prints those of each folder with its number; a folder has no more than LIMITS says.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

LIMITS = {"expectations/regressions": 28}
ROOT = Path(__file__).parents[1]


def constants(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the file, and the assignment of each number in a constant of a module."""
    for file in sorted(folder.rglob("*.py")):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                for part in ast.walk(node.value):
                    if isinstance(part, ast.Constant) and type(part.value) in {int, float}:
                        yield f"{file.relative_to(ROOT)}:{node.lineno}", ast.unparse(node)


def main(folders: list[str]) -> int:
    """Print the constants; return whether a folder has more than its limit."""
    over = False
    for name in folders or list(LIMITS):
        all_constants = list(constants(ROOT / name))
        for location, text in all_constants:
            print(f"{location}: {text}")
        print(f"{len(all_constants)} in {name}")
        over |= len(all_constants) > LIMITS.get(name, len(all_constants))
    return int(over)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
