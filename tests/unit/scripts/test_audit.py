"""What `make audit` reads from locks and advisories."""

from __future__ import annotations

import json
import tomllib
from datetime import UTC, datetime

from app.pipeline.places import ROOT
from scripts.audit import Package, advisories, newer, packages, unpin

LOCK = """
lock-version = "1.0"
[[packages]]
name = "duckdb"
version = "1.5.5"
sdist = { url = "u", upload-time = 2026-07-23T10:00:00Z, hashes = { sha256 = "a" } }
wheels = [{ url = "u", upload-time = 2026-07-22T10:00:00Z, hashes = { sha256 = "a" } }]
[[packages]]
name = "old"
version = "1"
"""


def test_a_lock_says_versions_and_when_they_were_uploaded() -> None:
    assert packages(LOCK) == {
        "duckdb": Package("1.5.5", datetime(2026, 7, 22, 10, tzinfo=UTC)),
        "old": Package("1", None),
    }


def test_other_versions_and_packages_that_are_not_needed_are_listed() -> None:
    one, two = Package("1", None), Package("2", None)
    assert newer({"same": one, "behind": one, "gone": one}, {"same": one, "behind": two}) == {
        "behind": (one, two),
        "gone": (one, None),
    }


def test_exact_versions_of_the_project_become_least_ones() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    loosened = tomllib.loads(unpin(project))["project"]
    assert "==" in project
    extras = loosened["optional-dependencies"].values()
    wanted = [*loosened["dependencies"], *(one for extra in extras for one in extra)]
    assert not [one for one in wanted if "==" in one]
    assert loosened["requires-python"] == tomllib.loads(project)["project"]["requires-python"]


def test_packages_that_were_not_looked_up_are_not_called_safe() -> None:
    answer = {
        "dependencies": [
            {"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]},
            {"name": "b", "version": "1", "vulns": []},
            {"name": "c", "skip_reason": "Dependency not found on PyPI"},
        ]
    }
    assert advisories(json.dumps(answer)) == ({"a": ["CVE-1", "CVE-2"]}, 2, 1)
