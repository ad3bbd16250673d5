"""Faults of scripts/mutants.toml, and how others are drawn."""

from pathlib import Path

from scripts.draw_mutants import sites
from scripts.mutants import misfits, read_mutants
from tests.kit.cases import cases


def test_every_fault_fits_the_code_as_it_is() -> None:
    mutants = read_mutants()
    assert len(mutants) > 50
    assert misfits(mutants) == []


@cases
def test_a_fault_changes_one_operator_or_number(
    name: str, content: str, faults: list[str], tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(content)
    assert [content[:a] + new + content[b:] for a, b, new in sites(file)] == faults
