"""Rows of regressions, as a check writes them."""

from __future__ import annotations

from datetime import datetime

from expectations.regressions import store
from expectations.regressions.finding import LEVEL, Finding, Key


def row(state: str = "new", name: str = "g.1", **more: object) -> store.Row:
    finding = Finding(
        kind=LEVEL,
        key=Key("simulated", "nightly", "c1", "rate"),
        configuration="A > B",
        onset_run_id="r7",
        onset_utc=datetime(2026, 1, 8),
        onset_build="g7",
        onset_no=8,
        unit="MB/s",
        more_is_better=True,
        before=100.0,
        after=90.0,
        low=-12.0,
        high=-8.0,
        run_ids=("r7", "r8"),
    )
    group_id, _, number = name.partition(".")
    more = {"regression_id": name, "group_id": group_id, "leads": number == "1", **more}
    return store.row_of(finding, state, "b1", **more)
