"""Audit the locked packages: `make audit`.

Prints which of them have known vulnerabilities (pip-audit, if a source of advisories can be
reached), and which have a newer version that works together with the others. Exit status 1 if
there is a vulnerability.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

__all__ = ["Advice", "Package", "advisories", "newer", "packages", "unpin"]

ROOT = Path(__file__).resolve().parents[1]
LOCKS = [ROOT / "requirements.txt", ROOT / "requirements-cluster.txt"]
UV = Path(sys.executable).with_name("uv")
LEAST_PYTHON = "3.11"


class Package(NamedTuple):
    """One package of a lock: its version, and when that was uploaded (None: not known)."""

    version: str
    uploaded: datetime | None


class Advice(NamedTuple):
    """The answer of pip-audit: package -> identities of advisories, and how many were skipped."""

    found: dict[str, list[str]]
    audited: int
    skipped: int


def packages(lock: str) -> dict[str, Package]:
    """Return the packages of a lock in the format of PEP 751."""
    result = {}
    for package in tomllib.loads(lock)["packages"]:
        files = [*package.get("wheels", ()), package.get("sdist", {})]
        moments = [file["upload-time"] for file in files if "upload-time" in file]
        result[package["name"]] = Package(package.get("version", ""), min(moments, default=None))
    return result


def unpin(project: str) -> str:
    """Return pyproject.toml with every exact version as a least one."""
    return re.sub(r'(?m)^(.*"[\w.-]+(?:\[[\w,]+\])?)==', r"\1>=", project)


def newer(
    pinned: Mapping[str, Package], newest: Mapping[str, Package]
) -> dict[str, tuple[Package, Package | None]]:
    """Return the packages that have a newer version, or that are no longer needed."""
    return {
        name: (package, newest.get(name))
        for name, package in sorted(pinned.items())
        if name not in newest or newest[name].version != package.version
    }


def advisories(answer: str) -> Advice:
    """Return what pip-audit's JSON says."""
    dependencies: list[dict[str, Any]] = json.loads(answer)["dependencies"]
    audited = [dependency for dependency in dependencies if "skip_reason" not in dependency]
    found_by_package = {
        package["name"]: [v["id"] for v in package["vulns"]]
        for package in audited
        if package.get("vulns")
    }
    return Advice(found_by_package, len(audited), len(dependencies) - len(audited))


def _locked(*arguments: str | Path, cwd: Path) -> dict[str, Package]:
    lock = cwd / "pylock.toml"
    lock.unlink(missing_ok=True)
    subprocess.run(
        [UV, "pip", "compile", "--quiet", "--universal", "--python-version", LEAST_PYTHON,
         "-o", lock, *arguments],
        cwd=cwd, check=True,
    )  # fmt: skip
    return packages(lock.read_text())


def _ask() -> Advice:
    requirements = [part for lock in LOCKS for part in ("--requirement", lock)]
    done = subprocess.run(
        [UV, "tool", "run", "--quiet", "--python", sys.executable, "pip-audit", "--no-deps",
         "--disable-pip", "--progress-spinner", "off", "--format", "json",
         *requirements],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    try:
        return advisories(done.stdout)
    except ValueError:
        return Advice({}, 0, 0)


def _days(moment: datetime | None, now: datetime) -> str:
    return "" if moment is None else f"{(now - moment).days:,}"


def main() -> int:
    """Print both tables; return the exit status."""
    console, now = Console(), datetime.now(UTC)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pinned = _locked("--no-deps", *LOCKS, cwd=folder)
        (folder / "pyproject.toml").write_text(unpin((ROOT / "pyproject.toml").read_text()))
        newest = _locked(
            "--upgrade", "--all-extras", "--group", "dev", "pyproject.toml", cwd=folder
        )
    table = Table(title="Not the newest that resolves", title_justify="left")
    for heading in ("package", "locked", "newest"):
        table.add_column(heading)
    for heading in ("age, days", "newer for, days"):
        table.add_column(heading, justify="right")
    outdated = newer(pinned, newest)
    for package, (installed, other) in outdated.items():
        table.add_row(
            package, installed.version, other.version if other else "not needed",
            _days(installed.uploaded, now), _days(other.uploaded, now) if other else "",
        )  # fmt: skip
    console.print(table)
    console.print(
        f"{len(pinned)} packages are locked, {len(pinned) - len(outdated)} of them the newest"
    )
    advice = _ask()
    for package, identities in advice.found.items():
        console.print(f"vulnerable: {package} {pinned[package].version}: {', '.join(identities)}")
    if not advice.audited:
        console.print("advisories: none looked up, as no source of them can be reached from here")
    else:
        missed = f"; {advice.skipped} could not be looked up" if advice.skipped else ""
        console.print(
            f"advisories: {len(advice.found)} of {advice.audited} packages are vulnerable{missed}"
        )
    return 1 if advice.found else 0


if __name__ == "__main__":
    sys.exit(main())
