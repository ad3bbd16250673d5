"""Reports do not contradict themselves: text, tables, captions and charts say the same."""

import re
from pathlib import Path

import duckdb
import pytest

from app.reports.document import Chart, Document, Heading, Table
from app.reports.figures import figures_of
from app.reports.writing import make_report
from app.results.reader import Reader
from tests.kit.dashboard import altered, stored
from tests.kit.report import Report, tables, text_of


def table(document: Document, caption: str) -> Table:
    """Return the table whose caption has this."""
    return next(one for one in tables(document) if caption in one.caption)


def numbers(cells: list[str]) -> list[float]:
    return [float(cell.replace(",", "")) for cell in cells if re.fullmatch(r"[-\d.,]+", cell)]


def test_a_summary_begins_with_a_table_of_answers(report: Report) -> None:
    document = report("z16")
    place = next(
        n
        for n, b in enumerate(document.blocks)
        if isinstance(b, Heading) and "Summary" in b.markdown
    )
    answers = document.blocks[place + 1]
    assert isinstance(answers, Table)
    assert 1 <= len(answers.rows) <= 8
    row = next(row for row in answers.rows if "AMS" in row[0])
    assert row[4].startswith("+10 % without AMS; with AMS 0 to +4 % (not certain) at 2 KB")
    assert row[4].endswith("at 4 MB")
    assert not re.search("on average|in some pairs", text_of(document).lower())


def test_printed_changes_stand_below_those_of_the_runs(report: Report) -> None:
    own = table(report("z16"), "Queues protected by AMS")
    rows = [row for row in own.rows if "change" in row[0]]
    printed = [place for place, row in enumerate(rows) if "printed" in row[0]]
    assert len(printed) == 3  # of the three policies
    for place in printed:
        for ours, theirs in zip(rows[place - 1][1:], rows[place][1:], strict=True):
            if theirs != "–":  # noqa: RUF001
                assert float(ours.strip("()")) == pytest.approx(float(theirs), abs=4)


def test_a_figure_is_one_quantity_in_sentence_and_table(report: Report) -> None:
    document = report("z16")
    said = re.search(r"z16 does ([\d.]+) transactions a second, z15 ([\d.]+)", text_of(document))
    assert said
    cells = {cell for one in tables(document) for row in one.rows for cell in row}
    assert set(said.groups()) <= cells


def test_capacity_says_nothing_of_hours_without_records(bundled: Path, report: Report) -> None:
    document = report("capacity")
    with duckdb.connect(str(bundled), read_only=True) as db:
        ((seconds,),) = db.execute(
            "SELECT sum(general_purpose_seconds) FROM marts.fct_ziip_interval "
            "WHERE sysplex = 'PLEX1'"
        ).fetchall()
    row = table(document, "What zIIPs would save").rows[0]
    assert numbers([row[1]]) == [pytest.approx(seconds / 3600, rel=0.005)]


def test_capacity_draws_the_day_that_it_names(report: Report) -> None:
    document = report("capacity")
    peak = re.search(r"MSU on (\d{4}-\d\d-\d\d)", text_of(document))
    assert peak
    drawn = next(b for b in document.blocks if isinstance(b, Chart) and "on the day of" in b.title)
    assert peak[1] in str(drawn.spec)


def test_figures_are_of_runs_at_the_level_that_the_mart_says(bundled: Path, tmp_path: Path) -> None:
    """z16 ran three times; the first is of a session before the level."""
    earlier = (
        "update marts.fct_run_session set session_no = 0 where run_id in"
        " (select min(run_id) from marts.fct_run where campaign = 'z16' group by configuration_id)"
    )
    before = altered(bundled, tmp_path, [earlier])
    whole, at_level = (figures_of(Reader(file), "z16", "simulated") for file in (bundled, before))
    assert {(len(f.values), f.earlier) for f in whole} == {(3, 0)}
    assert {(len(f.values), f.earlier) for f in at_level} == {(2, 1)}
    assert [f.values[1:] for f in whole] == [f.values for f in at_level]


def test_every_regression_names_its_part_below_its_configuration(
    bundled: Path, tmp_path: Path
) -> None:
    worse = (
        "insert into meta.regression by name "
        "select 'r1.' || n as regression_id, 'r1' as group_id, n = 1 as leads, 'new' as state,"
        " 'level' as kind, 'detector' as by, 1.0 as impact, 'NETTIME' as metric, 'ms' as unit,"
        " system as system_id, space as address_space, 0.9 as before, 0.96 as after,"
        " 6.7 as change_percent, 0.05 as low, 0.07 as high, 30 as runs_before, 20 as"
        " runs_after, 'DASD' as cause, origin, campaign, configuration_id, configuration,"
        " start_utc as onset_utc, run_id as onset_run_id, [run_id] as run_ids"
        " from (values (1, '', ''), (2, 'MVS1', ''), (3, '', 'MQA1CHIN')) t(n, system, space),"
        " (from marts.fct_run join marts.dim_configuration using (configuration_id)"
        " select fct_run.origin, campaign, configuration_id, configuration, start_utc, run_id"
        " order by stop_utc desc limit 1)"
    )
    file = altered(bundled, tmp_path, [stored("meta.regression"), worse])
    document = make_report(Reader(file), "regressions", {})
    named = "Part"
    own = next(
        one for one in tables(document) if named in [column.heading for column in one.columns]
    )
    of = [column.heading for column in own.columns].index(named)
    assert [row[of] for row in own.rows] == ["–", "MVS1", "MQA1CHIN"]  # noqa: RUF001
    assert re.search(
        r"Network time rose from 0\.900? ms to 0\.960? ms on .* \(\\?\+6\.7 %\), of .*\. "
        r"Likely cause: DASD\.", text_of(document),
    )  # fmt: skip
