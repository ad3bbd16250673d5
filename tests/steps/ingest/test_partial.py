"""A whole copy of a damaged compressed file replaces what was loaded of it, exactly once."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from ingest.partial import replaced_loads
from tests.kit import framings

Pack = Callable[[bytes], bytes]


class Scene:
    """A warehouse, and a dump of which packed copies arrive."""

    def __init__(self, folder: Path, dump: bytes) -> None:
        self.folder, self.dump = folder, dump
        self.warehouse = Warehouse(folder / "w.duckdb")
        self.warehouse.create()

    def load(self, name: str, content: bytes) -> tuple[str, str]:
        """Load a file; return its source_id and how it fared."""
        file = self.folder / name
        file.write_bytes(content)
        load = load_file(self.warehouse, file)
        return load.source_id, load.status

    def damaged(self, share: float = 0.6) -> bytes:
        """Return a gzip file that is cut short."""
        packed = gzip.compress(self.dump, mtime=0)
        return packed[: int(len(packed) * share)]

    def replace(self) -> list[str]:
        """Remove the loads that are replaced, as a build does; return them."""
        if replaced := replaced_loads(self.warehouse):
            with self.warehouse.draft() as draft:
                self.warehouse.store.replace(replaced, draft)
        return replaced


@pytest.fixture
def scene(tmp_path: Path, dumps: list[Path]) -> Scene:
    return Scene(tmp_path, framings.longest_plain(dumps))


@pytest.mark.parametrize(
    ("pack", "large", "merged"),
    [(bytes, False, False), (gzip.compress, True, True), (zstandard.compress, True, False)],
)
def test_a_whole_copy_replaces_the_damaged_one(
    scene: Scene, pack: Pack, large: bool, merged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("ingest.load._LARGE", 1)
    damaged, status = scene.load("a.gz", scene.damaged())
    assert status == "partly"
    whole, status = scene.load("b", pack(scene.dump))
    assert status == "loaded"
    if merged:
        scene.warehouse.store.compact(enough=2)
    assert scene.replace() == [damaged]
    assert list(scene.warehouse.loads()) == [whole]
    assert scene.replace() == []


def test_a_damaged_copy_that_was_replaced_is_a_duplicate_until_the_whole_one_is_forgotten(
    scene: Scene,
) -> None:
    scene.load("a.gz", scene.damaged())
    whole, _ = scene.load("b", scene.dump)
    scene.replace()
    assert scene.load("a.gz", scene.damaged())[1] == "duplicate"
    scene.warehouse.forget(whole)
    assert scene.load("a.gz", scene.damaged())[1] == "partly"


@pytest.mark.parametrize("build_between", [False, True])
def test_a_longer_part_replaces_a_shorter_one(scene: Scene, build_between: bool) -> None:
    short, _ = scene.load("short.gz", scene.damaged(0.4))
    longer, _ = scene.load("longer.gz", scene.damaged(0.7))
    if build_between:
        assert scene.replace() == [short]
        assert list(scene.warehouse.loads()) == [longer]
    whole, _ = scene.load("whole", scene.dump)
    scene.replace()
    assert list(scene.warehouse.loads()) == [whole]
    assert scene.load("short.gz", scene.damaged(0.4))[1] == "duplicate"


def test_another_file_replaces_nothing(scene: Scene) -> None:
    damaged, _ = scene.load("a.gz", scene.damaged())
    records = framings.read_records(scene.dump)
    other, _ = scene.load("b", framings.framed(records[1:]))
    assert scene.replace() == []
    assert set(scene.warehouse.loads()) == {damaged, other}


def test_a_whole_copy_that_is_not_committed_replaces_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> bool:
        raise KeyboardInterrupt

    damaged, _ = scene.load("a.gz", scene.damaged())
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("ingest.lake.folders.Folders.commit", killed)
        scene.load("b", scene.dump)
    assert scene.replace() == []
    assert scene.load("a.gz", scene.damaged()) == (damaged, "duplicate")
    whole, _ = scene.load("b", scene.dump)
    assert scene.replace() == [damaged]
    assert list(scene.warehouse.loads()) == [whole]
