"""Reports do not contradict themselves: text, tables, captions and charts say the same."""

import re
from pathlib import Path

import duckdb
import numpy as np
import pytest

from app.reports import facts
from app.reports.document import Chart, Document, Table
from app.reports.facts import noise
from app.reports.writing import made
from app.results.reader import Reader
from tests.kit.dashboard import altered, stored
from tests.kit.presets import written
from tests.kit.report import Report, tables, text_of


def table(document: Document, caption: str) -> Table:
    """Return the table whose caption begins so."""
    return next(one for one in tables(document) if caption in one.caption)


def numbers(cells: list[str]) -> list[float]:
    return [float(cell.replace(",", "")) for cell in cells if re.fullmatch(r"[-\d.,]+", cell)]


@pytest.mark.parametrize("campaign", ["smoke", "zcx", "z16"])
def test_the_furthest_from_print_is_an_end_of_the_table(campaign: str, report: Report) -> None:
    document = report("campaign", campaign=campaign)
    rows = table(document, "against the published figures").rows
    ends = [abs(n) for row in rows for n in numbers([row[4], row[6]])]
    said = re.search(
        r"(?:furthest from the published|published for).*?\(\\?([-+]?[\d.]+) (?:%|points)\)",
        text_of(document),
    )
    assert said
    assert abs(abs(float(said[1])) - max(ends)) < 0.1


def test_capacity_says_nothing_of_hours_without_records(bundled: Path, report: Report) -> None:
    document = report("capacity")
    with duckdb.connect(str(bundled), read_only=True) as db:
        ((seconds,),) = db.execute(
            "SELECT sum(general_purpose_seconds) FROM marts.fct_ziip_interval "
            "WHERE sysplex = 'PLEX1'"
        ).fetchall()
    row = table(document, "What zIIPs would save").rows[0]
    assert numbers([row[1]]) == [pytest.approx(seconds / 3600, rel=0.005)]


def test_a_four_hour_average_of_wlm_is_drawn(report: Report) -> None:
    document = report("capacity")
    drawn = [b for b in document.blocks if isinstance(b, Chart) and "four-hour" in b.title]
    assert any("four-hour average" in str(chart.spec) for chart in drawn)
    assert "no LPAR has" not in text_of(document).lower()


@pytest.mark.parametrize("most", [1, 3, 7])
def test_a_caption_counts_the_names_that_are_drawn(most: int, bundled: Path, team: Path) -> None:
    written(team / "own", {
        "report.md.j2": '{{ chart("bars", "q", "Time", unit="s", series="s", '
        f"most={most}) }}}}",
        "q.sql": "select * from (values ('a', 'x', 1.0), ('a', 'y', 2.0), ('b', 'x', 1.0), "
        "('c', 'y', 4.0), ('d', 'x', null)) t(name, s, value)",
    })  # fmt: skip
    (chart,) = [b for b in made(Reader(bundled), "own", {}).blocks if isinstance(b, Chart)]
    drawn = set(re.findall(r"'name': '(\w)'", str(chart.spec)))
    assert len(drawn) == min(most, 3)
    assert chart.title == ("Time, the first 1 of 3" if most == 1 else "Time")


@pytest.mark.parametrize(("lines", "charts"), [(5, 1), (6, 2), (12, 3)])
def test_a_chart_has_at_most_five_lines(lines: int, charts: int, bundled: Path, team: Path) -> None:
    written(team / "own", {
        "report.md.j2": '{{ chart("by_size", "q", "Rate", unit="MB/s") }}',
        "q.sql": f"select 'n' || n as name, s as file_size_mb, n * s * 1.0 as value "
        f"from range({lines}) a(n), range(1, 4) b(s)",
    })  # fmt: skip
    found = [b for b in made(Reader(bundled), "own", {}).blocks if isinstance(b, Chart)]
    assert len(found) == charts
    drawn = [set(re.findall(r"'configuration': '(n\d+)'", str(chart.spec))) for chart in found]
    assert max(map(len, drawn)) <= 5
    assert len(set().union(*drawn)) == lines
    assert len({re.search(r"'domainMax': ([\d.]+)", str(c.spec))[1] for c in found}) == 1  # type: ignore[index]


@pytest.mark.parametrize(
    ("campaign", "what", "says"),
    [
        ("zcx", "MQ level", "9.2.4, as the records say (SMF 115)"),
        ("smoke", "MQ level", "as the records say (SMF 115)"),
        ("z16", "Machine", "in the records (SMF 70)"),
    ],
)
def test_the_head_compares_the_manifest_with_the_records(
    campaign: str, what: str, says: str, report: Report
) -> None:
    of = dict(tables(report("campaign", campaign=campaign))[0].rows)  # of the title page
    assert says in of[what]


def test_a_mean_over_pairs_has_an_interval_only_of_several() -> None:
    found = facts.mean_of([10.0, 12.0, 8.0, 11.0, 9.0, 10.0])
    assert found["low"] < found["mean"] < found["high"]
    assert found["mean"] == pytest.approx(10.0, abs=0.02)
    assert found["high"] - found["low"] == pytest.approx(2 * 2.571 * 1.414 / 6**0.5, rel=0.02)
    assert facts.mean_of([10.0] * 5) == {"mean": None, "low": None, "high": None}


@pytest.mark.parametrize("change", [0.0, 0.06, -0.2])
def test_a_change_of_level_is_no_noise(change: float) -> None:
    values = 100 * np.exp(np.random.default_rng(1).normal(0, 0.008, 60))
    values[45:] *= 1 + change
    builds = [f"b{n}" for n in range(60)]
    (found,) = noise([{"metric": "rate", "values": list(values), "builds": builds}])
    assert found["largest_percent"] == pytest.approx(0.8, abs=0.2)
    assert found["changes"] == (change != 0)


def test_noise_is_left_out_where_changes_cannot_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "find_spec", lambda _: None)  # an installation without extras
    assert noise([{"metric": "rate", "values": [1.0, 2.0], "builds": ["a", "b"]}]) == []


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
    document = made(Reader(file), "regressions", {})
    named = "Part"
    own = next(
        one for one in tables(document) if named in [column.heading for column in one.columns]
    )
    of = [column.heading for column in own.columns].index(named)
    assert [row[of] for row in own.rows] == ["–", "MVS1", "MQA1CHIN"]  # noqa: RUF001
    assert re.search(
        r"Network time of .* rose from 0\.900? ms to 0\.960? ms on .*: \\?\+6\.7 %",
        text_of(document),
    )
