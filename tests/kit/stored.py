"""Small warehouses as earlier releases made them, for the tests of upgrades.

    python tests/kit/stored.py

stores one of this release's format in tests/kit/warehouses, with the source files of the first.
It uses nothing that is new, so it also runs on the code of an earlier release (PYTHONPATH).
"""

from __future__ import annotations

import gzip
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

from ingest.lake.warehouse import Warehouse

STORED = Path(__file__).parent / "warehouses"
MOST = 12_000  # bytes of a dump
MANIFEST = """\
perfhouse_manifest = 1
campaign = "stored"
[[run]]
start = 2026-03-01T10:00:00Z
stop = 2026-03-01T10:02:00Z
factors = { file_size_mb = 10 }
measurement = [{ metric = "rate", value = 80.5, unit = "MB/s", more_is_better = true }]
"""


def unpack(stored: Path, folder: Path) -> Warehouse:
    """Unpack a stored warehouse; its source files are in LAKE/declared."""
    with tarfile.open(stored) as archive:
        archive.extractall(folder, filter="data")
    return Warehouse(folder / "w.duckdb")


def make(folder: Path) -> Warehouse:
    """Make a warehouse: load some files, and merge all loads but the last one."""
    from app.pipeline.steps import prepare
    from ingest.load import load_file

    warehouse = Warehouse(folder / "w.duckdb")
    prepare(warehouse)
    sources = warehouse.lake / "declared"  # a load finds its file there, wherever the lake is
    copy_sources(sources)
    *first, last = sorted(sources.iterdir())
    for file in first:
        load_file(warehouse, file, "simulated")
    warehouse.store.compact(enough=1)
    load_file(warehouse, last, "simulated")
    return warehouse


def store(folder: Path) -> Path:
    """Make a warehouse and pack it; return the archive."""
    warehouse = make(folder)
    noted = warehouse.lake / "format"
    archive = STORED / f"format-{noted.read_text().strip() if noted.exists() else 1}.tar.xz"
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz", preset=9) as packed:
        for path in sorted((warehouse.file, warehouse.lake)):
            packed.add(path, path.name, filter=_anonymous)
    return archive


def copy_sources(folder: Path) -> None:
    """Write the source files of the first stored warehouse, or new ones if there is none."""
    first = STORED / "format-1.tar.xz"
    if first.exists():
        with tempfile.TemporaryDirectory() as name:
            shutil.copytree(unpack(first, Path(name)).lake / folder.name, folder)
        return
    from models_sim.simulator.mq.samples import write_samples

    folder.mkdir()
    with tempfile.TemporaryDirectory() as name:
        for dump in write_samples(Path(name), 1)[-2:]:
            content = dump.read_bytes()
            whole = gzip.decompress(content) if dump.suffix == ".gz" else content
            (folder / f"{dump.name.partition('.')[0]}.smf").write_bytes(_first(whole))
    (folder / "manifest.toml").write_text(MANIFEST)
    shutil.copy(Path(__file__).parent / "samples/bench/ioping.txt", folder)


def _first(dump: bytes) -> bytes:
    """Return the first records of a dump, each with its length in front."""
    at = 0
    while at < len(dump) and at + int.from_bytes(dump[at : at + 2]) <= MOST:
        at += int.from_bytes(dump[at : at + 2])
    return dump[:at]


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="perfhouse-") as name:
        made = store(Path(name))
    sys.stdout.write(f"{made}: {made.stat().st_size / 1024:,.0f} KB\n")
