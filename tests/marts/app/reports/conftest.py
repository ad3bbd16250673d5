"""Reports of the bundled data, each made once."""

from functools import cache
from pathlib import Path

import pytest

from app.reports.document import Document
from app.reports.writing import make_report
from app.results.reader import Reader
from tests.kit.report import OPTIONS, Report


@pytest.fixture(scope="session")
def report(bundled: Path) -> Report:
    """Makes a report once; nobody changes it."""

    @cache
    def report(name: str, **options: str | int | float | None) -> Document:
        return make_report(Reader(bundled), name, options or OPTIONS.get(name, {}))

    return report
