"""Loads killed at any moment: readers see only whole loads, and a rerun completes.

A killed process leaves whatever it had done by then. Power cuts are another matter: this tests the
order of the steps, not the disk.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from ingest.base.files import sweep
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.kit import framings, lakes

TOUCHES_FILES = ("open", "os.mkdir", "os.rename", "os.rmdir", "os.remove", "shutil.rmtree")
RANDOM_KILLS = 4
STEP = 4  # one of this many steps is tried
SEED = 20_160_227

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["ingest.load", "ingest.lake.warehouse"])


def load_all(warehouse: Path, files: list[Path], die_at: int | None = None) -> None:
    """Load files; get killed by the `die_at`-th step that touches the file system."""
    if die_at is not None:
        left = die_at

        def count(event: str, _: object) -> None:
            nonlocal left
            left -= event in TOUCHES_FILES
            if left == 0:
                left = -1  # os.kill is an audit event, too
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
    for file in files:
        load_file(Warehouse(warehouse), file)


class Scene:
    """Two files, their warehouse, and the rows of each file."""

    def __init__(self, folder: Path, content: bytes) -> None:
        records = framings.read_records(content)
        half = len(records) // 2
        self.files = [folder / "a.smf", folder / "b.smf"]
        for file, part in zip(self.files, (records[:half], records[half:]), strict=True):
            file.write_bytes(framings.framed(part))
        self.warehouse = Warehouse(folder / "w.duckdb")
        self.warehouse.create()
        self.expected = {}
        for file in self.files:
            load = lakes.load_whole(self.warehouse, file)
            self.expected[load.source_id] = self.rows(load.source_id)
        lakes.empty(self.warehouse)

    def rows(self, source_id: str) -> dict[str, int]:
        files = (self.warehouse.raw / source_id).glob("*.parquet")
        counts: dict[str, int] = {}
        for file in files:
            table = file.name.split(".")[0]
            counts[table] = (
                counts.get(table, 0) + pl.scan_parquet(file).select(pl.len()).collect().item()
            )
        return counts

    def run(self, kill_after: float | None = None, die_at: int | None = None) -> bool:
        """Load all files in another process; return whether it finished."""
        process = _server.Process(target=load_all, args=(self.warehouse.file, self.files, die_at))
        process.start()
        process.join(kill_after)
        process.kill()
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        return process.exitcode == 0

    def check(self) -> int:
        """Compare what readers see with the whole loads; return the number of loads."""
        with self.warehouse.connect() as db:
            ledger = db.execute("SELECT source_id, records FROM raw.ledger").fetchall()
            seen = db.execute("SELECT source_id, count(*) FROM raw.smf_record GROUP BY ALL")
            assert sorted(seen.fetchall()) == sorted(ledger)
        visible = {p.name for p in self.warehouse.raw.iterdir()} - {"_schema"}
        assert visible == {source_id for source_id, _ in ledger}
        for source_id in visible:
            assert self.rows(source_id) == self.expected[source_id]
        return len(ledger)

    def complete(self) -> None:
        assert self.run()
        assert self.check() == len(self.files)
        sweep(self.warehouse.staging)  # as the next load does
        assert not list(self.warehouse.staging.iterdir())
        lakes.empty(self.warehouse)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, dumps: list[Path]) -> Scene:
    return Scene(tmp_path_factory.mktemp("kill"), framings.longest_plain(dumps))


def test_killed_at_a_random_moment(scene: Scene) -> None:
    dice = random.Random(SEED)
    begun = time.monotonic()
    scene.complete()
    usual = time.monotonic() - begun
    kills = 0
    for _ in range(10 * RANDOM_KILLS):
        ended = scene.run(kill_after=dice.uniform(0, usual))
        # The machine may be faster now than before: half of the processes must be killed.
        usual *= 0.7 if ended else 1.2
        kills += not ended
        if scene.check() == len(scene.files):
            lakes.empty(scene.warehouse)
        if kills == RANDOM_KILLS:
            break
    assert kills == RANDOM_KILLS
    scene.complete()


def test_killed_at_each_step_on_the_file_system(scene: Scene) -> None:
    """Each run continues with what the killed one left, from the first file to the second."""
    one_load = 0
    for step in range(1, 10_000, STEP):
        ended = scene.run(die_at=step)
        loads = scene.check()
        one_load = one_load or (step if loads else 0)
        if ended or loads > 1:
            break
        if loads:
            lakes.empty(scene.warehouse)
    assert one_load > 5 * STEP, "the first load had too few steps"
    scene.complete()
