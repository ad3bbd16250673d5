"""A batch of small files that is killed at any step is there as a whole or not at all."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from pathlib import Path

from ingest.lake.warehouse import Warehouse
from ingest.load import load_batch
from tests.kit import framings

COUNT = 7  # files of the same dump
STEP = 40  # one of this many steps is tried
TOUCHES_FILES = ("open", "os.mkdir", "os.rename", "os.rmdir", "os.remove", "shutil.rmtree")

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["ingest.load", "ingest.lake.warehouse"])


def batch_and_die(warehouse: Path, files: list[Path], die_at: int) -> None:
    """Load files together; get killed by the `die_at`-th step that touches the file system."""
    left = die_at

    def count(event: str, _: object) -> None:
        nonlocal left
        left -= event in TOUCHES_FILES
        if left == 0:
            left = -1  # os.kill is an audit event, too
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    load_batch(Warehouse(warehouse), dict.fromkeys(files, "measured"))


def test_a_batch_that_is_killed_is_there_as_a_whole_or_not_at_all(
    tmp_path: Path, dumps: list[Path]
) -> None:
    records = framings.read_records(framings.longest_plain(dumps))
    each = len(records) // COUNT
    plain = [tmp_path / f"{number}.smf" for number in range(COUNT)]
    for number, file in enumerate(plain):
        file.write_bytes(framings.framed(records[number * each : (number + 1) * each]))
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    for step in range(1, 10_000, STEP):
        process = _server.Process(target=batch_and_die, args=(warehouse.file, plain, step))
        process.start()
        process.join()
        ended = process.exitcode == 0
        assert ended or process.exitcode == -signal.SIGKILL
        with warehouse.connect() as db:
            ledger = db.execute("SELECT source_id, records FROM raw.ledger").fetchall()
            seen = db.execute("SELECT source_id, count(*) FROM raw.smf_record GROUP BY ALL")
            assert sorted(seen.fetchall()) == sorted(ledger)
        assert len(ledger) in (0, COUNT)
        if ledger or ended:
            break
    assert step > STEP
    load_batch(warehouse, dict.fromkeys(plain, "measured"))
    assert len(warehouse.loads()) == COUNT
    assert not list(warehouse.staging.iterdir())
