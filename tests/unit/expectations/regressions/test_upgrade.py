"""What an earlier release told, and what people answered, goes on as it was."""

from __future__ import annotations

import shutil
from pathlib import Path

from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from expectations.regressions.store import Row, read_current
from tests.kit.nights import build

RELEASE = Path(__file__).parent / "release" / "release.parquet"
SAID = ("group_id", "owner", "bug", "note", "state")


def effect(configuration: str, metric: str, space: str | None, night: int) -> float:
    """Return what happened in the nights that the release judged, up to the fortieth."""
    return (
        (1.3 if (configuration, space) == ("c1", "CHIN") and night >= 30 else 1)
        * (0.8 if (configuration, metric) == ("c2", "rate") and night >= 20 else 1)
        * (1.3 if (configuration, space) == ("c2", "AGENT") and night >= 31 else 1)
        * (0.67 if (configuration, metric) == ("c1", "rate") and night == 39 else 1)
    )


def test_identities_answers_and_notes_survive_an_upgrade(tmp_path: Path) -> None:
    shutil.copy(RELEASE, tmp_path)

    def current() -> dict[str, Row]:
        return {row["regression_id"]: row for row in read_current(tmp_path)}

    was = current()
    assert {row["state"] for row in was.values()} == {
        "acknowledged", "confirmed", "false alarm", "suspected"
    }  # fmt: skip
    for nights in (40, 41, 45, 60):
        with build(nights, effect) as db:
            judge_build(db, tmp_path, f"b{nights}", read_limits())
    now = current()
    assert now.keys() == was.keys()
    ended = {name for name, row in now.items() if row["state"] != was[name]["state"]}
    assert {(now[name]["metric"], now[name]["state"]) for name in ended} == {("rate", "withdrawn")}
    for name in was.keys() - ended:
        assert {of: now[name][of] for of in SAID} == {of: was[name][of] for of in SAID}
