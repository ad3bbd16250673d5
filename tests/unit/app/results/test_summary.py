"""A comparison as Markdown for a pull request."""

import math
import re
from dataclasses import replace
from datetime import datetime

import pytest

from app.results.compared import ComparedRuns, Pair
from app.results.markdown import code, plain, table
from app.results.sides import Side
from app.results.summary import page_of, summary
from expectations.verdicts.verdict import SERIES, Verdict
from tests.kit.cases import cases

COMMAND = "perfhouse compare 4e1f2ab 7c90d13"


def side(name: str, **terms: str) -> Side:
    moment = datetime(2026, 3, 1, 4)
    return Side(name, dict(terms) or {"git_revision": name}, "measured", 4, 1, moment, moment)


def pair(
    verdict: str, ratio: float, more: int | None = 0, *, interval: tuple[float, float] = (-10, 20),
    metric: str = "cost_per_GB", configuration: str = "xLinux, 10 MB",
) -> Pair:  # fmt: skip
    judged = Verdict(verdict, 4, 4, 5.0, 5.0 * ratio, 100 * (ratio - 1), *interval, "%", 0.01,
                     "own runs", "", more_runs=more)  # fmt: skip
    return Pair(configuration, metric, "", "CPU s/GB", False, judged, (5.0,), (5.0 * ratio,))


def compared(*pairs: Pair, **more: object) -> ComparedRuns:
    found = ComparedRuns(side("4e1f2ab"), side("7c90d13"), list(pairs), [], [], 0, [])
    return replace(found, **more)  # type: ignore[arg-type]


WORSE, BETTER, SAME = pair("worse", 1.1), pair("better", 0.8), pair("same", 1.001)
OPEN = [pair("undecided", 1.03, more) for more in (3, 3, 12, None)]


@cases
def test_the_verdict_comes_first(pairs: list[Pair], heading: str) -> None:
    first = summary(compared(*pairs), COMMAND).splitlines()[0]
    assert first == f"### {heading}: `7c90d13` against `4e1f2ab`"


def test_the_largest_differences_come_next_with_their_intervals_and_runs() -> None:
    text = summary(compared(WORSE, SAME, pair("better", 0.5), *OPEN), COMMAND)
    assert (
        "Of 7 pairs of metrics in 1 configuration: 1 worse, 1 better, 4 undecided, 1 same" in text
    )
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    differ = [row for row in rows if row[0] in {"| worse", "| better"}]
    assert [(row[0], row[5], row[6], row[7]) for row in differ] == [
        ("| better", "-50.0 %", "-10.0 to +20.0 %", "4, 4 |"),
        ("| worse", "+10.0 %", "-10.0 to +20.0 %", "4, 4 |"),
    ]
    assert text.endswith(f"Made by `{COMMAND}`.\n")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((3, 3, 12, 40), "3 more runs per side would decide 2, if difference"),
        ((40, 12, 1, None), "1 more run per side would decide 1, 12 more 2, if difference"),
        ((None, None), "A thousand runs more would not decide them."),
    ],
)
def test_what_is_undecided_says_how_many_runs_it_takes(
    more: tuple[int | None, ...], said: str
) -> None:
    pairs = [pair("undecided", 1.03, runs) for runs in more]
    text = summary(compared(*pairs), COMMAND)
    assert f"**Not decided: {len(more)}.** {said}" in text
    last = [line.split(" | ")[-1].strip("| ") for line in text.splitlines() if "+3.0 %" in line]
    known = sorted(runs for runs in more if runs)
    assert last == [*map(str, known), *["more than 1,000"] * more.count(None)]


def test_of_many_pairs_the_first_are_listed() -> None:
    text = summary(compared(*[pair("worse", 1 + i / 100) for i in range(1, 400)]), COMMAND)
    assert text.count("| worse |") == 20
    assert "379 more are not listed." in text
    assert len(text) < 65_536  # the longest comment on GitHub


def test_what_is_left_out_is_said() -> None:
    many = [f"{size} MB" for size in range(9)]
    text = summary(compared(SAME, only_baseline=many, incomplete=1), COMMAND)
    assert "Only in `4e1f2ab`: 0 MB; 1 MB; 2 MB; 3 MB; 4 MB and 4 more." in text
    assert "1 run left out because records or files are missing." in text


def test_it_says_what_was_judged_with_the_noise_between_builds() -> None:
    known = replace(WORSE, judged=replace(WORSE.judged, noise_source=SERIES))
    assert "1 of 2 are judged with the noise between" in summary(compared(known, SAME), COMMAND)
    assert "are judged with" not in summary(compared(WORSE, SAME), COMMAND)


def test_a_single_run_has_no_interval() -> None:
    alone = pair("undecided", 1.03, 2, interval=(-math.inf, math.inf))
    assert "| +3.0 % | unknown | 4, 4 | 2 |" in summary(compared(alone), COMMAND)


PAGE = "compare=Build&candidate=7c90d13&baseline=4e1f2ab&origin=measured"


@cases
def test_it_leads_to_the_page_if_the_dashboard_has_an_address_and_shows_such_sides(
    address: str, baseline: Side, page: str
) -> None:
    found = compared(SAME, baseline=baseline)
    assert page_of(found, address) == page
    assert ("in the dashboard](<" in summary(found, COMMAND, address)) == bool(page)


HOSTILE = ["a|b", "<script>alert(1)</script>", "two\nlines", "*bold* [x](y)", "`a` ``b``", "\\"]


@pytest.mark.parametrize("text", HOSTILE)
def test_names_are_shown_as_they_are(text: str) -> None:
    shown = summary(compared(pair("worse", 1.1, configuration=text), WORSE), COMMAND)
    rows = [line for line in shown.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}) == 1
    assert re.sub(r"\\(.)", r"\1", plain(text)) == " ".join(text.split())
    assert "<" not in re.sub(r"\\.", "", shown)
    ticks = re.match("`+", code(text))
    assert ticks
    assert code(text).count(ticks[0]) == 2


def test_numbers_are_aligned_to_the_right() -> None:
    assert table(["name", "value"], [1], [["a", "1"]]).splitlines() == [
        "| name | value |", "| --- | ---: |", "| a | 1 |",
    ]  # fmt: skip
