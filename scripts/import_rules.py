"""An import-linter contract that lists what each room of the code may import."""

import sys
from collections.abc import Iterable
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class Rooms(Contract):
    """Each of `rooms` reads "modules: allowed", both with commas between names.

    A module belongs to the room with the longest name that contains it. It may import its own room,
    the standard library and what is allowed, with everything below. Only direct imports count.
    """

    rooms: Any = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find the imports that are not allowed."""
        allowed: dict[str, set[str]] = {}  # by room
        room_of: dict[str, str] = {}
        for line in self.rooms:
            modules, _, others = line.partition(":")
            allowed[line] = _names(others) | sys.stdlib_module_names
            room_of |= dict.fromkeys(_names(modules), line)
        if missing := room_of.keys() - graph.modules:
            raise ValueError(f"no such module: {', '.join(sorted(missing))}")

        def room(module: str) -> str | None:
            name = _container(module, room_of)
            return room_of[name] if name else None

        broken = [
            f"{detail['importer']}:{detail['line_number']}: {detail['line_contents']}"
            for importer in sorted(graph.modules)
            if (importer_room := room(importer))
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if room(imported) != importer_room and not _container(imported, allowed[importer_room])
            for detail in graph.get_import_details(importer=importer, imported=imported)
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the offending lines."""
        for line in check.metadata["broken"]:
            output.print_error(line)


def _names(text: str) -> set[str]:
    return {name.strip() for name in text.split(",")}


def _container(module: str, packages: Iterable[str]) -> str:
    """Return the longest of `packages` that is or contains the module, or ""."""
    parents = [name for name in packages if f"{module}.".startswith(f"{name}.")]
    return max(parents, key=len, default="")
