"""The import-linter contract of scripts/import_rules.py."""

from typing import Any

import grimp
import pytest

from scripts.import_rules import MayImport


def broken(imports: list[tuple[str, str]], **rule: list[str]) -> list[str]:
    """Return the imports that a rule reports in a project with exactly these imports."""
    graph = grimp.ImportGraph()
    for name in ("kernel", "kernel.codec", "kernel.data", "shell"):
        graph.add_module(name)
    for importer, imported in imports:
        graph.add_import(
            importer=importer,
            imported=imported,
            line_number=1,
            line_contents=f"import {imported}",
        )
    options: dict[str, Any] = {"name": "rule", "session_options": {}, "contract_options": rule}
    check = MayImport(**options).check(graph, verbose=False)
    assert check.kept == (not check.metadata["broken"])
    return [line.rpartition(" ")[2] for line in check.metadata["broken"]]


def test_modules_may_import_themselves_the_standard_library_and_what_is_allowed() -> None:
    imports = [("kernel.codec", "kernel"), ("kernel", "sys"), ("kernel", "numpy")]
    assert broken(imports, modules=["kernel"], allowed=["numpy"]) == []


@pytest.mark.parametrize("imported", ["duckdb", "shell"])
def test_any_other_import_breaks_the_rule(imported: str) -> None:
    imports = [("kernel.codec", imported)]
    assert broken(imports, modules=["kernel"], allowed=["numpy"]) == [imported]


def test_a_module_apart_is_not_checked_and_needs_permission() -> None:
    imports = [("kernel.data", "duckdb"), ("kernel.codec", "kernel.data")]
    rule = {"modules": ["kernel"], "apart": ["kernel.data"]}
    assert broken(imports, **rule, allowed=["numpy"]) == ["kernel.data"]
    assert broken(imports, **rule, allowed=["kernel.data"]) == []


def test_a_rule_for_a_missing_module_is_an_error() -> None:
    with pytest.raises(ValueError, match="lost"):
        broken([], modules=["lost"], allowed=[])
