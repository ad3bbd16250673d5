"""Series of runs, one a night, and rows of regressions, as a check writes them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from expectations.regressions import store
from expectations.regressions.finding import LEVEL, Finding, Key
from expectations.regressions.series import Series

NIGHTS = [datetime(2026, 1, 1) + timedelta(days=night) for night in range(200)]


def series(
    values: Iterable[float], key: Key, unit: str = "s", *, more_is_better: bool = False
) -> Series:
    """Return a series of the runs r0, r1 and so on, of a build each."""
    kept = [float(value) for value in values]
    names = [f"r{night}" for night in range(len(kept))]
    return Series(
        *(key, "A", unit, more_is_better, kept, [(name,) for name in names]),
        *(NIGHTS[: len(kept)], NIGHTS[1 : len(kept) + 1], names, list(range(len(kept)))),
        ran=NIGHTS[: len(kept)],
    )


def row(state: str = "new", name: str = "g.1", **more: object) -> store.Row:
    finding = Finding(
        *(LEVEL, Key("simulated", "nightly", "c1", "rate"), "A > B", "r7", NIGHTS[7], "g7", 8),
        unit="MB/s", more_is_better=True, before=100.0, after=90.0, low=-12.0, high=-8.0,
        run_ids=("r7", "r8"),
    )  # fmt: skip
    group_id, _, number = name.partition(".")
    more = {"regression_id": name, "group_id": group_id, "leads": number == "1", **more}
    return store.row_of(finding, state, "b1", **more)
