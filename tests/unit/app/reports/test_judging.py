"""A contrast is one answer where its pairs agree, by axis where they do not; words say it so."""

from __future__ import annotations

from collections.abc import Sequence

from app.reports.figures import Figure, Print
from app.reports.judging import Answer, judge, pairs_of
from app.reports.questions import question_blocks
from app.reports.regressions import cause_of
from app.reports.sections import contrast_blocks
from app.reports.words import answer_sentence, cause_sentence, summary_of
from tests.kit.cases import cases

SIZES = ("2048", "65536", "4194304")
#: Transactions a second on z15, and by how many percent z16 does more: by AMS and message size.
DONE = {
    "N": ((1923, 9.9), (1908, 9.8), (1314, 9.9)),
    "Confidentiality": ((762, 3.8), (817, 20.0), (95.8, 46.8)),
    "Integrity": ((311, 2.2), (336, 6.4), (29.9, 42.8)),
    "Privacy": ((165, -0.3), (179, 8.4), (23.2, 43.4)),
}


def figure(
    value: float, runs: int, metric: str = "transactions_per_second", **factors: str
) -> Figure:
    """Return a figure whose runs scatter by one percent around a value."""
    values = tuple(value * (1 + 0.01 * (n - (runs - 1) / 2)) for n in range(runs))
    name = ", ".join(factors.values())
    return Figure(name, factors, metric, "", "per_second" in metric, values, ())


def machines(runs: int) -> list[Figure]:
    """Return the same work on two machines, as document 004 has it."""
    return [
        figure(
            rate * (1 + percent / 100 * (machine == "z16")),
            runs,
            machine=machine,
            ams=ams,
            message_size_bytes=size,
        )
        for ams, done in DONE.items()
        for size, (rate, percent) in zip(SIZES, done, strict=True)
        for machine in ("z15", "z16")
    ]


def answer(figures: Sequence[Figure], factor: str, before: str, after: str, *axes: str) -> Answer:
    (found,) = judge(pairs_of(figures, factor, before, after), factor, before, after, axes)
    return found


def test_a_gain_that_grows_with_the_message_is_told_by_message() -> None:
    found = answer(machines(3), "machine", "z15", "z16", "ams", "message_size_bytes")
    assert answer_sentence(found).startswith(
        "Transaction rate is higher on z16 than on z15: 10 % without AMS; with AMS 0 to 4 % "
        "(not certain) at 2 KB, 6 to 20 % at 64 KB and 43 to 47 % at 4 MB. "
        "With AMS Confidentiality at 4 MB, z16 does 140.6 transactions a second, z15 95.8"
    )
    assert answer_sentence(found).endswith("(+46.8 %).")
    assert "on average" not in answer_sentence(found).lower()


def test_pairs_that_agree_are_one_answer() -> None:
    rates = ((1923, 10.2), (1908, 9.7), (1314, 10.0))
    own = [
        figure(rate * (1 + percent / 100 * (m == "z16")), 3, machine=m, message_size_bytes=size)
        for size, (rate, percent) in zip(SIZES, rates, strict=True)
        for m in ("z15", "z16")
    ]
    found = answer(own, "machine", "z15", "z16", "message_size_bytes")
    assert len(found.leaves) == 1
    assert answer_sentence(found, whole=False) == (
        "Transaction rate is 10 % higher on z16 than on z15, at every message size."
    )


@cases
def test_a_pair_is_said_as_an_editor_prints_it(
    before: float, after: float, runs: int, says_: str
) -> None:
    own = [figure(value, runs, machine=m) for m, value in (("z15", before), ("z16", after))]
    assert says_ in answer_sentence(answer(own, "machine", "z15", "z16"))


@cases
def test_a_cause_is_told_by_its_share(cause: str, percent: float, says_: str) -> None:
    assert cause_of({"cause": cause, "change_percent": percent}) == says_


def test_what_has_most_of_a_cost_is_named() -> None:
    own = [figure(value, 3, "cost_per_GB", mode=m) for m, value in (("binary", 4.0), ("text", 8.0))]
    spaces = {"binary": {"AGNTA1": 1.0, "MQA1MSTR": 3.0}, "text": {"AGNTA1": 4.9, "MQA1MSTR": 3.1}}
    found = answer(own, "mode", "binary", "text")
    assert cause_sentence(found, spaces) == "98 % of the added CPU time is in AGNTA1."


def test_pairs_differ_in_nothing_but_the_contrast() -> None:
    own = [
        figure(100, 3, tls="N", zhpf="Y"),
        figure(90, 3, tls="TLS 1.3", zhpf="N"),
        figure(95, 3, tls="TLS 1.3", zhpf="Y"),
        figure(99, 3, zhpf="Y", mode="text"),
    ]
    ((before, after),) = pairs_of(own, "tls", "N", "TLS 1.3")
    assert (before.values[1], after.values[1]) == (100, 95)
    # what is not stated is the default of the documents
    assert pairs_of([figure(100, 3, mode="text"), own[2]], "tls", "N", "TLS 1.3", ["mode", "zhpf"])


def test_a_table_has_what_is_printed_below_the_figures() -> None:
    own = [
        figure(value, 1, "rate", mode=mode, file_size_mb=size)
        for mode, size, value in (
            ("binary", "10", 72.1),
            ("binary", "1024", 97.7),
            ("text", "10", 46.3),
            ("text", "1024", 74.4),
        )
    ]
    prints = {
        ("binary, 10", "rate"): Print(71.15, "000", "C-bin-rate", "agrees"),
        ("text, 10", "rate"): Print(47.86, "000", "C-txt-rate", "agrees"),
    }
    said = {"contrast": "mode", "from": "binary", "axes": ["file_size_mb"], "metrics": ["rate"]}
    blocks, (found,), used = contrast_blocks(said, own, prints, {}, "Inbound")
    assert len(used) == 4
    table = blocks[-1]
    assert [row for row in table.rows if row[0].startswith("text")] == [  # type: ignore[union-attr]
        ("text", "46.30", "74.40"),
        ("text, printed", "47.86", "–"),  # noqa: RUF001
        ("text, change, %", "-35.8", "-23.8"),
        ("text, printed change, %", "-32.7", "–"),  # noqa: RUF001
    ]
    assert summary_of(found) == "-36 % at 10 MB; -24 % at 1 GB"


def test_totals_of_a_question_read_from_top_to_bottom() -> None:
    said = {"columns": {"sum(a)": "Logged, MB", "b": "Reads: archive", "c": "None", "d": "Name"}}
    (table,) = question_blocks(said, [(1.5, 2, 0, "x")])
    assert table.rows == (("Logged, MB", "1.50"), ("Reads, archive", "2"), ("Name", "x"))  # type: ignore[union-attr]
