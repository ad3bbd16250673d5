"""The models of verdicts hand samples to the kernel, and its verdicts back."""

import importlib.util
from datetime import datetime, timedelta

import polars as pl
import pytest

from app.pipeline.places import ROOT
from tests.kit.cases import cases

FLAT, STEP = [100.0, 101.0, 99.0] * 8, [100.0, 101.0, 99.0] * 8 + [120.0, 121.0, 119.0] * 5
DRIFT = [100.0 + 5 * n + n % 2 for n in range(40)]
PAIR = {
    "kind": "machine", "origin": "measured", "campaign": None, "document_id": None,
    "section": None, "git_revision": None, "varied": "machine", "level_before": "z15",
    "level_after": "z16", "metric": "rate", "unit": "MB/s", "more_is_better": True,
    "baseline_builds": 1, "candidate_builds": 1, "are_same_builds": True, "history": None,
}  # fmt: skip
HISTORY = [[[100.0], [102.0]] * 6]


def model(name):
    file = ROOT / f"dbt/models/verdicts/{name}.py"
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cases
def test_a_series_has_its_levels(values, levels, last):
    """Each with its sessions, mean, verdict, and whether it says where runs usually are.

    last: how the last session stands.
    """
    start = datetime(2026, 1, 1)
    series = {
        "origin": "measured", "campaign": "c", "configuration_id": "k", "metric": "rate",
        "unit": "MB/s", "more_is_better": True, "values_of_sessions": values,
        "figures_of_sessions": [[value] for value in values],
        "session_nos": [*range(1, len(values) + 1)],
        "first_utcs": [start + timedelta(days=n) for n in range(len(values))],
        "source_ids": ["a"] * len(values), "record_nos": [*range(len(values))],
    }  # fmt: skip
    rows = model("series_level").judge([series])
    assert [
        (row["sessions"], round(row["level"]), row["verdict"], row["usual_low"] is not None)
        for row in rows
    ] == levels
    assert rows[-1]["last_verdict"] == last
    assert [row["is_current"] for row in rows] == [False] * (len(rows) - 1) + [True]


@cases
def test_a_pair_is_judged_as_what_it_is(pair, verdict, noise_source):
    rows = pl.DataFrame([PAIR | {"pair_no": 1} | pair], infer_schema_length=None)
    (row,) = model("pair_verdict").judge(rows)
    assert (row["verdict"], row["noise_source"]) == (verdict, noise_source)


def test_false_differences_are_limited_over_what_is_asked_together():
    """Of one question, a difference that is significant alone is not among nineteen others."""
    rows = [
        PAIR | {"pair_no": n, "metric": f"m{n}", "baseline_values": [100.0, 101.0, 102.0, 103.0],
                "candidate_values": [v + 4 * (n == 0) for v in (100.5, 101.5, 102.5, 103.5)]}
        for n in range(20)
    ]  # fmt: skip
    verdicts = [row["verdict"] for row in model("pair_verdict").judge(pl.DataFrame(rows))]
    alone = model("pair_verdict").judge(pl.DataFrame(rows[:1]))[0]
    assert alone["verdict"] == "better"
    assert verdicts[0] == "undecided"
    apart = [row | {"level_before": f"z{row['pair_no']}"} for row in rows]
    found = model("pair_verdict").judge(pl.DataFrame(apart))
    assert next(row["verdict"] for row in found if row["pair_no"] == 0) == "better"


def test_nothing_is_judged_of_nothing():
    assert model("series_level").judge([]) == []
    assert pytest.approx([]) == model("pair_verdict").judge(pl.DataFrame(schema=[*PAIR]))
