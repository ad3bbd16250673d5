"""The faults of scripts/mutants.toml."""

from scripts.mutants import misfits, read_mutants


def test_every_fault_fits_the_code_as_it_is() -> None:
    mutants = read_mutants()
    assert len(mutants) > 50
    assert misfits(mutants) == []
