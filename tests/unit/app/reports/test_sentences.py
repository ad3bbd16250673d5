"""Sentences: what figures allow one to say, and not more."""

import re

import pytest
from syrupy.assertion import SnapshotAssertion

from app.reports import choosing
from app.reports import sentences as said
from app.reports.facts import of_metric

STEADY = (1.0, 1.002, 0.998, 1.001, 0.999)
FEW = (1.0, 1.03, 0.97, 1.02, 0.98)
NOISY = (1.0, 1.4, 0.7, 1.2, 0.8)


def row(name: str, middle: float, runs: tuple[float, ...] = STEADY, **more: object) -> said.Row:
    """Return a figure: a rate in MB/s unless `more` says otherwise."""
    values = [middle * factor for factor in runs]
    return {
        "name": name, "metric": "rate", "unit": "MB/s", "more_is_better": True, "value": middle,
        "values": values, "runs": len(values),
    } | more  # fmt: skip


def cost(name: str, middle: float, runs: tuple[float, ...] = STEADY) -> said.Row:
    return row(name, middle, runs, metric="cost_per_GB", unit="CPU s/GB", more_is_better=False)


def line(*figures: float, runs: tuple[float, ...] = STEADY) -> list[said.Row]:
    return [row("binary", f, runs, file_size_mb=10**n) for n, f in enumerate(figures)]


def share(middle: float, name: str, size: int) -> said.Row:
    """Return a share, which has no better direction."""
    more = {"metric": "ziip_share", "unit": "%", "more_is_better": None}
    return row(name, middle, file_size_mb=size, **more)


def changed(**more: object) -> said.Row:
    return {
        "heading": "Transfer rate", "configuration": "binary", "campaign": "c", "metric": "rate",
        "unit": "MB/s", "before": 100.0, "after": 90.0, "change_percent": -10.0, "low": -11.0,
        "high": -9.0, "runs_before": 45, "runs_after": 15, "onset_utc": None, "onset_build": "b7",
        "cause": "", "message": "it fell",
    } | more  # fmt: skip


def pair(name: str, change: float, verdict: str = "better", width: float = 1.0) -> said.Row:
    """Return a row of a comparison of transfer rates."""
    return {
        "metric": "rate", "unit": "MB/s", "short": name, "baseline": 100.0,
        "candidate": 100.0 + change, "change": change, "low": change - width,
        "high": change + width, "runs": "3 and 3", "verdict": verdict,
    }  # fmt: skip


def effect(low: float, high: float) -> said.Row:
    """Return what a factor does to the transfer rate on average over 8 pairs."""
    return {"metric": "rate", "what": "TLS", "pairs": 8, "mean": (low + high) / 2, "low": low,
            "high": high}  # fmt: skip


#: What figures allow one to say.
SENTENCES = [
    said.leader([row("a", 100), row("b", 80)]),
    said.leader([cost("a", 3), cost("b", 4)]),
    said.leader([row("a", 100), row("b", 100.1)]),
    said.leader([row("a", 100, NOISY), row("b", 90, NOISY), row("c", 10)]),
    said.leader([row("a", 100), row("b", 99, NOISY), row("c", 85)]),
    said.leader([row("a", 100, NOISY), row("b", 90, NOISY)]),
    said.leader([row("a", 100, (1,)), row("b", 50, (1,))]),
    said.within_noise([row("a", 100, NOISY), row("b", 99, NOISY)]),
    said.last([row("a", 100), row("b", 80), row("c", 60)]),
    said.course(line(50, 90), "file_size_mb", "MB"),
    said.course(line(90, 50), "file_size_mb", "MB"),
    said.course(line(90, 90), "file_size_mb", "MB"),
    said.course(line(9, 8, runs=NOISY), "file_size_mb", "MB"),
    said.knee(line(50, 90, 99, 99, 99), "file_size_mb", "MB"),
    said.printed([row("a", 100, published=96.0)]),
    said.printed([row("a", 60.0, metric="ziip_share", unit="%", published=50.0)]),
    said.course([share(50, "1 MB", 1), share(60, "1 MB", 10)], "file_size_mb", "MB"),
    said.printed([row("a", 100, published=50), row("b", 9, published=9)]),
    said.predicted([row("a", 100, predicted=99.0, predicted_low=90.0, predicted_high=105.0)]),
    said.predicted([row("a", 100, predicted=80.0, predicted_low=70.0, predicted_high=90.0)]),
    said.changed(changed()),
    said.changed(changed(after=110.0, change_percent=10.0)),
    said.changed(changed(kind="model")),
    said.changed(changed(cause="MQ latch")),
    said.two_sides(pair("binary", 10.0) | {"baseline": 90.0, "candidate": 99.0}, "z15", "z16"),
    said.across([pair("a", 9), pair("b", 20), pair("c", 1, "not enough runs")], "z15", "z16"),
    said.across([pair("a", 9, "worse"), pair("b", 0, "same")], "z15", "z16"),
    said.across([pair("a", 9, "not enough runs"), pair("b", -3, "not enough runs")], "x", "y"),
    said.across([pair("a", 9)], "z15", "z16"),
    said.on_average(effect(2.0, 6.0)),
    said.on_average(effect(2.0, 6.0) | {"lowest": -3.0, "highest": 9.0}),
    said.on_average(effect(2.0, 6.0) | {"pairs": 1}),
    said.within_noise([row("a", 9, (1,)), row("b", 9, (1,))]),
    said.course([dict(one, name="in syncpoint") for one in line(5, 9)], "file_size_mb", "MB"),
    said.changed(changed(metric="", cause="incomplete: no RMF records of MVS1")),
    said.course(line(90, 90, runs=(1.0,)), "file_size_mb", "MB"),
    said.printed([row("a", 9, published=9.0), row("b", 8, published=8.0)]),
    said.range_of([row("a", 30.0, more_is_better=None), row("b", 60, more_is_better=None)]),
    said.range_of([share(40.001, "a", 1), share(40.002, "b", 1)]),
    said.varied([row("a", 10.0), row("a", 30.0), row("b", 9.0), row("b", 10.0)]),
    said.steady({"metric": "rate", "typical_percent": 0.77, "largest_percent": 1.2, "changes": 1}),
]


