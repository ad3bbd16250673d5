"""Faults of scripts/mutants.toml, and how others are drawn."""

from pathlib import Path

import pytest

from scripts.draw_mutants import sites
from scripts.mutants import misfits, read_mutants

FAULTS = [
    # file, content, what it becomes with each fault
    ("a.py", "x = -a + 1\n", ["x = -a - 1\n", "x = -a + 2\n"]),
    ("a.py", "def f(*a): return b is not c\n", []),
    ("a.py", "if not a and b <= c: pass\n", [
        "if  a and b <= c: pass\n", "if not a or b <= c: pass\n", "if not a and b < c: pass\n",
    ]),
    ("a.sql", "select * from a -- 1 + 1\n", []),
    ("a.sql", "select sum(n) from {{ ref('a') }} where b >= 1\n", [
        "select max(n) from {{ ref('a') }} where b >= 1\n",
        "select sum(n) from {{ ref('a') }} where b > 1\n",
        "select sum(n) from {{ ref('a') }} where b >= 2\n",
    ]),
]  # fmt: skip


def test_every_fault_fits_the_code_as_it_is() -> None:
    mutants = read_mutants()
    assert len(mutants) > 50
    assert misfits(mutants) == []


@pytest.mark.parametrize(("name", "content", "faults"), FAULTS)
def test_a_fault_changes_one_operator_or_number(
    name: str, content: str, faults: list[str], tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(content)
    assert [content[:a] + new + content[b:] for a, b, new in sites(file)] == faults
