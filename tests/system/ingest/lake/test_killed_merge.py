"""A merge of loads that is killed at any time changes nothing for readers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from app.pipeline.places import ROOT
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.kit import lakes


def everything(warehouse: Warehouse) -> dict[str, object]:
    """Return a digest of the rows of each raw table that has some."""
    with warehouse.connect() as db:
        return {
            table: db.execute(
                f"SELECT count(*), bit_xor(hash(t)), sum(hash(t)::HUGEINT) FROM raw.{table} t"
            ).fetchone()
            for table in lakes.tables_with_rows(warehouse)
        }


def test_a_merge_that_is_killed_changes_nothing(tmp_path: Path, dumps: list[Path]) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    for more in range(6):
        variant = tmp_path / f"{more}.smf"
        variant.write_bytes(dumps[0].read_bytes() + bytes(more))
        load_file(warehouse, variant)
    before = everything(warehouse)
    script = (
        "import sys; from pathlib import Path\n"
        "from ingest.lake.warehouse import Warehouse\n"
        "print('ready', flush=True); Warehouse(Path(sys.argv[1])).store.compact(enough=2)\n"
    )
    for delay in (0.02, 0.1, 0.3, 0.6):
        merge = subprocess.Popen(
            [sys.executable, "-c", script, str(warehouse.file)],
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        assert merge.stdout is not None
        merge.stdout.readline()
        time.sleep(delay)
        os.kill(merge.pid, signal.SIGKILL)
        merge.wait()
        assert everything(warehouse) == before
    warehouse.store.compact(enough=2)
    assert everything(warehouse) == before
