"""Digests of code, which tell whether what it made is up to date."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

__all__ = ["digest_of"]

_CODE = {".csv", ".md", ".py", ".sql", ".toml", ".yaml", ".yml"}


def digest_of(places: Iterable[Path], *versions: str) -> str:
    """Return a digest of the files of code in folders, of single files, and of versions.

    16 hexadecimal digits. A digest does not depend on where the places are.
    """
    digest = hashlib.sha256(" ".join(versions).encode())
    for path in places:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in _CODE and "target" not in file.parts:
                digest.update(file.relative_to(path.parent).as_posix().encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
