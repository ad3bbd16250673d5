"""Sentences: what figures allow one to say, and not more."""

import re

import pytest

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


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        (said.leader([row("a", 100), row("b", 80)]), "A has the highest transfer rate, 100 MB/s"),
        (said.leader([row("a", 100), row("b", 80)]), "rate, 100 MB/s: +25.0 %"),
        (said.leader([cost("a", 3), cost("b", 4)]), "A has the lowest cost per GB, 3"),
        (said.leader([row("a", 100), row("b", 100.1)]), "are the same in transfer rate"),
        (said.leader([row("a", 100, NOISY), row("b", 90, NOISY), row("c", 10)]),
         "A (100 MB/s) and b (90 MB/s) lead with the highest transfer rate: no difference"),
        (said.leader([row("a", 100), row("b", 99, NOISY), row("c", 85)]),
         "A has the best transfer rate, 100 MB/s, but its lead over b (99 MB/s) is not certain."),
        (said.leader([row("a", 100, NOISY), row("b", 90, NOISY)]), "No configuration leads"),
        (said.leader([row("a", 100, (1,)), row("b", 50, (1,))]), "(a), one run each"),
        (said.within_noise([row("a", 100, NOISY), row("b", 99, NOISY)]), "no difference from"),
        (said.last([row("a", 100), row("b", 80), row("c", 60)]), "C has the lowest transfer"),
        (said.course(line(50, 90), "file_size_mb", "MB"), "rises from 50 MB/s at 1 MB to 90 MB/s"),
        (said.course(line(90, 50), "file_size_mb", "MB"), "falls from 90 MB/s at 1 MB to 50 MB/s"),
        (said.course(line(90, 90), "file_size_mb", "MB"), "stays the same within the tolerance"),
        (said.course(line(9, 8, runs=NOISY), "file_size_mb", "MB"), "5 and 5 runs do not decide"),
        (said.knee(line(50, 90, 99, 99, 99), "file_size_mb", "MB"), "stops rising at 100 MB"),
        (said.printed([row("a", 100, published=96.0)]),
         "The transfer rate published for a was 96 MB/s; these runs have 100 MB/s (+4.2 %)."),
        (said.printed([row("a", 60.0, metric="ziip_share", unit="%", published=50.0)]),
         "The zIIP share published for a was 50 %; these runs have 60 % (+10.0 points)."),
        (said.course([share(50, "1 MB", 1), share(60, "1 MB", 10)], "file_size_mb", "MB"),
         "rises from 50 % at 1 MB to 60 % at 10 MB: +10.0 points (95 % interval +9."),
        (said.printed([row("a", 100, published=50), row("b", 9, published=9)]), "furthest"),
        (said.predicted([row("a", 100, predicted=99.0, predicted_low=90.0, predicted_high=105.0)]),
         "lies inside it"),
        (said.predicted([row("a", 100, predicted=80.0, predicted_low=70.0, predicted_high=90.0)]),
         "lies above it"),
        (said.changed(changed()), "fell from 100 MB/s to 90 MB/s"),
        (said.changed(changed(after=110.0, change_percent=10.0)), "rose from 100 MB/s to 110 MB/s"),
        (said.changed(changed(kind="model")), "is 90 MB/s where the model predicts 100 MB/s"),
        (said.changed(changed(cause="MQ latch")), "Likely cause: MQ latch."),
        (said.two_sides({"metric": "rate", "unit": "MB/s", "short": "binary", "baseline": 90.0,
                         "candidate": 99.0, "change": 10.0, "low": 9.0, "high": 11.0,
                         "runs": "3 and 3", "verdict": "better"}, "z15", "z16"),
         "is better with z16 than with z15: 99 MB/s against 90 MB/s, +10.0 %"),
        (said.across([pair("a", 9), pair("b", 20), pair("c", 1, "not enough runs")], "z15", "z16"),
         "rate with z16 is better in 2 and undecided in 1; the most with b, +20.0 %"),
        (said.across([pair("a", 9, "worse"), pair("b", 0, "same")], "z15", "z16"),
         "is worse in 1 and the same in 1; the most with a"),
        (said.across([pair("a", 9, "not enough runs"), pair("b", -3, "not enough runs")], "x", "y"),
         ("with y differs from that with x by -3.0 % (b) to +9.0 % (a); "
          "no difference is statistically significant")),
        (said.across([pair("a", 9)], "z15", "z16"),
         "Transfer rate with z16 is 109 MB/s where it is 100 MB/s with z15: +9.0 %"),
        (said.on_average(effect(2.0, 6.0)),
         "On average over 8 pairs of configurations, transfer rate changes by +4.0 % (95 %"),
        (said.on_average(effect(2.0, 6.0) | {"lowest": -3.0, "highest": 9.0}),
         "+2.0 to +6.0 %); in some pairs it falls."),
        (said.on_average(effect(2.0, 6.0) | {"pairs": 1}),
         "In the only pair of configurations that differ in it alone, transfer rate changes by"),
        (said.within_noise([row("a", 9, (1,)), row("b", 9, (1,))]),
         "Transfer rate is 9 MB/s of all of them, in one run each."),
        (said.course([dict(one, name="in syncpoint") for one in line(5, 9)], "file_size_mb", "MB"),
         "Transfer rate in syncpoint rises from"),
        (said.changed(changed(metric="", cause="incomplete: no RMF records of MVS1")),
         ": no RMF records of MVS1."),
        (said.course(line(90, 90, runs=(1.0,)), "file_size_mb", "MB"),
         "is 90 MB/s at 1 MB and at 10 MB, in one run each"),
        (said.printed([row("a", 9, published=9.0), row("b", 8, published=8.0)]),
         "Transfer rate is as published throughout"),
        (said.range_of([row("a", 30.0, more_is_better=None), row("b", 60, more_is_better=None)]),
         "goes from 30 MB/s (a) to 60 MB/s (b)"),
        (said.range_of([share(40.001, "a", 1), share(40.002, "b", 1)]),
         "zIIP share is 40.0 % of all of them."),
        (said.varied([row("a", 10.0), row("a", 30.0), row("b", 9.0), row("b", 10.0)]),
         "of a differs the most from one transfer to another, 10 MB/s to 30 MB/s; that of b the"),
        (said.steady({"metric": "rate", "typical_percent": 0.77, "largest_percent": 1.2,
                      "changes": 1}), "a configuration changed its level once"),
    ],
)  # fmt: skip
def test_a_pattern_says_what_its_figures_decide(sentence: said.Said | None, says: str) -> None:
    assert sentence is not None
    assert says in sentence.text
    assert sentence.text.endswith(".")


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
