"""An import-linter contract that lists what modules may import."""

import sys
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


def _inside(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


class MayImport(Contract):
    """`modules` may import themselves, the standard library and `allowed`, and nothing else.

    `apart` excludes modules below `modules`: another contract covers them, and importing them
    requires `allowed`. Only direct imports count.
    """

    modules: Any = fields.SetField(subfield=fields.StringField())
    allowed: Any = fields.SetField(subfield=fields.StringField())
    apart: Any = fields.SetField(subfield=fields.StringField(), required=False, default=set())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find the imports that are not allowed."""
        modules, apart = set(self.modules), set(self.apart)
        if missing := {name for name in modules if name not in graph.modules}:
            raise ValueError(f"no such module: {', '.join(sorted(missing))}")
        allowed = set(self.allowed) | sys.stdlib_module_names

        def own(module: str) -> bool:
            return _inside(module, modules) and not _inside(module, apart)

        broken = [
            f"{detail['importer']}:{detail['line_number']}: {detail['line_contents']}"
            for importer in sorted(graph.modules)
            if own(importer)
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if not own(imported) and not _inside(imported, allowed)
            for detail in graph.get_import_details(importer=importer, imported=imported)
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the offending lines."""
        for line in check.metadata["broken"]:
            output.print_error(line)
