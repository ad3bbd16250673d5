"""The least change of a metric worth reporting: thresholds.toml, and a file of the user's."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ingest.base.errors import SettingsError

__all__ = ["THRESHOLDS_FILE", "Threshold", "Thresholds", "read_thresholds"]

THRESHOLDS_FILE = Path(__file__).with_name("thresholds.toml")
_VARIABLE = "PERFHOUSE_THRESHOLDS"
_KEYS = {"metric", "campaign", "least_percent", "why"}


@dataclass(frozen=True, slots=True)
class Threshold:
    """A rule: metric and campaign may have * in them; thresholds.toml explains the fields."""

    metric: str
    least_percent: float
    campaign: str = "*"
    why: str = ""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Rules, of which the last that fits counts; `usual` percent without one."""

    usual: float
    rules: Sequence[Threshold] = ()

    def rule(self, metric: str, campaign: str) -> Threshold | None:
        """Return the rule for a series, None if it has the usual threshold."""
        fit = (
            rule
            for rule in reversed(self.rules)
            if fnmatchcase(metric, rule.metric) and fnmatchcase(campaign, rule.campaign)
        )
        return next(fit, None)

    def least_percent(self, metric: str, campaign: str) -> float:
        """Return the least change that is reported, in percent of the level before."""
        rule = self.rule(metric, campaign)
        return self.usual if rule is None else rule.least_percent

    @property
    def least(self) -> float:
        """The lowest threshold of any series, in percent."""
        return min([self.usual, *(rule.least_percent for rule in self.rules)])


def read_thresholds(usual: float) -> Thresholds:
    """Read both files. Raises SettingsError, also if the user's file does not exist."""
    named = os.environ.get(_VARIABLE)
    rules = _read(THRESHOLDS_FILE)
    if named:
        if not Path(named).is_file():
            raise SettingsError(f"{named}: no such file (set in ${_VARIABLE})")
        rules += _read(Path(named))
    return Thresholds(usual, tuple(rules))


def _read(path: Path) -> list[Threshold]:
    try:
        held = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from None
    entries = held.get("threshold", [])
    if set(held) - {"threshold"} or not isinstance(entries, list):
        raise SettingsError(f"{path}: only [[threshold]] is known")
    return [_rule(entry, f"{path}: threshold {n}") for n, entry in enumerate(entries, 1)]


def _rule(entry: dict[str, object], place: str) -> Threshold:
    if wrong := sorted(set(entry) - _KEYS):
        raise SettingsError(f"{place}: {', '.join(wrong)} unknown")
    if wrong := sorted({"metric", "least_percent"} - set(entry)):
        raise SettingsError(f"{place}: {', '.join(wrong)} missing")
    percent = entry["least_percent"]
    texts = {name: entry[name] for name in ("metric", "campaign", "why") if name in entry}
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 <= percent < 1e6:
        raise SettingsError(f"{place}: least_percent must be a number from 0 on")
    if wrong := sorted(name for name, text in texts.items() if not isinstance(text, str)):
        raise SettingsError(f"{place}: {', '.join(wrong)} must be a text")
    return Threshold(least_percent=float(percent), **{k: str(text) for k, text in texts.items()})
