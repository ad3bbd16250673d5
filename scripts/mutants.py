"""Put small faults into the code, one at a time, and say which test finds each.

    .venv/bin/python scripts/mutants.py               # all of them
    .venv/bin/python scripts/mutants.py ingest/formats/binary # those whose file begins with this
    .venv/bin/python scripts/mutants.py --check       # only look whether they still fit the code
    .venv/bin/python scripts/mutants.py --drawn       # those that scripts/draw_mutants.py drew

Each fault of scripts/mutants.toml is made in a copy of the committed and changed files, and the
tests that it names are run there until one fails. A run over all of them writes
docs/developers/mutants.md. Ends with 1 if a fault is not found or no longer fits.

Drawn faults meet the unit tests of their model or folder; `--room` runs the tests of their rooms
for those that these do not find, which takes hours. Results are kept in build/, so a run that was
stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs/developers/mutants.md"
COPY, KEPT = ROOT / "build/mutants", ROOT / "build/mutants.json"
UNIT_TESTS = "tests/steps/dbt/test_project.py::test_unit_tests_pass"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?)(?:\[.*)?(?: - .*)?$", re.MULTILINE)
_FAILED_IN_DBT = re.compile(r"\bFAIL \d+ (\w+::\w+)")
_HEAD = """# Which test finds which fault

Written by `.venv/bin/python scripts/mutants.py --again`: each fault was put into the code
alone, and the tests of its room were run until the first one failed.

| file | fault | found by |
|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: `old`, which occurs once in the file, becomes `new`; `tests` should find it.

    models: whose unit tests are run, as dbt selects models; "" is all. line: of a drawn fault.
    """

    file: str
    old: str
    new: str
    means: str
    tests: str
    models: str = ""
    line: int = 0

    @property
    def key(self) -> str:
        """What its result is kept under."""
        return "|".join((self.file, self.old, self.new))


def read_mutants(file: str = "mutants.toml") -> list[Mutant]:
    """Return the faults of a file of scripts/."""
    rooms = tomllib.loads((ROOT / "scripts" / file).read_text())["room"]
    return [
        Mutant(tests=room.get("tests", ""), models=room.get("models", ""), **declared)
        for room in rooms
        for declared in room["mutant"]
    ]


def misfits(mutants: list[Mutant]) -> list[str]:
    """Return a sentence for each fault whose text does not occur exactly once in its file."""
    counts = [(mutant, (ROOT / mutant.file).read_text().count(mutant.old)) for mutant in mutants]
    return [
        f"{candidate.file}: {candidate.old!r} occurs {n} times" for candidate, n in counts if n != 1
    ]


def copy_tree(to: Path) -> None:
    """Copy the files that git knows, as they are now; what an earlier run cached stays."""
    to.mkdir(parents=True, exist_ok=True)
    for path in to.iterdir():
        if path.name != "data":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)


def found_by(mutant: Mutant, tree: Path, *, room: bool = True) -> str | None:
    """Return the first test that fails with the fault, None if all pass.

    That is a unit test of dbt if there is one. room: whether the tests of the room of a drawn fault
    are run instead of those of its model or folder. Raises RuntimeError if they cannot be run.
    """
    file = tree / mutant.file
    whole = file.read_text()
    file.write_text(whole.replace(mutant.old, mutant.new))
    try:
        if room:
            return _first_failure(mutant.tests.split(), tree, models=mutant.models)
        if file.suffix == ".sql":
            return _first_failure([UNIT_TESTS], tree, models=f"+{file.stem}")
        mirrored = Path("tests/unit", mutant.file).parent
        return _first_failure([str(mirrored)], tree) if (tree / mirrored).is_dir() else None
    finally:
        file.write_text(whole)


def _first_failure(tests: list[str], tree: Path, models: str = "") -> str | None:
    """Run tests until one fails, and return it. Raises RuntimeError if they cannot be run."""
    if not tests:
        return None
    (tree / "tests.txt").write_text("\n".join(tests))
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "@tests.txt"],
        cwd=tree, check=False, capture_output=True, text=True,
        env=os.environ | {"PERFHOUSE_UNIT_TESTS": models, "PYTHONPATH": str(tree)},
    )  # fmt: skip
    if done.returncode == 0:
        return None
    if not (failed := _FAILED.search(done.stdout)):
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    in_dbt = _FAILED_IN_DBT.search(done.stdout)
    return in_dbt[1] if in_dbt else failed[1]


def killed_by() -> dict[str, str]:
    """Return the test that found a fault, by the fault's key."""
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def write_table(mutants: list[Mutant], found: dict[str, str]) -> None:
    """Write which test finds which fault."""
    lines = [f"| {mutant.file} | {mutant.means} | `{found[mutant.key]}` |\n" for mutant in mutants]
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(_HEAD + "".join(lines))


def main() -> int:
    """Return 1 if a fault is not found or no longer fits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("begin", nargs="*", help="how a file begins; default: all")
    parser.add_argument("--check", action="store_true", help="run no tests")
    parser.add_argument("--again", action="store_true", help="also those that were found before")
    parser.add_argument("--drawn", action="store_true", help="drawn faults instead")
    parser.add_argument("--room", action="store_true", help="drawn: all tests of their rooms")
    given = parser.parse_args()
    everything = read_mutants("drawn.toml" if given.drawn else "mutants.toml")
    if wrong := misfits(everything):
        print(*wrong, sep="\n")
        return 1
    print(f"{len(everything)} faults fit the code")
    if given.check:
        return 0
    killed = killed_by()
    mutants = [
        tested
        for tested in everything
        if tested.file.startswith(tuple(given.begin) or "")
        and (
            given.again or not (killed.get(tested.key) or (tested.key in killed and not given.room))
        )
    ]
    missed, tree = 0, COPY / "-".join(given.begin).replace("/", "-")  # two runs at once: two copies
    copy_tree(tree)
    for mutant in mutants:
        test = found_by(mutant, tree, room=given.room or not given.drawn)
        missed += test is None
        print(f"{mutant.file}: {mutant.means}: {test or 'NOT FOUND'}", flush=True)
        if test or given.drawn:
            killed = killed_by() | {mutant.key: test or ""}
            KEPT.write_text(json.dumps(killed, indent=1))
    if given.drawn:
        names = [killed.get(mutant.key, "") for mutant in everything]
        print(f"{sum(map(bool, names))} of {len(everything)} found")
        return 0
    print(f"{len(mutants) - missed} of {len(mutants)} found")
    if all(mutant.key in killed for mutant in everything):
        write_table(everything, killed)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
