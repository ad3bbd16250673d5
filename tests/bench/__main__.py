"""python -m tests.bench [--quick] [PART...]: measures and prints tables; all parts, or some.

The figures go to data/bench/<time>.json too, as a manifest of runs that perfhouse ingests.

Exit status 1 where a damaged file broke something, the detector misses its figures, or the marts do
not give back what was simulated.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from tests.bench import day, detector, fuzz, load, matrix, regressions, runs
from tests.bench.manifest import CAMPAIGN, manifest

ROOT = Path(__file__).parents[2]
PARTS = {
    "load": load,
    "day": day,
    "fuzz": fuzz,
    "runs": runs,
    "matrix": matrix,
    "detector": detector,
    "regressions": regressions,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; or all")
    parser.add_argument("--quick", action="store_true", help="small files, few mutants")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    console, begun = Console(), datetime.now(UTC)
    results: dict[str, dict[str, Any]] = {}
    failed = False
    with tempfile.TemporaryDirectory(prefix="perfhouse-bench-") as folder:
        for name in arguments.parts or PARTS:
            started = datetime.now(UTC)
            figures, passed = PARTS[name].run(console, Path(folder), quick=arguments.quick)
            results[name] = {"begun": started, "ended": datetime.now(UTC)} | figures
            failed |= not passed
    out = ROOT / "data" / "bench" / f"{begun:%Y%m%dT%H%M%SZ}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(manifest(results, quick=arguments.quick), indent=1) + "\n")
    console.print(f"runs of the campaign {CAMPAIGN}: perfhouse ingest {out.relative_to(ROOT)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
