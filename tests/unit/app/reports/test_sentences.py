"""Sentences: what figures allow one to say, and not more."""

import re

import pytest

from app.reports import choosing
from app.reports import sentences as said
from app.reports.facts import of_metric
from tests.kit.cases import cases

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


def pair(
    name: str, change: float, verdict: str = "better", width: float = 1.0, **more: object
) -> said.Row:
    """Return a row of a comparison of transfer rates."""
    return {
        "metric": "rate", "unit": "MB/s", "short": name, "baseline": 100.0,
        "candidate": 100.0 + change, "change": change, "low": change - width,
        "high": change + width, "runs": "3 and 3", "verdict": verdict,
    } | more  # fmt: skip


def effect(low: float, high: float, **more: object) -> said.Row:
    """Return what a factor does to the transfer rate on average over 8 pairs."""
    return {"metric": "rate", "what": "TLS", "pairs": 8, "mean": (low + high) / 2, "low": low,
            "high": high} | more  # fmt: skip


@cases
def test_a_pattern_says_what_its_figures_decide(sentence: said.Said, text: str) -> None:
    assert sentence.text == text


@cases
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
