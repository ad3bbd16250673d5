"""python -m tests.bench [--quick] [PART...]: measure and print tables for all or some parts.

The figures are also written to data/bench/<time>.json, as a run manifest that perfhouse can ingest.

The exit status is 1 if a damaged file, a kill or a full disk does harm, the detector misses its
targets, a build within little memory makes other marts, or the marts do not reproduce simulated
values.
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

from tests.bench import (
    backlog,
    compare,
    day,
    days,
    detector,
    faults,
    fuzz,
    lives,
    load,
    matrix,
    nightly,
    pages,
    predict,
    regressions,
    runs,
    speed,
    week,
)
from tests.bench.manifest import CAMPAIGN, manifest

ROOT = Path(__file__).parents[2]
PARTS = {
    "speed": speed,
    "load": load,
    "day": day,
    "days": days,
    "backlog": backlog,
    "fuzz": fuzz,
    "faults": faults,
    "runs": runs,
    "pages": pages,
    "matrix": matrix,
    "predict": predict,
    "detector": detector,
    "compare": compare,
    "regressions": regressions,
    "nightly": nightly,
    "lives": lives,
    "week": week,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)} (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="small files and few mutants")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"unknown part: {', '.join(sorted(unknown))}")
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
    console.print(
        f"To load these runs as campaign {CAMPAIGN}: perfhouse ingest {out.relative_to(ROOT)}"
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
