"""python -m tests.bench [--quick] [load] [day] [fuzz] [detector] [regressions]: prints tables.

The figures go to data/bench/<time>.json too.

Exit status 1 where a damaged file broke something, or the detector misses its figures.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from tests.bench import day, detector, fuzz, load, regressions

ROOT = Path(__file__).parents[2]
PARTS = {"load": load, "day": day, "fuzz": fuzz, "detector": detector, "regressions": regressions}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; or all")
    parser.add_argument("--quick", action="store_true", help="small files, few mutants")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    console, begun = Console(), datetime.now(UTC)
    results: dict[str, object] = {
        "begun": begun.isoformat(timespec="seconds"),
        "machine": {
            "processors": os.cpu_count(),
            "load_average": os.getloadavg()[0],
            "system": platform.platform(),
            "python": platform.python_version(),
        },
        "quick": arguments.quick,
    }
    failed = False
    with tempfile.TemporaryDirectory(prefix="perfhouse-bench-") as folder:
        for name in arguments.parts or PARTS:
            figures, passed = PARTS[name].run(console, Path(folder), quick=arguments.quick)
            results[name] = figures
            failed |= not passed
    out = ROOT / "data" / "bench" / f"{begun:%Y%m%dT%H%M%SZ}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"figures: {out.relative_to(ROOT)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
