"""Finding files, unpacking them, and identifying them by content."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from ingest.base.errors import SourceError
from ingest.formats.sources import (
    HEAD,
    Identity,
    expand,
    open_source,
    origin_of,
)
from tests.kit.cases import cases

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
        names = [p.relative_to(tree).as_posix() for p in expand([tree]).files]
        assert names == ["a.dat", "b.dat", "deep/er/c.dat", "e.txt"]

    def test_a_folder_may_be_hidden_itself(self, tree: Path) -> None:
        folder = tree / ".landing"
        folder.mkdir()
        (folder / "f.dat").touch()
        assert expand([folder]).files == [folder / "f.dat"]

    def test_a_pattern_gives_the_files_that_match(self, tree: Path) -> None:
        assert [p.name for p in expand([str(tree / "*.dat")]).files] == ["a.dat", "b.dat"]
        assert [p.name for p in expand([str(tree / "**/c.*")]).files] == ["c.dat"]

    def test_each_file_is_given_once_in_the_order_of_the_arguments(self, tree: Path) -> None:
        given = [tree / "e.txt", tree, str(tree / "?.dat")]
        assert [p.name for p in expand(given).files] == ["e.txt", "a.dat", "b.dat", "c.dat"]

    def test_a_file_name_that_looks_like_a_pattern_is_found(self, tree: Path) -> None:
        odd = tree / "odd[1].dat"
        odd.touch()
        assert expand([odd]).files == [odd]

    @pytest.mark.parametrize("path", ["", " "])
    def test_an_empty_path_is_an_error(self, path: str) -> None:
        with pytest.raises(SourceError, match="an empty path"):
            expand([path])

    def test_lakes_and_other_given_files_are_left_out(self, tree: Path) -> None:
        (tree / "w.lake/generations").mkdir(parents=True)
        (tree / "w.lake/landing.json").touch()
        without = {tree / "deep/er", tree / "e.txt"}
        for given in (tree, f"{tree}/**"):
            assert expand([given], without).files == [tree / "a.dat", tree / "b.dat"]

    def test_links_are_followed_within_the_folder(self, tree: Path) -> None:
        links = {
            "within": "deep/er/c.dat",
            "out": "/etc/hostname",
            "up": "../outside",
            "folder": "/etc",
            "here": "deep",
            "nowhere": "missing",
            "itself": "itself",
        }
        (tree.parent / "outside").write_text("outside")
        for name, target in links.items():
            (tree / name).symlink_to(target)
        found = expand([tree])
        names = [p.relative_to(tree).as_posix() for p in found.files]
        assert names == ["a.dat", "b.dat", "deep/er/c.dat", "e.txt", "within"]
        reasons = {p.name: reason for p, reason in found.unread.items()}
        assert reasons.keys() == links.keys() - {"within", "here"}
        assert all("leads out of" in reasons[name] for name in ("out", "up", "folder"))
        assert reasons["nowhere"] == "No such file or directory"
        assert expand([f"{tree}/*"]).unread.keys() == found.unread.keys() - {tree / "folder"}
        assert expand([tree / "out"]).files == [tree / "out"]  # named, so followed

    def test_what_cannot_be_read_is_named_and_the_rest_found(self, tree: Path) -> None:
        os.mkfifo(tree / "pipe")
        found = expand([tree, "/dev/null"])
        assert [p.name for p in found.files] == ["a.dat", "b.dat", "c.dat", "e.txt"]
        assert found.unread == dict.fromkeys(
            [tree / "pipe", Path("/dev/null")], "not a regular file"
        )

    def test_a_folder_that_cannot_be_listed_is_named(
        self, tree: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def scandir(path: str) -> object:
            if path.endswith("er"):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
            return as_usual(path)

        as_usual = os.scandir
        monkeypatch.setattr(os, "scandir", scandir)
        found = expand([tree])
        assert [p.name for p in found.files] == ["a.dat", "b.dat", "e.txt"]
        assert found.unread == {tree / "deep/er": "cannot be listed: Permission denied"}

    def test_an_empty_folder_gives_nothing(self, tmp_path: Path) -> None:
        assert expand([tmp_path]).files == []

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
        digest = hashlib.sha256(CONTENT).hexdigest()
        assert known == Identity(digest, len(CONTENT), "", digest, {})
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
            assert (source.head, source.whole) == (content[:HEAD], size <= HEAD)
            known = source.identity()
            source.rewind()
            assert source.read() == content
            assert source.identity() == known
        digest = hashlib.sha256(content).hexdigest()
        assert known == Identity(digest, size, "", digest, {})
        assert sum(told) == file.stat().st_size

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
    @pytest.mark.parametrize("size", [7_049, len(CONTENT)])
    def test_bytes_before_a_wrong_checksum_are_read(
        self, packing: str, size: int, tmp_path: Path
    ) -> None:
        packed = bytearray(PACKINGS[packing](CONTENT[:size]))
        packed[-5 if packing == "gzip" else -1] ^= 1
        (tmp_path / "file").write_bytes(packed)
        content, fault = unpack(tmp_path / "file")
        assert content == CONTENT[:size]
        assert "damaged" in fault

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    def test_bytes_before_damage_are_read(self, packing: str, tmp_path: Path) -> None:
        pack = PACKINGS[packing]
        packed = bytearray(pack(CONTENT[:70_000]) + pack(CONTENT[70_000:]))
        middle = len(pack(CONTENT[:70_000])) + 300_000
        packed[middle : middle + 64] = bytes(64)
        (tmp_path / "file").write_bytes(packed)
        content, fault = unpack(tmp_path / "file")
        assert content[:320_000] == CONTENT[:320_000]  # Zstandard unpacks blocks of 128 KB
        assert "damaged" in fault

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    def test_bytes_after_a_compressed_stream_are_reported(
        self, packing: str, tmp_path: Path
    ) -> None:
        packed = PACKINGS[packing](CONTENT)
        (tmp_path / "padded").write_bytes(packed + bytes(10_000))
        assert unpack(tmp_path / "padded") == (CONTENT, "")
        (tmp_path / "file").write_bytes(packed + b"garbage")
        assert unpack(tmp_path / "file") == (
            CONTENT,
            f"the last 7 bytes of the file are not {packing}",
        )

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    def test_files_with_different_damage_are_different(self, packing: str, tmp_path: Path) -> None:
        identities = set()
        for wrong in range(3):
            packed = bytearray(PACKINGS[packing](CONTENT))
            packed[-5 + wrong * (packing == "gzip")] ^= 1 + wrong
            (tmp_path / f"{wrong}").write_bytes(packed)
            identity = identify(tmp_path / f"{wrong}")
            assert identity.source_id == hashlib.sha256(packed).hexdigest()
            identities.add(identity)
        assert len(identities) == 3

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    @pytest.mark.parametrize(("name", "most"), [("ratio", 16), ("unpacked_mb", 3)])
    def test_no_more_is_unpacked_than_the_limits_allow(
        self, packing: str, name: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").write_bytes(PACKINGS[packing](bytes(40 << 20)))
        monkeypatch.setenv(f"PERFHOUSE_LIMIT_{name.upper()}", "3")
        content, fault = unpack(tmp_path / "file")
        assert len(content) == most << 20
        assert f"the limit PERFHOUSE_LIMIT_{name.upper()}" in fault
        monkeypatch.setenv(f"PERFHOUSE_LIMIT_{name.upper()}", "many")
        with pytest.raises(SourceError, match="'many', not a whole number from 1"):
            unpack(tmp_path / "file")

    @pytest.mark.parametrize("packing", ["gzip", "zstd"])
    def test_a_magic_number_alone_is_damage(self, packing: str, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(PACKINGS[packing](CONTENT)[:4])
        content, fault = unpack(tmp_path / "file")
        assert content == b""
        assert "damaged" in fault


class TestOrigin:
    @cases
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
        assert expand([tmp_path]).files == expand([f"{tmp_path}/*"]).files == [tmp_path / "dump"]