def test_patterns_say_what_their_figures_decide(snapshot: SnapshotAssertion) -> None:
    texts = [sentence.text for sentence in SENTENCES if sentence]
    assert len(texts) == len(SENTENCES)
    assert all(text.endswith(".") for text in texts)
    assert texts == snapshot


@pytest.mark.parametrize(
    "nothing",
    [
        said.leader([row("a", 1)]),
        said.within_noise([row("a", 100), row("b", 50)]),
        said.last([row("a", 100), row("b", 80)]),
        said.last([row("a", 100, NOISY), row("b", 99, NOISY), row("c", 98, NOISY)]),
        said.knee(line(50, 60, 70, 80), "file_size_mb", "MB"),  # still rising
        said.knee(line(50, 90, 99), "file_size_mb", "MB"),  # too few levels
        said.knee(line(50, 51, 52, 52, runs=NOISY), "file_size_mb", "MB"),
        said.across([], "z15", "z16"),
        said.on_average(effect(-1.0, 6.0)),
        said.on_average(effect(2.0, 6.0) | {"low": None}),
        said.printed([row("a", 1)]),
        said.predicted([row("a", 1)]),
        said.range_of([row("a", 1)]),
        said.reason(cost("a", 3, NOISY), cost("b", 3.1, NOISY), []),
    ],
)
def test_a_pattern_says_nothing_without_grounds(nothing: said.Said | None) -> None:
    assert nothing is None


def test_a_leader_of_many_is_corrected_for_their_number() -> None:
    best = row("a", 105, FEW)
    assert "A has the highest" in said.leader([best, row("b", 100, FEW)]).text  # type: ignore[union-attr]
    many = said.leader([best, *(row(name, 100, FEW) for name in "bcdefghijklm")])
    assert many is not None
    assert not re.search(r"has the (?:highest|lowest)", many.text)


def test_rivals_have_files_and_messages_of_one_size() -> None:
    """A rate of large files is higher than one of small files, whatever the configuration."""
    small = [row(f"{name}, 10 MB", n, file_size_mb=10) for name, n in (("a", 90), ("b", 60))]
    large = row("c, 1 GB", 250, file_size_mb=1024)
    (first, *_) = choosing.about([large, *small])
    assert first.text.startswith("A, 10 MB has the highest")
    assert not any("1 GB" in one.text for one in choosing.about([large, *small]))
    linux = [row("Linux, text", 90, file_size_mb=10), row("b", 60, file_size_mb=10), large]
    assert choosing.about(linux)[0].text.startswith("With files of 10 MB, Linux, text has the")
    (one,) = choosing.about([large, small[0]])
    assert "their files differ in size, so none is called better" in one.text


def test_the_reason_is_the_part_that_moved_with_the_cost() -> None:
    parts = [
        {"name": "a", "part": "AGENT", "cpu_seconds": 10.0},
        {"name": "b", "part": "AGENT", "cpu_seconds": 19.2561},
        {"name": "a", "part": "TCPIP", "cpu_seconds": 5.0},
        {"name": "b", "part": "TCPIP", "cpu_seconds": 6.0},
    ]
    found = said.reason(cost("a", 3), cost("b", 5), parts)
    assert found is not None
    figure = of_metric(19.2561, "cpu_seconds")  # as the appendix prints it
    assert f"Most of the difference in CPU time is in AGENT: {figure} CPU s" in found.text


STRONG = re.compile(r"\b(?:has the (?:highest|lowest)|lead with|rises|falls|stops rising)\b")


@pytest.mark.parametrize("runs", [(1.0,), (1.0, 1.01), NOISY])
def test_a_claim_is_never_stronger_than_its_interval(runs: tuple[float, ...]) -> None:
    """A difference of 3 % in noise that hides it is no lead, no rise and no last place."""
    rows = [row(name, 100 + n, runs) for n, name in enumerate("abcd")]
    levels = [row("a", 100 + n, runs, file_size_mb=10**n) for n in range(4)]
    for one in [*choosing.about(rows), *choosing.about(levels, level="file_size_mb", unit="MB")]:
        assert not STRONG.search(one.text), one.text
