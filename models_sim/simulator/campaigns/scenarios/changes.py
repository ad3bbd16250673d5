"""Changes that a scenario puts into its runs, and the file in which a campaign tells them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["TRUTH_FILE", "Injection", "read_truth", "truth_text"]

#: The file in a campaign's folder with the changes in it; ingest passes over it.
TRUTH_FILE = "TRUTH.json"
_RISES_ARE_BETTER = ("rate", "transactions_per_second")
_LEAST = 0.02  # twice the noise of 1 % between runs (see plan)
_LEAST_NIGHTS = 6  # of a change that is taken back


@dataclass(frozen=True, slots=True)
class Injection:
    """A change that was put into the runs of one configuration.

    `kind` is "step", "leak", "spike" (one night), "values" (a metric of two values takes the other
    one), "unit" or "data". The change holds from night `first` to `last`, counted from 0; `last` is
    None if it stays. `metric` is what changes most, and `size` is the relative change; of a leak,
    the change a night; of a unit, 0; for `kind` "data" `size` is the missing share of the data.
    `cause` is "address space", "verb", "dasd", "cf", "network", "log", "latch", "ziip", "host" (of
    Linux), the fault in the data, or what the metric or unit becomes. `system` and `address_space`
    are the place, if there is one; `verb` is an MQI call.
    """

    name: str
    configuration: str
    kind: str
    first: int
    last: int | None
    metric: str
    size: float
    cause: str
    system: str = ""
    address_space: str = ""
    verb: str = ""

    def holds(self, night: int) -> bool:
        """Return whether the night has the change."""
        return self.first <= night and (self.last is None or night <= self.last)

    def size_in(self, night: int) -> float:
        """Return the relative change in a night that has it; a leak grows night by night."""
        return self.size * (night - self.first + 1) if self.kind == "leak" else self.size

    @property
    def is_worse(self) -> bool:
        """Whether it is for the worse; a fault in the data always is."""
        if self.kind in {"data", "unit"}:
            return True
        return (self.size < 0) == (self.metric in _RISES_ARE_BETTER)

    @property
    def is_told(self) -> bool:
        """Whether whoever looks for changes for the worse has to find it.

        Not what lasts for one night only or is less than twice the noise, and no unit that can be
        converted.
        """
        if self.kind == "data":
            return True
        if self.kind == "unit":
            return self.size != 0
        lasts = self.kind != "spike" and (
            self.last is None or self.last - self.first + 1 >= _LEAST_NIGHTS
        )
        return lasts and self.is_worse and (self.kind == "leak" or abs(self.size) >= _LEAST)


def truth_text(changes: Sequence[Injection], nights: Sequence[tuple[str, str]]) -> str:
    """Return what TRUTH.json says: what changes, when, by how much, and whether it has to be found.

    nights: the start (UTC) and the build of each night.
    """
    listed = [
        asdict(change)
        | {
            "first_utc": nights[change.first][0],
            "first_build": nights[change.first][1],
            "last_build": None if change.last is None else nights[change.last][1],
            "is_told": change.is_told,
        }
        for change in sorted(changes, key=lambda change: (change.first, change.name))
    ]
    return json.dumps({"changes": listed}, indent=1) + "\n"


def read_truth(folder: Path) -> list[Injection]:
    """Return the changes in a campaign's folder, in the order of their first night.

    Raises OSError without the file, ValueError if it is damaged.
    """
    text = (folder / TRUTH_FILE).read_text()
    try:
        listed = json.loads(text)["changes"]
        names = Injection.__dataclass_fields__
        return [Injection(**{name: change[name] for name in names}) for change in listed]
    except (KeyError, TypeError) as error:
        raise ValueError(f"{folder / TRUTH_FILE}: no list of changes ({error})") from None
