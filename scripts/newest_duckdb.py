"""Run the tests of what DuckDB does on its newest version, and print what fails, by reason.

    python scripts/newest_duckdb.py [VERSION]

The version in pyproject.toml stays in .venv: the other is put before it, for this run only. The
exit status is 0 whatever fails, as this is a look ahead; it is 2 if the tests could not be run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
TESTS = (
    *(f"tests/unit/{room}" for room in ("ingest", "expectations", "app/results", "dbt")),
    *("tests/marts", "tests/steps", "tests/system/app/pipeline/test_formats.py"),
)
_VARYING = re.compile(r"/[^\s'\"]+|0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\d+")  # paths, addresses, numbers
_LONGEST = 200  # characters of a reason


def main() -> int:
    """Install, run, print; return the exit status."""
    wanted = f"duckdb=={sys.argv[1]}" if len(sys.argv) > 1 else "duckdb"
    with tempfile.TemporaryDirectory(prefix="perfhouse-duckdb-") as name:
        folder = Path(name)
        packages, report = folder / "packages", folder / "report.xml"
        installed = subprocess.run(
            [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps",
             "--target", packages, wanted],
            check=False,
        )  # fmt: skip
        if installed.returncode:
            return 2
        path = os.pathsep.join(map(str, (packages, ROOT, os.environ.get("PYTHONPATH", ""))))
        environment = os.environ | {"PYTHONPATH": path, "PERFHOUSE_HOME": str(folder / "home")}
        version = subprocess.run(
            [sys.executable, "-c", "import duckdb; print(duckdb.__version__)"],
            env=environment, capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        print(f"DuckDB {version}", flush=True)
        subprocess.run(
            [sys.executable, "-m", "pytest", *TESTS, "-n", "2", "--dist", "loadfile",
             "-p", "no:cacheprovider", f"--junitxml={report}"],
            cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        if not report.exists():
            return 2
        print_groups(report)
    return 0


def print_groups(report: Path) -> None:
    """Print the tests that failed in a report of pytest, by reason, most frequent first."""
    cases = list(ElementTree.parse(report).iter("testcase"))  # noqa: S314 (pytest wrote it)
    groups = defaultdict(list)
    for case in cases:
        for fault in (*case.iter("failure"), *case.iter("error")):
            groups[reason(fault.get("message", ""))].append(
                f"{case.get('classname', '')}::{case.get('name', '')}"
            )
    failed = sum(map(len, groups.values()))
    print(f"{failed} of {len(cases)} tests fail, for {len(groups)} reasons")
    for why, tests in sorted(groups.items(), key=lambda group: -len(group[1])):
        print(f"\n{len(tests)} x {why}")
        for test in tests:
            print(f"    {test}")


def reason(message: str) -> str:
    """Return the first line of a message that says something, without what varies."""
    line = next((line.strip() for line in message.splitlines() if line.strip()), "no message")
    return _VARYING.sub("..", line)[:_LONGEST]


if __name__ == "__main__":
    sys.exit(main())
