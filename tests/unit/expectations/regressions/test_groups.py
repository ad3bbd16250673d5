"""Which findings form a group, and which of them leads it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from expectations.regressions.finding import LEVEL, SLOPE, Finding, Key
from expectations.regressions.judge import _worth_reporting
from expectations.regressions.present import Judged
from expectations.regressions.states import WITHDRAWN
from expectations.regressions.store import Row
from expectations.regressions.triage import triage
from expectations.thresholds import Thresholds
from tests.kit.cases import cases
from tests.kit.regression_rows import NIGHTS as ALL_NIGHTS
from tests.kit.regression_rows import series

NIGHTS = 70
STARTS = ALL_NIGHTS[:NIGHTS]
NAMES = [f"r{night}" for night in range(NIGHTS)]
RUNS = pl.DataFrame({
    "origin": ["simulated"] * NIGHTS, "campaign": ["nightly"] * NIGHTS, "run_id": NAMES,
    "start_utc": STARTS, "build_no": list(range(NIGHTS)), "build": NAMES,
})  # fmt: skip
LEAK = np.maximum(np.arange(NIGHTS) - 39, 0) * 0.3
WAIT, COST, SPACE = (
    Key("simulated", "nightly", "c1", "dasd_response_time"),
    Key("simulated", "nightly", "c1", "cost_per_GB"),
    Key("simulated", "nightly", "c1", "cost_per_GB", "", "CHIN"),
)
KEYS = {"wait": WAIT, "cost": COST, "part": SPACE}
#: Name -> the shape of all series (and of the wait), checks of findings, and who then leads.
STORIES = dict(
    re.findall(
        r"^= (.*)\n((?:\w.*\n)+)", Path(__file__).with_name("stories.txt").read_text(), re.MULTILINE
    )
)


def finding(key: Key, at: int, kind: str = LEVEL, size: float = 5.0) -> Finding:
    """Return a rise of so many percent from a run on."""
    return Finding(
        *(kind, key, "A", NAMES[at], STARTS[at], NAMES[at], at),
        unit="s", more_is_better=False, before=100.0, after=100.0 + size, effect=5.0,
        p_value=1e-12, runs_before=at, runs_after=NIGHTS - at, run_ids=tuple(NAMES[at:]),
    )  # fmt: skip


def judged(shape: np.ndarray, wait: np.ndarray | None = None) -> Judged:
    """Return series of this shape, with little noise; the wait may have another one."""
    found: Judged = {}
    for seed, key in enumerate((WAIT, COST, SPACE)):
        noise = np.random.default_rng(seed).normal(0, 0.5, NIGHTS)
        own = wait if key == WAIT and wait is not None else shape
        found[key] = series(100 + own + noise, key), []
    return found


def told(
    findings: list[Finding],
    known: list[Row],
    shape: np.ndarray | Judged = LEAK,
    wait: np.ndarray | None = None,
) -> list[Row]:
    """Return the current rows after one more check; a cause is the metric that was explained."""
    of_all = shape if isinstance(shape, dict) else judged(shape, wait)
    events = triage(findings, known, of_all, RUNS, "b",
                    lambda of: replace(of, cause=of.key.metric))  # fmt: skip
    return list({row["regression_id"]: row for row in (*known, *events)}.values())


def groups_of(rows: list[Row]) -> int:
    return len({row["group_id"] for row in rows})


def shape_of(text: str) -> np.ndarray:
    """Return the sum of shapes: `leak`, `steps 40 55`, `small 40`."""
    found = np.zeros(NIGHTS)
    for part in text.split(" + "):
        kind, *places = part.split()
        found += LEAK * (kind == "leak")
        for at in places:
            found += (np.arange(NIGHTS) >= int(at)) * (1.0 if kind == "small" else 5.0)
    return found


def finding_of(text: str) -> Finding:
    """Return the finding of a series, a run and what it is: `cost 40 slope`; `early`: it ends."""
    name, at, *more = text.split()
    found = finding(KEYS[name], int(at), SLOPE if more == ["slope"] else LEVEL)
    return replace(found, runs_after=10) if more == ["early"] else found


def groups_in(rows: list[Row]) -> str:
    """Return the groups, leaders first: `wait, cost + part*`, which has not the leader's cause."""
    names = {(key.metric, key.address_space): name for name, key in KEYS.items()}
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: not row["leads"]):
        found.setdefault(row["group_id"], []).append(row)
    assert [sum(row["leads"] for row in group) for group in found.values()] == [1] * len(found)
    return ", ".join(
        " + ".join(
            names[row["metric"], row["address_space"]] + "*" * (row["cause"] != group[0]["metric"])
            for row in group
        )
        for group in found.values()
    )


