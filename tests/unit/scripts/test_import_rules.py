"""The import-linter contract of scripts/import_rules.py."""

from typing import Any

import grimp
import pytest

from scripts.import_rules import Rooms


def broken(imports: list[tuple[str, str]], *rooms: str) -> list[str]:
    """Return the imports that rooms do not allow in a project with exactly these imports."""
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
    options: dict[str, Any] = {
        "name": "rooms",
        "session_options": {},
        "contract_options": {"rooms": list(rooms)},
    }
    check = Rooms(**options).check(graph, verbose=False)
    assert check.kept == (not check.metadata["broken"])
    return [line.rpartition(" ")[2] for line in check.metadata["broken"]]


def test_a_room_may_import_itself_the_standard_library_and_what_is_allowed() -> None:
    imports = [("kernel.codec", "kernel"), ("kernel", "sys"), ("kernel", "numpy.typing")]
    assert broken(imports, "kernel: numpy") == []


@pytest.mark.parametrize("imported", ["duckdb", "shell", "numpyish"])
def test_any_other_import_is_reported(imported: str) -> None:
    assert broken([("kernel.codec", imported)], "kernel: numpy") == [imported]


def test_a_room_inside_another_has_its_own_rule() -> None:
    imports = [("kernel.data", "duckdb"), ("kernel.codec", "kernel.data")]
    assert broken(imports, "kernel: numpy", "kernel.data: duckdb") == ["kernel.data"]
    assert broken(imports, "kernel: kernel.data", "kernel.data: duckdb") == []


def test_modules_of_one_room_may_import_each_other() -> None:
    imports = [("kernel.data", "kernel.codec")]
    assert broken(imports, "kernel.codec: numpy", "kernel.data: numpy") == ["kernel.codec"]
    assert broken(imports, "kernel.codec, kernel.data: numpy") == []


def test_modules_without_a_room_may_import_anything() -> None:
    assert broken([("shell", "duckdb")], "kernel: numpy") == []


def test_a_missing_module_is_an_error() -> None:
    with pytest.raises(ValueError, match="lost"):
        broken([], "lost: numpy")
