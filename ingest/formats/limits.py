"""Limits for files that are damaged or hostile, so that none can fill the memory or the disk.

What is beyond a limit is set aside in quarantine with the reason, and the rest of the file is
loaded. Each limit is a setting: PERFHOUSE_LIMIT_ and its name in capitals.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from ingest.base.errors import SourceError

__all__ = ["LIMITS", "Limit", "limit", "setting"]


class Limit(NamedTuple):
    """The default of a limit and what it bounds, with the unit."""

    default: int
    meaning: str


LIMITS = {
    "unpacked_mb": Limit(262_144, "MB (2^20 bytes) that a compressed file may unpack to"),
    "ratio": Limit(500, "times its own size that a file may unpack to, beyond the first 16 MB"),
    "members": Limit(10_000, "files of an archive that are read"),
    "zeros_mb": Limit(64, "MB (2^20 bytes) of zeros in a row that are read"),
    "text_mb": Limit(256, "MB (2^20 bytes) of a text file that are read"),
    "lines": Limit(4_000_000, "lines of a text file that are read"),
    "value_length": Limit(4096, "characters of a text value, such as a name"),
    "key_parts": Limit(64, "parts of a key in a TOML manifest, which are its levels"),
    "runs": Limit(20_000, "runs of one manifest"),
    "run_values": Limit(2_000_000, "factors, labels and names in the scope of a manifest's runs"),
    "kept_mb": Limit(64, "MB (2^20 bytes) of rejected content that quarantine keeps of one file"),
}


def setting(name: str) -> str:
    """Return the environment variable of a limit."""
    return f"PERFHOUSE_LIMIT_{name.upper()}"


def limit(name: str) -> int:
    """Return a limit: its setting, or the default. Raises SourceError for anything but a number."""
    given = os.environ.get(setting(name), "")
    if not given:
        return LIMITS[name].default
    if not given.isdecimal() or not int(given):
        raise SourceError(f"{setting(name)} is {given!r}, not a whole number from 1")
    return int(given)
