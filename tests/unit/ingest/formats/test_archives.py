"""Members of archives: which are files of their own, what they hold, and what is refused."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.formats.about import about
from ingest.formats.archives import on_disk, state_of
from ingest.formats.sources import Found, expand, open_source, origin_of

MEMBERS = {
    "ORIGIN": b"simulated",
    "perfhouse-results.toml": b'campaign = "nightly"',
    "in/a!.csv": b"a" * 70_000,
    "b.csv.gz": gzip.compress(b"b"),
    ".hidden": b"",
}


def zipped(members: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, of in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 3, 1, 12, 0, 0)), of)
    return content.getvalue()


def tarred(members: dict[str, bytes], link: str = "") -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, of in members.items():
            info = tarfile.TarInfo(f"./{name}")
            info.size, info.mtime = len(of), 1_772_362_800
            archive.addfile(info, io.BytesIO(of))
        if link:
            info = tarfile.TarInfo(link)
            info.type = tarfile.SYMTYPE
            archive.addfile(info)
    return content.getvalue()


def listed(file: Path, content: bytes) -> tuple[dict[str, tuple[bytes, str]], dict[str, str]]:
    """Return content and fault of each member of an archive, and why others are not read."""
    file.write_bytes(content)
    found, members = Found([file], {}).with_members(), {}
    for path in found.files:
        with open_source(path) as source:
            members[path.name] = (source.readall(), source.identity().fault)
    return members, {str(path.relative_to(file.parent)): why for path, why in found.unread.items()}


@pytest.mark.parametrize("pack", [zipped, tarred, lambda of: gzip.compress(tarred(of))])
def test_an_archive_reads_as_a_folder(
    pack: Callable[[dict[str, bytes]], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "runs"
    members, unread = listed(file, pack(MEMBERS))
    assert (members, unread) == ({"a!.csv": (b"a" * 70_000, ""), "b.csv.gz": (b"b", "")}, {})
    path = tmp_path / "runs!" / "in" / "a!.csv"
    assert on_disk(path) == file
    assert expand([path]).with_members().files == [path]
    assert origin_of(path) == "simulated"
    size, modified = state_of(path)
    assert size == 70_000
    assert modified == pytest.approx(1_772_362_800, abs=86_400)
    assert about(tmp_path / "runs!" / "b.csv.gz").campaign == "nightly"
    monkeypatch.setenv("PERFHOUSE_LIMIT_MEMBERS", "3")
    unread = listed(file, pack(MEMBERS) + b"\0" * 512 * (pack is tarred))[1]
    assert "more than 3 files, the limit PERFHOUSE_LIMIT_MEMBERS" in unread["runs"]


@pytest.mark.parametrize(
    ("content", "kept", "unread"),
    [
        (zipped({"../a": b"1", "/b": b"1", "c": b"2"}), {"c": (b"2", "")},
         {"x!/../a": "its path leads out of the archive",
          "x!/b": "its path leads out of the archive"}),
        (tarred({"c": b"2"}, link="l"), {"c": (b"2", "")}, {"x!/l": "not a regular file"}),
        (zipped({"a": b"1234", "c": b"2"}).replace(b"1234", b"1243"),
         {"a": (b"", "the member is damaged: Bad CRC-32 for file 'a'"), "c": (b"2", "")}, {}),
        (tarred({"c": b"2", "d": b"3" * 512})[:1536],
         {"c": (b"2", ""), "d": (b"", "the member is damaged: unexpected end of data")},
         {"x": "the archive is damaged behind ./d: unexpected end of data"}),
        (zipped({"c": b"2"})[:-9], {}, {"x": "the archive is damaged: File is not a zip file"}),
        (zipped({}), {}, {"x": "the archive is empty"}),
        (tarred({"c": b"2"})[:1024],
         {"c": (b"2", "")}, {"x": "the archive is damaged behind ./c: it is cut short"}),
    ],
)  # fmt: skip
def test_what_is_damaged_or_unsafe_is_said_and_the_rest_is_read(
    content: bytes, kept: dict[str, tuple[bytes, str]], unread: dict[str, str], tmp_path: Path
) -> None:
    assert listed(tmp_path / "x", content) == (kept, unread)


def test_a_document_is_no_archive(tmp_path: Path) -> None:
    content = zipped({"[Content_Types].xml": b"", "xl/a.csv": b""})
    assert listed(tmp_path / "x.xlsx", content) == ({"x.xlsx": (content, "")}, {})
