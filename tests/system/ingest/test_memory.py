"""Files made to fill the memory are loaded in bounded memory."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from app.pipeline.places import ROOT
from ingest.lake.warehouse import Warehouse

MB = 1 << 20
TOP = b"top - 10:00:00 up 1 day,  1 user,  load average: 0.00, 0.00, 0.00\n"
START, STOP = "2021-03-01T10:00:00Z", "2021-03-01T10:02:00Z"


def manifest(*runs: dict[str, Any], **more: Any) -> bytes:
    named = [{"run_id": f"r{i}", "start": START, "stop": STOP} | run for i, run in enumerate(runs)]
    return json.dumps({"perfhouse_manifest": 1, "campaign": "c", "run": named} | more).encode()


BOMBS: dict[str, Callable[[], bytes]] = {
    "Zstandard without end": lambda: 640 * zstandard.compress(bytes(16 * MB)),
    "gzip of zeros": lambda: 64 * gzip.compress(bytes(16 * MB)),
    "gzip of a text": lambda: gzip.compress(TOP) + 64 * gzip.compress(b"a\n" * MB),
    "a name of 10 MB": lambda: manifest({}, campaign="x" * 10_000_000),
    "20,000 overlapping runs on a line": lambda: manifest(*[{}] * 20_000),
    "20,000 runs at the same time": lambda: manifest(
        *({"scope": {"lpars": [f"L{i}"]}} for i in range(20_000))
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_load_takes_bounded_memory(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(BOMBS[name]())
    script = (
        "import re, sys; from pathlib import Path\n"
        "from ingest.load import load_file; from ingest.lake.warehouse import Warehouse\n"
        "warehouse = Warehouse(Path(sys.argv[1])); warehouse.create()\n"
        "load_file(warehouse, Path(sys.argv[2]))\n"
        "print(re.search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text())[1])"
    )
    files = (tmp_path / "w.duckdb", tmp_path / "file")
    done = subprocess.run(
        [sys.executable, "-c", script, *files],
        # The peak of its own memory: getrusage begins with that of the parent.
        env=os.environ | {"PERFHOUSE_LIMIT_LINES": "200000"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) / 1024 < 800  # MB
    with Warehouse(files[0]).connect() as db:
        ((loads, aside),) = db.execute(
            "SELECT count(*), sum(records_quarantined) FROM raw.ledger"
        ).fetchall()
    assert loads == 1
    assert (aside > 0) == (name != "20,000 runs at the same time")
