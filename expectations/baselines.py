"""Rates that must not fall: reading baselines.toml, and the query for the observed rate."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from expectations.rule import literal, name
from ingest.base.errors import SettingsError

__all__ = ["BASELINES_FILE", "Baseline", "baselines_file", "observed_query", "read_baselines"]

BASELINES_FILE = Path(__file__).with_name("baselines.toml")
_TEXTS = ("name", "table", "metric", "unit", "source", "why")
_NUMBERS = ("value", "tolerance_percent")
_OPTIONAL = {"time", "bundled"}
_KEYS = {*_TEXTS, *_NUMBERS, *_OPTIONAL, "where"}


@dataclass(frozen=True, slots=True)
class Baseline:
    """A rate that must not fall; baselines.toml explains the fields.

    where: (column, value) pairs that select the rows of one series, including its origin; time:
    the column that orders them; bundled: of the bundled data, so not mentioned where these are not.
    """

    name: str
    table: str
    metric: str
    where: tuple[tuple[str, str | int | float | bool], ...]
    value: float
    unit: str
    tolerance_percent: float
    source: str
    why: str
    time: str = "interval_start_utc"
    bundled: bool = False

    def __post_init__(self) -> None:
        if self.value <= 0 or not 0 <= self.tolerance_percent < 100:
            raise ValueError("value must be above 0 and tolerance_percent from 0 to below 100")
        if self.table.count(".") != 1:
            raise ValueError("table must be schema.table")
        if dict(self.where).get("origin") not in ("measured", "simulated"):
            raise ValueError('where must name an origin: "measured" or "simulated"')

    @property
    def key(self) -> str:
        """The selected series in words: "queue_manager QM1, origin measured"."""
        return ", ".join(f"{column} {value}" for column, value in self.where)

    @property
    def expected(self) -> str:
        """The least rate that passes, in words."""
        return f"at least {self.value:.6g} {self.unit} less {self.tolerance_percent:g} %"


def baselines_file() -> Path:
    """Return $PERFHOUSE_BASELINES, which must exist, or else the file next to this module."""
    named = os.environ.get("PERFHOUSE_BASELINES")
    if named and not Path(named).is_file():
        raise SettingsError(f"{named}: no such file (set in $PERFHOUSE_BASELINES)")
    return Path(named) if named else BASELINES_FILE


def read_baselines(path: Path) -> tuple[Baseline, ...]:
    """Read the baselines, () if the file does not exist. Raises SettingsError."""
    if not path.exists():
        return ()
    try:
        entries = tomllib.loads(path.read_text("utf-8")).get("baseline", [])
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise SettingsError(f"{path}: each baseline begins with [[baseline]]")
    baselines: list[Baseline] = []
    for number, entry in enumerate(entries, 1):
        entry_name = f"{path}: baseline {number} ({entry.get('name', 'no name')})"
        if wrong := sorted(_KEYS - _OPTIONAL - set(entry)):
            raise SettingsError(f"{entry_name}: {', '.join(wrong)} missing")
        if wrong := sorted(set(entry) - _KEYS):
            raise SettingsError(f"{entry_name}: {', '.join(wrong)} unknown")
        if wrong := [k for k in _NUMBERS if type(entry[k]) not in (int, float)]:
            raise SettingsError(f"{entry_name}: {', '.join(wrong)} must be a number")
        texts = [*_TEXTS, *({"time"} & set(entry))]
        if wrong := [k for k in texts if type(entry[k]) is not str]:
            raise SettingsError(f"{entry_name}: {', '.join(wrong)} must be a text")
        if type(entry.get("bundled", False)) is not bool:
            raise SettingsError(f"{entry_name}: bundled must be true or false")
        if not isinstance(entry["where"], dict):
            raise SettingsError(f"{entry_name}: where must be a table of columns and values")
        if entry["name"] in (b.name for b in baselines):
            raise SettingsError(f"{entry_name}: duplicate name")
        try:
            baselines.append(Baseline(**entry | {"where": tuple(entry["where"].items())}))
        except ValueError as error:
            raise SettingsError(f"{entry_name}: {error}") from None
    return tuple(baselines)


def observed_query(baseline: Baseline) -> str:
    """Return a SELECT of one row: observed, row_count, source_id, first_at, last_at, rows_total.

    observed is the median over the rows of the latest load: the one with the latest time, not the
    one that was loaded last, because an old dump may arrive late.
    """
    where = " AND ".join(f"{name(c)} = {literal(v)}" for c, v in baseline.where)
    metric, time = name(baseline.metric), name(baseline.time)
    return f"""
        WITH batch AS (SELECT * FROM {baseline.table}),
        judged AS (
            SELECT {metric} AS rate, {time} AS at_utc, source_id
            FROM batch
            WHERE {where} AND {metric} IS NOT NULL
        )
        SELECT
            median(rate)::DOUBLE AS observed, count(*) AS row_count,
            any_value(source_id) AS source_id,
            strftime(min(at_utc), '%Y-%m-%d %H:%M:%S') AS first_at,
            strftime(max(at_utc), '%Y-%m-%d %H:%M:%S') AS last_at,
            (SELECT count(*) FROM batch) AS rows_total
        FROM judged
        WHERE source_id = (SELECT arg_max(source_id, at_utc) FROM judged)
    """
