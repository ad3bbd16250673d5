"""The figures of a benchmark as a run manifest.

`perfhouse ingest data/bench` loads what `make bench` wrote: the history of perfhouse's own speed is
a campaign like any other, for `perfhouse compare` and `perfhouse check`.

Every timed process is a run; the other figures of a part form one more run.
"""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

__all__ = ["CAMPAIGN", "machine", "manifest", "revision"]

CAMPAIGN = "perfhouse-bench"
_ROOT = Path(__file__).parents[2]
_MIB = 1 << 20
_SHORTEST = timedelta(microseconds=1)
#: Figure of a part -> unit, and whether more is better.
_UNITS: dict[str, tuple[str, bool | None]] = {
    "mutants": ("files", None),
    "broken": ("files", False),
    "slowest_seconds": ("s", False),
    "series": ("series", None),
    "values": ("values", None),
    "worst_relative_error": ("1", False),
    "found": ("changes", True),
    "to_be_found": ("changes", None),
    "causes_right": ("changes", True),
    "false": ("reports", False),
    "trials": ("commands", None),
    "lost": ("commands", False),
    "doubled": ("commands", False),
    "unreadable": ("commands", False),
    "stuck": ("commands", False),
    "silent": ("commands", False),
}


def manifest(parts: dict[str, dict[str, Any]], *, quick: bool) -> dict[str, Any]:
    """Return the manifest of the figures by part, with `begun` and `ended` (UTC)."""
    runs: list[dict[str, Any]] = []
    for part, figures in parts.items():
        runs += _timed(part, figures)
        runs += _plain(part, figures, runs)
    return {
        "perfhouse_manifest": 1,
        "campaign": CAMPAIGN,
        "time_zone": "UTC",
        "labels": {
            "machine": machine(),
            "git_revision": revision(),
            "python": platform.python_version(),
            "quick": "yes" if quick else "no",
        },
        "run": sorted(runs, key=lambda run: run["start"]),
    }


def _timed(part: str, figures: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a run per timed process; `figures["runs"]`: measure -> asdict(load.Run), or a list."""
    for measure, of in figures.get("runs", {}).items():
        for n, run in enumerate(of if isinstance(of, list) else [of], 1):
            size = run["bytes"]
            start = datetime.fromisoformat(run["begun"])
            stop = start + timedelta(seconds=run["wall_seconds"])
            yield {
                "run_id": f"{CAMPAIGN}-{start:%Y%m%dT%H%M%S%f}",
                "start": start.isoformat(),
                "stop": max(stop, start + _SHORTEST).isoformat(),
                "repetition": n,
                "factors": {
                    "x_part": part,
                    "x_measure": measure,
                    "file_size_mb": round(size / _MIB),
                },
                "measurement": [
                    _given("rate", size / _MIB / run["seconds"], "MB/s", more=True),
                    _given("seconds", run["seconds"], "s", more=False),
                    _given("cpu_seconds", run["cpu_seconds"], "CPU s", more=False),
                    _given("peak_memory", run["peak_mb"], "MB", more=False),
                ],
            }


def _plain(
    part: str, figures: dict[str, Any], timed: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the run of a part's other figures: numbers, and lengths of lists."""
    given = []
    for name, (unit, more) in _UNITS.items():
        if name in figures:
            value = figures[name]
            counted = len(value) if isinstance(value, list) else float(value)
            given.append(_given(f"{part}_{name}", counted, unit, more=more))
    if given and not any(run["factors"]["x_part"] == part for run in timed):
        yield {
            "run_id": f"{CAMPAIGN}-{part}-{figures['begun']:%Y%m%dT%H%M%S%f}",
            "start": figures["begun"].isoformat(),
            "stop": max(figures["ended"], figures["begun"] + _SHORTEST).isoformat(),
            "factors": {"x_part": part},
            "measurement": given,
        }


def _given(metric: str, value: float, unit: str, *, more: bool | None) -> dict[str, Any]:
    row: dict[str, Any] = {"metric": metric, "value": value, "unit": unit}
    return row if more is None else row | {"more_is_better": more}


def machine() -> str:
    """Return the name and number of processors."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} CPUs" if names else platform.machine()


def revision() -> str:
    """Return the measured commit, marked if the checkout has changes."""
    found = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=8"],
        cwd=_ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return found.stdout.strip() or "unknown"