@pytest.mark.parametrize("story", STORIES)
def test_changes_are_told_in_groups_with_their_leaders(story: str) -> None:
    rows: list[Row] = []
    shapes: dict[str, np.ndarray] = {}
    for word, asked, groups in re.findall(r"(\w+) ([^:]+?)(?:: (.*))?\n", STORIES[story]):
        if word != "check":
            shapes[word] = shape_of(asked)
            continue
        findings = [finding_of(text) for text in asked.split(", ")]
        rows = told(findings, rows, **shapes)
        assert groups_in(rows) == groups
        assert told(findings, rows, **shapes) == rows


@pytest.mark.parametrize(("runs", "size"), [(8, 6.0), (30, 3.0)])
def test_a_few_worse_runs_before_a_step_are_a_part_of_it(runs: int, size: float) -> None:
    """A ramp that is later seen as two steps keeps its size; what follows a level does not."""
    steps = 3.0 * (np.arange(NIGHTS) >= 50 - runs) + 3.0 * (np.arange(NIGHTS) >= 50)
    rows = told([finding(COST, 50, size=6.0)], [], steps)
    later = replace(finding(COST, 50), before=103.0, after=106.0, runs_before=runs)
    (now,) = told([later], rows, steps)
    assert now["after"] - now["before"] == pytest.approx(size)


def test_another_one_leads_if_the_leader_is_withdrawn() -> None:
    rows = told([finding(COST, 40), finding(SPACE, 40)], [])
    loaded_again = judged(LEAK) | {COST: judged(np.zeros(NIGHTS))[COST]}
    now = told([finding(SPACE, 40)], rows, loaded_again)
    assert [(r["metric"], r["address_space"]) for r in now if r["leads"]] == [
        ("cost_per_GB", "CHIN")
    ]
    assert [r["state"] for r in now if r["address_space"] == ""] == [WITHDRAWN]


@cases
def test_a_part_has_to_matter_to_the_whole(
    key: Key, size: float, whole: float, is_told: bool
) -> None:
    total = {replace(key, address_space=""): whole}
    assert bool(_worth_reporting([finding(key, 40, size=size)], Thresholds(1.0), total)) == is_told


@pytest.mark.parametrize(
    ("configurations", "tls", "said"),
    [
        (30, range(1, 7), "all configurations with tls 1.3"),  # the six that changed, no other
        (30, range(1, 16), ""),  # six of fifteen are six by chance
        (30, range(2, 8), ""),  # one of them has no TLS
        (7, range(1, 7), ""),  # too few without it
    ],
)
def test_a_group_names_the_factor_level_that_only_its_configurations_have(
    configurations: int, tls: range, said: str
) -> None:
    keys = [replace(COST, configuration_id=f"c{n}") for n in range(1, configurations + 1)]
    of_all: Judged = {key: (series(100 + LEAK, key), []) for key in keys}
    labels = {
        key.configuration_id: {"tls": "1.3" if n in tls else "N", "size": str(n % 2)}
        for n, key in enumerate(keys, 1)
    }

    def check(findings: list[Finding], known: list[Row]) -> list[Row]:
        return triage(findings, known, of_all, RUNS, "b", lambda of: of, labels=labels)

    findings = [finding(key, 40) for key in keys[:6]]
    events = check(findings, [])
    leader = next(row for row in events if row["leads"])
    assert leader["message"].rpartition("; ")[2].startswith("all conf") == bool(said)
    assert leader["message"].endswith(said)
    assert [row for row in check(findings, events) if row["note"].startswith("in ")] == []
