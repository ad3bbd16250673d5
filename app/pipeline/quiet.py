"""When messages to people are held back: in quiet hours, and until the daily digest.

    PERFHOUSE_QUIET=20:00-07:00 Europe/London      nothing is sent then; it waits until they end
    PERFHOUSE_DIGEST=07:30 Europe/London           one message a day, after this time

Without a zone, times are UTC.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ingest.base.errors import SettingsError

__all__ = ["Hours", "read_hours"]

_TIME = r"([01]?\d|2[0-3]):([0-5]\d)"
_QUIET = re.compile(rf"{_TIME}\s*-\s*{_TIME}(?:\s+(\S+))?")
_DIGEST = re.compile(rf"{_TIME}(?:\s+(\S+))?")


@dataclass(frozen=True, slots=True)
class Hours:
    """Quiet hours, from one time of day to the next, and the time of the digest; None: neither."""

    quiet: tuple[time, time] | None = None
    digest: time | None = None

    def is_quiet(self, now: datetime) -> bool:
        """Whether a moment is in the quiet hours."""
        if self.quiet is None:
            return False
        start, end = self.quiet
        at = now.astimezone(start.tzinfo).time()
        first, last = start.replace(tzinfo=None), end.replace(tzinfo=None)
        return first <= at < last if first <= last else at >= first or at < last

    def last_digest(self, now: datetime) -> datetime | None:
        """Return the last time of the digest up to a moment, None without a digest."""
        if self.digest is None:
            return None
        local = now.astimezone(self.digest.tzinfo)
        due = datetime.combine(local.date(), self.digest)
        return due if due <= now else datetime.combine(local.date() - timedelta(1), self.digest)


def read_hours(quiet: str, digest: str) -> Hours:
    """Read both settings, '' for none. Raises SettingsError."""
    hours = Hours()
    if quiet.strip():
        given = _QUIET.fullmatch(quiet.strip())
        if given is None:
            raise SettingsError(f"PERFHOUSE_QUIET: {quiet!r} is not like 20:00-07:00 Europe/London")
        zone = _zone("PERFHOUSE_QUIET", given[5])
        first, last = (time(int(given[i]), int(given[i + 1]), tzinfo=zone) for i in (1, 3))
        hours = Hours(quiet=(first, last))
    if digest.strip():
        given = _DIGEST.fullmatch(digest.strip())
        if given is None:
            raise SettingsError(f"PERFHOUSE_DIGEST: {digest!r} is not like 07:30 Europe/London")
        zone = _zone("PERFHOUSE_DIGEST", given[3])
        hours = Hours(hours.quiet, time(int(given[1]), int(given[2]), tzinfo=zone))
    return hours


def _zone(setting: str, name: str | None) -> tzinfo:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingsError(f"{setting}: no time zone is named {name!r}") from None
