"""The tables of cases beside the tests."""

from __future__ import annotations

import re

from app.pipeline.places import ROOT
from tests.kit.cases import tables


def test_every_table_of_cases_has_its_test() -> None:
    code = {file: file.read_text() for file in (ROOT / "tests").rglob("test_*.py")}
    found = [
        (name, bool(re.search(rf"^@cases\n(@.*\n)*def {name}\(", text, re.MULTILINE)))
        for file, text in code.items()
        if "\n@cases\n" in text
        for name in tables(file)
    ]
    assert found
    assert [name for name, is_tested in found if not is_tested] == []
