"""Finding files, unpacking them, and identifying them by content."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from ingest.errors import SourceError
from ingest.sources import (
    HEAD,
    Identity,
    expand,
    open_source,
    origin_of,
)

CONTENT = b"".join(hashlib.sha256(i.to_bytes(4)).digest() for i in range(20_000))  # 640 kB
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def unpack(file: Path, piece: int = 4096) -> tuple[bytes, str]:
    """Return all that can be read of a file, and what was wrong with it."""
    with open_source(file) as stream:
        parts = iter(lambda: stream.read(piece), b"")
        return b"".join(parts), stream.identity().fault


def identify(file: Path) -> Identity:
    with open_source(file) as source:
        return source.identity()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    hidden = (".hidden.dat", ".git/objects/aa/d", "deep/.git/objects/aa/d")
    for name in ("b.dat", "a.dat", "deep/er/c.dat", "e.txt", *hidden):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path


class TestExpand:
    def test_a_folder_gives_all_files_below_it_in_order(self, tree: Path) -> None:
        names = [p.relative_to(tree).as_posix() for p in expand([tree])]
        assert names == ["a.dat", "b.dat", "deep/er/c.dat", "e.txt"]

    def test_a_folder_may_be_hidden_itself(self, tree: Path) -> None:
        folder = tree / ".landing"
        folder.mkdir()
        (folder / "f.dat").touch()
        assert expand([folder]) == [folder / "f.dat"]

    def test_a_pattern_gives_the_files_that_match(self, tree: Path) -> None:
        assert [p.name for p in expand([str(tree / "*.dat")])] == ["a.dat", "b.dat"]
        assert [p.name for p in expand([str(tree / "**/c.*")])] == ["c.dat"]

    def test_each_file_is_given_once_in_the_order_of_the_arguments(self, tree: Path) -> None:
        given = [tree / "e.txt", tree, str(tree / "?.dat")]
        assert [p.name for p in expand(given)] == ["e.txt", "a.dat", "b.dat", "c.dat"]

    def test_a_file_name_that_looks_like_a_pattern_is_found(self, tree: Path) -> None:
        odd = tree / "odd[1].dat"
        odd.touch()
        assert expand([odd]) == [odd]

    def test_an_empty_folder_gives_nothing(self, tmp_path: Path) -> None:
        assert expand([tmp_path]) == []

    @pytest.mark.parametrize("name", ["missing.dat", "missing/", "*.nothing"])
    def test_a_missing_path_is_an_error_that_names_it(self, name: str, tree: Path) -> None:
        with pytest.raises(SourceError, match="no such file or folder") as error:
            expand([tree, str(tree / name)])
        assert str(tree / name).rstrip("/") in str(error.value)


class TestIdentify:
    @pytest.mark.parametrize("packing", PACKINGS)
    def test_the_identity_depends_on_the_unpacked_content(
        self, packing: str, tmp_path: Path
    ) -> None:
        file = tmp_path / "any.name"
        file.write_bytes(PACKINGS[packing](CONTENT))
        with open_source(file) as source:
            known = source.identity()
        assert known == Identity(hashlib.sha256(CONTENT).hexdigest(), len(CONTENT), "")
        assert (source.compression, source.stored_bytes) == (packing, file.stat().st_size)
        assert (source.head, source.whole) == (CONTENT[:HEAD], True)

    @pytest.mark.parametrize("packing", PACKINGS)
    def test_the_identity_does_not_depend_on_how_the_content_is_read(
        self, packing: str, tmp_path: Path
    ) -> None:
        file = tmp_path / "file"
        file.write_bytes(PACKINGS[packing](CONTENT * 20))
        piece = memoryview(bytearray(70_001))
        told: list[int] = []
        with open_source(file, told.append) as stream:
            while stream.readinto(piece):
                pass
            assert stream.identity() == identify(file)
        assert min(told) >= 0
        assert sum(told) == file.stat().st_size

    def test_a_partly_read_file_is_identified_whole(self, tmp_path: Path) -> None:
        file = tmp_path / "file"
        file.write_bytes(CONTENT)
        with open_source(file) as stream:
            assert stream.read(100) == CONTENT[:100]
            assert stream.identity() == identify(file)

    def test_a_long_file_keeps_only_its_head(self, tmp_path: Path) -> None:
        file = tmp_path / "long"
        content = CONTENT * (HEAD // len(CONTENT) + 2)
        file.write_bytes(content)
        with open_source(file) as source:
            assert (source.head, source.whole) == (content[:HEAD], False)

    @pytest.mark.parametrize("packing", PACKINGS)
    @pytest.mark.parametrize("size", [0, 100, HEAD - 1, HEAD, HEAD + 1, 2 * HEAD])
    def test_an_identified_file_can_be_read_again(
        self, packing: str, size: int, tmp_path: Path
    ) -> None:
        file = tmp_path / "file"
        content = (CONTENT * (size // len(CONTENT) + 1))[:size]
        file.write_bytes(PACKINGS[packing](content))
        told: list[int] = []
        with open_source(file, told.append) as source:
            assert source.whole == (size <= HEAD)
            known = source.identity()
            source.rewind()
            assert source.read() == content
            assert source.identity() == known
        assert known == Identity(hashlib.sha256(content).hexdigest(), size, "")
        assert sum(told) == file.stat().st_size

    def test_an_empty_file_has_an_identity(self, tmp_path: Path) -> None:
        (tmp_path / "empty").touch()
        source = identify(tmp_path / "empty")
        assert (source.size, source.fault) == (0, "")
        assert source.source_id == hashlib.sha256().hexdigest()

    @pytest.mark.parametrize("name", ["missing", "."])
    def test_an_unreadable_file_is_an_error(self, name: str, tmp_path: Path) -> None:
        with pytest.raises(OSError, match=r".+"):
            identify(tmp_path / name)


class TestUnpack:
    @pytest.mark.parametrize("packing", PACKINGS)
    @pytest.mark.parametrize("piece", [7, 4096, 1 << 22])
    def test_pieces_of_any_size_add_up_to_the_content(
        self, packing: str, piece: int, tmp_path: Path
    ) -> None:
        content = CONTENT[: 100 * piece]
        (tmp_path / "file").write_bytes(PACKINGS[packing](content))
        assert unpack(tmp_path / "file", piece) == (content, "")

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    def test_several_members_are_one_content(self, packing: str, tmp_path: Path) -> None:
        pack = PACKINGS[packing]
        (tmp_path / "file").write_bytes(pack(CONTENT[:1000]) + pack(b"") + pack(CONTENT[1000:]))
        assert unpack(tmp_path / "file") == (CONTENT, "")

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    @pytest.mark.parametrize("kept", [0.001, 0.3, 0.999])
    def test_bytes_before_a_cut_are_read_and_the_cut_is_reported(
        self, packing: str, kept: float, tmp_path: Path
    ) -> None:
        packed = PACKINGS[packing](CONTENT)
        (tmp_path / "file").write_bytes(packed[: int(kept * len(packed))])
        content, fault = unpack(tmp_path / "file")
        assert CONTENT.startswith(content)
        assert len(content) < len(CONTENT)
        assert "damaged" in fault

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    def test_damage_is_reported(self, packing: str, tmp_path: Path) -> None:
        packed = bytearray(PACKINGS[packing](CONTENT))
        middle = len(packed) // 2
        packed[middle : middle + 64] = bytes(64)
        (tmp_path / "file").write_bytes(packed)
        _, fault = unpack(tmp_path / "file")
        assert "damaged" in fault

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    def test_a_magic_number_alone_is_damage(self, packing: str, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(PACKINGS[packing](CONTENT)[:4])
        content, fault = unpack(tmp_path / "file")
        assert content == b""
        assert "damaged" in fault


class TestOrigin:
    @pytest.mark.parametrize(
        ("files", "asked", "origin"),
        [
            ({}, "a/file", None),
            ({"ORIGIN": "simulated\n"}, "file", "simulated"),
            ({"ORIGIN": "simulated"}, "a/b/file", "simulated"),
            ({"ORIGIN": "simulated", "a/ORIGIN": "measured"}, "a/b/file", "measured"),
            ({"a/ORIGIN": "simulated"}, "b/file", None),
        ],
    )
    def test_the_nearest_origin_file_counts(
        self, files: dict[str, str], asked: str, origin: str | None, tmp_path: Path
    ) -> None:
        for name, word in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(word)
        assert origin_of(tmp_path / asked) == origin

    def test_an_unknown_origin_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "ORIGIN").write_text("published\n")
        with pytest.raises(SourceError, match="'published' is not one of measured, simulated"):
            origin_of(tmp_path / "a" / "file")

    def test_an_origin_file_is_not_an_input(self, tmp_path: Path) -> None:
        for name in ("ORIGIN", "dump"):
            (tmp_path / name).write_text("simulated")
        assert expand([tmp_path]) == expand([f"{tmp_path}/*"]) == [tmp_path / "dump"]
