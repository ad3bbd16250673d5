"""The thresholds in limits.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from expectations.rule import ERROR, WARNING
from ingest.base.errors import SettingsError

__all__ = ["LIMITS_FILE", "Limits", "read_limits"]

LIMITS_FILE = Path(__file__).with_name("limits.toml")


@dataclass(frozen=True, slots=True)
class Limits:
    """The thresholds; limits.toml explains each of them."""

    earliest: date
    future_hours: float
    longest_seconds: float
    gap_seconds: float
    made_after_seconds: float
    gap_within_load: str
    gap_beside_quarantine: str
    gap_between_loads: str
    subtypes: tuple[int, ...]
    queue_manager_subtypes: tuple[int, ...]
    missing_subtype: str
    most_percent: float
    tolerance_percent: float
    most_bytes_per_second: float
    bounds: str
    least_percent: float
    quiet_runs: int
    false_discovery_percent: float

    def __post_init__(self) -> None:
        for key in (
            "gap_within_load",
            "gap_beside_quarantine",
            "gap_between_loads",
            "missing_subtype",
            "bounds",
        ):
            if getattr(self, key) not in (ERROR, WARNING):
                raise SettingsError(f"limits.toml: {key} must be {ERROR!r} or {WARNING!r}")
        if not 0 < self.false_discovery_percent < 100:
            raise SettingsError("limits.toml: false_discovery_percent must be above 0, below 100")


def read_limits(path: Path = LIMITS_FILE) -> Limits:
    """Read the file; raise SettingsError for a key that is missing, unknown or invalid."""
    values: dict[str, Any] = {}
    try:
        tables = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path.name}: {error}") from None
    for table in tables.values():
        values |= {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
    try:
        return Limits(**values)
    except TypeError as error:
        raise SettingsError(f"{path.name}: {error}") from None
