"""Two sets of runs compared by the marts: how sides are named, matched and judged."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from syrupy.assertion import SnapshotAssertion

from app.cli.common import console
from app.cli.main import main
from app.results.compared import BUILDS, CHANGE, ComparedRuns
from app.results.comparison import compare_runs
from app.results.queries import comparison as queries
from app.results.sides import (
    SelectionError,
    condition,
    describe_terms,
    factors_of,
    find_side,
    parse_held,
    parse_terms,
    write_held,
    write_terms,
)
from expectations.verdicts.measure import Measure
from expectations.verdicts.samples import mean_interval
from expectations.verdicts.verdict import NOT_JUDGED, SERIES
from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases
from tests.kit.dashboard import altered
from tests.kit.nights import SESSIONS


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("compared") / "w.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute(Path(__file__).with_name("compared.sql").read_text() + SESSIONS)
    return file


@pytest.fixture
def db(warehouse: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(warehouse), read_only=True) as opened:
        yield opened


MAY = "campaign=may,origin=measured"


def test_metrics_from_different_sources_are_named(db: duckdb.DuckDBPyConnection) -> None:
    assert compared(db, MAY, "campaign=june").sources == {}
    across = compared(db, MAY, "campaign=z16", ignore=["machine"])
    assert across.sources == {"rate": ("derived", "perf_harness")}
    said = "Transfer rate (perf_harness, and derived in the baseline)."
    assert queries.sources_that_differ(across).endswith(f"from different sources: {said}")


def compared(
    db: duckdb.DuckDBPyConnection, baseline: str, candidate: str, **given: object
) -> ComparedRuns:
    """Compare two sides as the command line does with --build-noise 0."""
    sides = [parse_terms(db, text) for text in (baseline, candidate)]
    return compare_runs(db, *sides, **{"build_noise": 0.0, **given})  # type: ignore[arg-type]


def test_a_choice_of_metrics_judges_nothing_again(db: duckdb.DuckDBPyConnection) -> None:
    whole, rates = (compared(db, MAY, "campaign=june", metrics=m) for m in ([], ["rate"]))
    assert 0 < len(rates.pairs) < len(whole.pairs)
    assert rates.pairs == [pair for pair in whole.pairs if pair.metric == "rate"]


def test_a_rise_of_cost_is_worse_and_a_rise_of_rate_is_better(
    db: duckdb.DuckDBPyConnection,
) -> None:
    found = compared(db, MAY, "june")
    told = {(p.configuration, p.metric): (p.judged.verdict, round(1 + p.judged.estimate / 100, 2))
            for p in found.pairs}  # fmt: skip
    assert told == {
        ("xLinux, 1Gb, 10 MB, z15", "cost_per_GB"): ("worse", 1.2),
        ("xLinux, 1Gb, 10 MB, z15", "rate"): ("same", 1.0),
        ("xLinux, 1Gb, 100 MB, z15", "cost_per_GB"): ("same", 1.0),
        ("xLinux, 1Gb, 100 MB, z15", "rate"): ("better", 1.1),
    }
    assert found.only_baseline == ["xLinux, 10Gb, 10 MB, z15"]
    assert found.only_candidate == []
    assert found.incomplete == 1  # whose rate of 1 MB/s is not counted


def test_a_name_is_looked_for_among_campaigns_builds_levels_and_machines(
    db: duckdb.DuckDBPyConnection,
) -> None:
    assert compared(db, "build1", "june").baseline.terms == {"git_revision": "build1"}
    machines = compared(db, "machine=z15,origin=measured", "z16")
    assert machines.candidate.terms == {"campaign": "z16"}  # campaigns come first
    assert {p.configuration for p in machines.pairs} == {
        "xLinux, 1Gb, 10 MB, z15",
        "xLinux, 1Gb, 100 MB, z15",
    }


def test_runs_are_matched_on_all_factors_but_those_that_tell_the_sides_apart(
    db: duckdb.DuckDBPyConnection,
) -> None:
    found = compared(db, f"network=1Gb,file_size_mb=10,{MAY}", f"network=10Gb,{MAY}")
    assert [(p.metric, p.judged.verdict) for p in found.pairs] == [
        ("cost_per_GB", "better"),
        ("rate", "better"),
    ]


def test_one_run_against_four_is_undecided(db: duckdb.DuckDBPyConnection) -> None:
    found = compared(db, MAY, "few")
    assert {p.judged.verdict for p in found.pairs} == {"undecided"}


def test_address_spaces_are_compared_when_asked_for(db: duckdb.DuckDBPyConnection) -> None:
    found = compared(db, MAY, "june", parts=True, metrics=["cost_per_GB"])
    assert sorted({(p.part, p.metric) for p in found.pairs}) == [
        ("", "cost_per_GB"),
        ("AGNT1", "cost_per_GB"),
    ]


@cases
def test_sides_that_cannot_be_compared_are_rejected_with_a_reason(
    db: duckdb.DuckDBPyConnection, baseline: str, candidate: str, reason: str
) -> None:
    metrics = ["nettime"] if reason == "--metric" else []
    with pytest.raises(SelectionError) as error:
        compared(db, baseline, candidate, metrics=metrics)
    assert (reason if not metrics else "no metric is named 'nettime'") in str(error.value)


@cases
def test_a_text_means_terms(
    db: duckdb.DuckDBPyConnection, text: str, terms: dict[str, str | None]
) -> None:
    assert parse_terms(db, text) == terms


@cases
def test_terms_choose_runs(
    db: duckdb.DuckDBPyConnection, terms: dict[str, str | None], builds: set[str]
) -> None:
    terms = {"origin": "measured", **terms}
    side = find_side(db, terms, factors_of(db), "true")
    where = condition(terms, factors_of(db))
    found = db.execute(
        "SELECT DISTINCT r.git_revision FROM marts.fct_run r JOIN marts.dim_configuration c"
        f" USING (configuration_id) WHERE {where}"
    ).fetchall()
    assert {build for (build,) in found} == builds
    assert side.builds == len(builds)
    assert side.first_utc is not None


def test_a_range_of_builds_is_compared_with_all_of_its_runs(
    db: duckdb.DuckDBPyConnection,
) -> None:
    found = compared(db, "build1..build2,origin=measured", "july", across_systems=True)
    rates = {p.judged.baseline_runs for p in found.pairs}
    assert rates == {8}
    assert found.baseline.builds == 2
    assert (found.candidate.name, found.baseline.name) == ("july", "build1 to build2")


@pytest.mark.parametrize(
    ("held", "configurations"),
    [
        ({"file_size_mb": ["10"]}, ["xLinux, 1Gb, 10 MB, z15"]),
        ({"file_size_mb": ["10", "100"], "machine": ["z15"]},
         ["xLinux, 1Gb, 10 MB, z15", "xLinux, 1Gb, 100 MB, z15"]),
        ({"campaign": []}, ["xLinux, 1Gb, 10 MB, z15", "xLinux, 1Gb, 100 MB, z15"]),
    ],
)  # fmt: skip
def test_factors_are_held_at_levels(
    db: duckdb.DuckDBPyConnection, held: dict[str, list[str]], configurations: list[str]
) -> None:
    found = compared(db, MAY, "campaign=june,origin=measured", held=held)
    assert sorted({p.configuration for p in found.pairs}) == configurations


def test_factors_that_differ_are_told_from_those_that_are_held(
    db: duckdb.DuckDBPyConnection,
) -> None:
    found = compared(db, MAY, "z16", across_systems=True)
    assert {v.name: (v.role, v.baseline, v.candidate) for v in found.factors} == {
        "source": ("held", ("xLinux",), ("xLinux",)),
        "network": ("held", ("1Gb",), ("1Gb",)),
        "file_size_mb": ("held", ("10.0", "100.0"), ("10.0", "100.0")),
        "machine": ("ignored", ("z15",), ("z16",)),
        "mq_level": ("held", ("9.2",), ("9.2",)),
    }


def test_an_own_factor_tells_sides_apart(db: duckdb.DuckDBPyConnection) -> None:
    found = compared(db, "x_mode=fast", 'x_mode="slow, but safe"', metrics=["rate"])
    (pair,) = found.pairs
    assert (pair.judged.verdict, round(1 + pair.judged.estimate / 100)) == ("better", 2)
    assert [v.name for v in found.factors if v.role == "differs"] == ["x_mode"]


@cases
def test_figures_agree_with_runs_or_differ(
    db: duckdb.DuckDBPyConnection,
    baseline: str,
    candidate: str,
    given: dict[str, list[str]],
    places: list[tuple[str, str, str, float]],
) -> None:
    """A pair is its configuration, its metric, the verdict, and its ratio."""
    found = compared(db, baseline, candidate, **given)
    told = [
        (p.configuration, p.metric, p.judged.verdict, round(1 + p.judged.estimate / 100, 2))
        for p in found.pairs
    ]
    assert told == places


def test_figures_and_runs_without_each_other_are_listed(db: duckdb.DuckDBPyConnection) -> None:
    found = compared(db, "published=000", MAY)
    assert found.only_baseline == ["000 C-rate: USS to USS"]
    assert found.only_candidate == [
        "xLinux, 10Gb, 10 MB, z15",
        "xLinux, 1Gb, 100 MB, z15",
    ]
    assert {p.figure for p in found.pairs} == {"000 C-rate", "000 C-cost"}
    assert found.assumed == ["tls=N"]
    predicted = compared(db, MAY, "predicted=000")
    assert [p.band for p in predicted.pairs] == [(95.0, 105.0)]


def test_the_interval_of_the_mean_is_student_s_on_logarithms() -> None:
    low, high = mean_interval([90.0, 100.0, 110.0], Measure()) or (0, 0)
    # scipy.stats.t.interval(0.95, 2, log(x).mean(), sem(log(x)))
    assert (round(low, 2), round(high, 2)) == (77.67, 127.89)
    assert mean_interval([5.0], Measure()) is None


@cases
def test_a_comparison_is_told_in_a_sentence_that_claims_no_more_than_its_verdicts(
    db: duckdb.DuckDBPyConnection, baseline: str, candidate: str, text: str
) -> None:
    assert queries.headline(compared(db, baseline, candidate)) == text


def test_totals_are_told_from_normalised_metrics(db: duckdb.DuckDBPyConnection) -> None:
    found = compared(db, MAY, "june")
    unjudged = replace(found.pairs[0].judged, verdict=NOT_JUDGED)
    pairs = [replace(p, judged=unjudged) if p.metric == "rate" else p for p in found.pairs]
    told = queries.headline(replace(found, pairs=pairs))
    assert told.startswith("Of 2 pairs of metrics in 2 configurations: 1 worse, 1 same.")
    assert queries.count_decided(replace(found, pairs=pairs)) == (2, 2)


# Three half as long again: totals that a manifest gives, and what the runs say of their work.
TOTALS = {"cpu_seconds": "CPU s", "system_overhead_seconds": "CPU s", "transfer_time": "s"}


@cases
def test_totals_are_shown_but_not_judged_where_runs_say_how_much_they_did(
    work: str,
    judged: set[str],
    warehouse: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    added = [
        "INSERT INTO marts.fct_measurement BY NAME SELECT origin, run_id, true AS is_compared,"
        f" '{metric}' AS metric, '{unit}' AS unit,"
        f" {'false' if metric in TOTALS else 'NULL'} AS more_is_better,"
        " value * if(fct_run.campaign = 'june', 1.5, 1) AS value"
        " FROM marts.fct_measurement JOIN marts.fct_run USING (origin, run_id)"
        " WHERE metric = 'rate' AND fct_run.configuration_id = 'a1'"
        for metric, unit in (TOTALS | ({work: "count"} if work else {})).items()
    ]
    copy = altered(warehouse, tmp_path, added)
    with duckdb.connect(str(copy), read_only=True) as db:
        found = {p.metric: p for p in compared(db, MAY, "june").pairs if p.metric in TOTALS}
    assert {name for name, pair in found.items() if pair.judged.verdict == "worse"} == judged
    assert {pair.judged.verdict for pair in found.values()} <= {"worse", NOT_JUDGED}
    assert all(40 < pair.judged.estimate < 60 for pair in found.values())
    for metric in TOTALS:
        command = ["compare", MAY, "june", "--metric", metric, "--warehouse", str(copy)]
        assert main(command) == int(metric in judged)
        assert "+50." in capsys.readouterr().out


def test_a_name_that_is_more_than_one_thing_is_refused(warehouse: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(warehouse), read_only=True) as db:
        assert parse_terms(db, "z16") == {"campaign": "z16"}  # the same runs as the machine's
    renamed = "UPDATE marts.fct_run SET campaign = 'z16' WHERE campaign = 'few'"
    with duckdb.connect(str(altered(warehouse, tmp_path, [renamed]))) as db:
        with pytest.raises(SelectionError, match=r"write campaign=z16 or machine=z16$"):
            compared(db, MAY, "z16")
        with pytest.raises(SelectionError, match="is more than one thing"):
            compared(db, MAY, "z16,network=1Gb")
        assert parse_terms(db, "machine=z16") == {"machine": "z16"}


@pytest.mark.parametrize(
    ("baseline", "candidate"),
    [
        (MAY, "machine=z15,origin=measured"),
        ("build1..build2", "june"),
        ("build1..build2", "build2..build3"),
    ],
)
def test_sides_that_share_runs_are_refused(
    baseline: str, candidate: str, db: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(SelectionError, match=r"\d+ runs are on both sides: give .* leaves out"):
        compared(db, baseline, candidate)


def test_names_are_short_and_can_be_told_apart(db: duckdb.DuckDBPyConnection) -> None:
    frame = queries.frame_of(compared(db, MAY, "june"))
    assert set(frame["short"]) == {"10 MB", "100 MB"}
    assert frame["verdict"].to_list() == ["worse", "better", "same", "same"]
    assert frame["interval"][0] == "+18.4 to +21.6"


def test_exit_status_1_means_that_something_is_worse(
    warehouse: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["--warehouse", str(warehouse)]
    at += ["--build-noise", "0"]
    assert main(["compare", MAY, "june", "--format", "json", *at]) == 1
    told = json.loads(capsys.readouterr().out)
    assert {p["judged"]["verdict"] for p in told["pairs"]} == {"worse", "better", "same"}
    assert main(["compare", MAY, "june", "--metric", "rate", *at]) == 0
    assert "1 better, 1 same" in capsys.readouterr().out
    assert main(["compare", MAY, "z16", "--ignore", "machine", *at]) == 0
    capsys.readouterr()
    assert main(["compare", "few", "june", "--metric", "rate", "--format", "json", *at]) == 0
    told = json.loads(capsys.readouterr().out)  # no NaN, which is no JSON
    assert told["pairs"][0]["judged"]["verdict"] == "undecided"
    assert main(["compare", "nothing", "june", *at]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("metric", "unit", "may", "june", "verdict", "change"),
    [
        ("rate", "MB/s", "200 + n", "0", "worse", "-202 MB/s"),  # nothing ran
        ("errors", "errors", "0", "8", "worse", "+8 errors"),
        ("offset", "ms", "-5 - n / 10", "-8 - n / 10", "changed", "-3 ms"),
        ("success", "%", "99.9 + n / 1000", "99 + n / 1000", "worse", "-0.9 points"),
    ],
)
def test_every_figure_appears(
    metric: str, unit: str, may: str, june: str, verdict: str, change: str,
    warehouse: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    better = {"errors": "false", "offset": "NULL"}.get(metric, "true")
    added = (
        f"DELETE FROM marts.fct_measurement WHERE metric = '{metric}'; "
        "INSERT INTO marts.fct_measurement BY NAME SELECT origin, run_id, is_compared,"
        f" '{metric}' AS metric, '{unit}' AS unit, {better} AS more_is_better,"
        f" if(campaign = 'june', {june}, {may}) AS value"
        " FROM (SELECT *, right(run_id, 1)::INT AS n FROM marts.fct_run)"
    )
    copy = altered(warehouse, tmp_path, [added])
    command = ["compare", MAY, "june", "--metric", metric, "--warehouse", str(copy)]
    assert main(command) == int(verdict == "worse")
    said = capsys.readouterr().out.splitlines()
    assert said[2].startswith("2 ")
    rows = [(row, below) for row, below in pairwise(said) if row.startswith(verdict)]
    assert len(rows) == 2
    assert all(f": {change} (" in below for _, below in rows)


def test_a_metric_is_compared_in_the_unit_of_the_baseline(
    db: duckdb.DuckDBPyConnection, warehouse: Path, tmp_path: Path
) -> None:
    kilobytes = ", ".join(
        f"{name} = 1024 * {name}" for name in ("value", "value_low", "value_high")
    )
    changed = f"UPDATE marts.fct_measurement SET unit = 'KB/s', {kilobytes}"
    which = "WHERE metric = 'rate' AND (run_id LIKE 'june%' OR campaign = 'april')"
    with duckdb.connect(str(altered(warehouse, tmp_path, [f"{changed} {which}"]))) as other:
        for sides in ((MAY, "june"), ("june", MAY)):
            pairs = [
                [(p.metric, round(p.judged.estimate, 9), p.judged.verdict) for p in of.pairs]
                for of in (compared(db, *sides), compared(other, *sides))
            ]
            assert pairs[0] == pairs[1]


@pytest.mark.parametrize("changed", ["DELETE FROM", "UPDATE {} SET unit = 'files'"])
def test_a_figure_that_the_candidate_lacks_is_named(
    changed: str, warehouse: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = "marts.fct_measurement"
    start = changed.format(table) if "{}" in changed else f"{changed} {table}"
    copy = altered(warehouse, tmp_path, [f"{start} WHERE metric = 'rate' AND run_id LIKE 'june%'"])
    command = ["compare", MAY, "june", "--tolerance", "50", "--warehouse", str(copy)]
    for question, status in (("change", 0), ("builds", 1)):
        assert main([*command, "--question", question]) == status
        said = " ".join(capsys.readouterr().out.split())
        assert "Missing in june: rate in " in said
        assert "xLinux, 1Gb, 10 MB, z15" in said


def test_many_rows_begin_with_counts_and_the_ten_largest_with_their_key(
    warehouse: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(console, "_width", 80)
    added = (
        "INSERT INTO marts.fct_measurement BY NAME SELECT origin, run_id,"
        " fct_run.is_compared, 'time ' || i AS metric, 'ms' AS unit, false AS more_is_better,"
        " value * if(fct_run.campaign = 'june', 1 + i / 100, 1) AS value"
        " FROM marts.fct_measurement JOIN marts.fct_run USING (origin, run_id), range(100) t(i)"
        " WHERE metric = 'cost_per_GB'"
    )
    copy = altered(warehouse, tmp_path, [added])
    command = ["compare", MAY, "june", "--question", "builds", "--warehouse", str(copy)]
    assert main(command) == 1
    said = capsys.readouterr().out.splitlines()
    assert re.match(r"\d+ worse, \d+ better, ", said[2])
    rows = [row for row in said if row.startswith("worse")]
    assert len(rows) == 10
    assert all("xLinux, 1Gb, 10" in row for row in rows)
    assert rows[0].split(", ")[0] == "worse      time 99"
    assert len(said) < 40
    assert max(map(len, said)) <= 80
    assert "194 more: --all lists them" in said
    main([*command, "--all"])
    assert len(capsys.readouterr().out.splitlines()) > 400


def test_the_question_is_told(db: duckdb.DuckDBPyConnection) -> None:
    of_builds, of_change = (
        compare_runs(
            db,
            *(parse_terms(db, side) for side in (MAY, "june")),
            metrics=["rate"],
            question=question,
        )
        for question in (BUILDS, CHANGE)
    )
    assert "these two builds" in queries.noise_between_builds(of_builds)
    assert "builds varied by 5 %" in queries.noise_between_builds(of_change)
    told = [{p.judged.verdict for p in found.pairs} for found in (of_builds, of_change)]
    assert told == [{"better", "same"}, {"undecided"}]


@pytest.mark.parametrize("form", ["table", "table --all", "markdown"])
def test_a_comparison_is_printed_as_before(
    form: str,
    warehouse: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
) -> None:
    """The table shows what differs, and all on demand; the markdown says the same."""
    monkeypatch.setenv("PERFHOUSE_DASHBOARD", "https://perf.example/")
    monkeypatch.setattr(console, "_width", 80)
    at = ["--build-noise", "0", "--warehouse", str(warehouse), "--format", *form.split()]
    assert main(["compare", MAY, "june", *at]) == 1
    assert capsys.readouterr().out == snapshot


@pytest.mark.parametrize(
    ("june", "bounds", "said"),
    [
        ((11.0, 14.0), "+4.8 to +47.4", "have bounds (docs/cost-method.md)."),
        (
            (9.0, 15.0),
            "-14.3 to +57.9",
            "not have changed: Cost per GB of 10 MB (-14.3 to +57.9 %)",
        ),
        ((0.0, 15.0), "-100.0 to +57.9", "not have changed: Cost per GB of 10 MB (-100.0 to"),
    ],
)
def test_a_change_of_apportioned_figures_has_bounds(
    june: tuple[float, float],
    bounds: str,
    said: str,
    warehouse: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What it can be is from the least of one side by the most of the other, and the reverse."""
    bounded = (
        "UPDATE marts.fct_measurement SET value_low = {}, value_high = {} WHERE metric ="
        " 'cost_per_GB' AND run_id IN (SELECT run_id FROM marts.fct_run WHERE campaign = '{}'"
        " AND configuration_id = 'a1')"
    )
    sides = [bounded.format(9.5, 10.5, "may"), bounded.format(*june, "june")]
    copy = altered(warehouse, tmp_path, sides)
    with duckdb.connect(str(copy), read_only=True) as db:
        found = compared(db, MAY, "june", metrics=["cost_per_GB"])
    shown = queries.frame_of(found)
    assert dict(shown.select("short", "bounds").iter_rows()) == {"10 MB": bounds, "100 MB": None}
    at_least, at_most = (float(end) for end in bounds.split(" to "))
    frame = found.frame().sort("configuration")
    assert frame["at_least"].to_list() == [pytest.approx(at_least, abs=0.06), None]
    assert frame["at_most"].to_list() == [pytest.approx(at_most, abs=0.06), None]
    command = ["compare", MAY, "june", "--metric", "cost_per_GB", "--warehouse", str(copy)]
    for form in ("table", "markdown"):
        main([*command, "--format", form])
        told = " ".join(capsys.readouterr().out.split())
        assert "1 of 2 are of runs that have a part of some intervals" in told
        assert said in told
        assert form == "markdown" or bounds in told


@pytest.mark.parametrize(
    "text",
    ["machine=z15", "published", "tls=", 'network="1Gb, 2"', "first_build=a,last_build=b"],
)
def test_terms_are_typed_as_they_are_read(bundled: Path, text: str) -> None:
    with duckdb.connect(str(bundled), read_only=True) as db:
        terms = parse_terms(db, text)
        assert parse_terms(db, write_terms(terms)) == terms


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory, warehouse: Path) -> Path:
    """Return a warehouse of 22 nightly builds of one run each; the last one is slower."""
    added = (
        "INSERT INTO marts.fct_run SELECT 'measured', 'night-' || n, 'nights', 'n' || n, 'a3',"
        " '9.2', 'z15', TIMESTAMP '2026-03-01' + to_days(n::INT), true FROM range(22) t(n);"
        # 2 % up and down, then a step of 30 %; a metric that only the last two builds have
        "INSERT INTO marts.fct_measurement BY NAME SELECT 'measured' AS origin,"
        " 'night-' || n AS run_id, 'rate' AS metric, 'MB/s' AS unit, true AS more_is_better,"
        " true AS is_compared, (300 + 6 * (n % 2)) * if(n = 21, 0.7, 1) AS value"
        " FROM range(22) t(n) UNION ALL SELECT 'measured', 'night-' || n, 'cost_per_GB',"
        " 'CPU seconds/GB', false, true, 9 FROM range(20, 22) t(n);"
    )
    return altered(warehouse, tmp_path_factory.mktemp("nights"), [added])


def test_single_runs_are_decided_by_the_noise_between_earlier_builds(nights: Path) -> None:
    with duckdb.connect(str(nights), read_only=True) as db:
        found = {
            after: {p.metric: p for p in compared(db, before, after).pairs}
            for before, after in (("n20", "n21"), ("n17", "n18"), ("n3", "n2"))
        }
    step = found["n21"]["rate"]
    assert step.judged.verdict == "worse"
    assert step.judged.noise_source == SERIES
    # Of 21 builds: the candidate's own step is no noise between builds.
    assert step.judged.noise == pytest.approx(math.log(1.02) / 1.645 / 2**0.5, rel=0.01)
    # Two per cent are the noise; before there is enough history, single runs say nothing.
    equal = found["n18"]["rate"].judged
    assert equal.verdict == "undecided"
    assert equal.more_runs == 1
    assert found["n2"]["rate"].judged.noise_source == "none"
    assert found["n21"]["cost_per_GB"].judged.noise_source == "none"


def test_a_configuration_alone_has_no_noise_between_builds(nights: Path) -> None:
    with duckdb.connect(str(nights), read_only=True) as db:
        assert compared(db, "n2", "n1").pairs[0].judged.noise_source == "none"


@pytest.mark.parametrize(
    ("percent", "verdict"), [("0", "better"), ("2", "better"), ("5", "undecided")]
)
def test_without_earlier_builds_a_difference_has_to_exceed_what_builds_may_vary_by(
    percent: str, verdict: str, warehouse: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rate of 100 MB is 10 % higher, with less than 1 % of noise within each build."""
    command = ["compare", MAY, "june", "--metric", "rate", "--format", "json"]
    assert main([*command, "--build-noise", percent, "--warehouse", str(warehouse)]) == 0
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    assert {p["judged"]["verdict"] for p in pairs if " 100 MB" in p["configuration"]} == {verdict}


def test_sides_of_the_same_builds_need_no_noise_between_builds(
    db: duckdb.DuckDBPyConnection,
) -> None:
    found = compared(db, "june", "z16", ignore=["machine"], build_noise=0.05)  # both build2
    assert {pair.judged.noise_source for pair in found.pairs} == {"own runs"}


def test_the_command_says_what_history_it_used(
    nights: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "n20", "n21", "--warehouse", str(nights)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "1 of 2 are judged with the noise between earlier builds of their configuration." in said
    assert "1 of 2 are judged as if builds varied by 5 % by themselves" in said


@cases
def test_held_levels_are_typed_as_they_are_read(text: str, held: dict[str, list[str]]) -> None:
    assert parse_held(text) == held
    assert parse_held(write_held(held)) == held


def test_a_held_level_without_its_factor_is_refused() -> None:
    with pytest.raises(SelectionError, match="'N': write FACTOR=LEVEL"):
        parse_held("N")


@cases
def test_a_side_is_said_in_words(terms: dict[str, str | None], words: str) -> None:
    assert describe_terms(terms) == words


def test_runs_at_several_speeds_are_compared_at_one_speed_if_asked(cases: Path) -> None:
    with Warehouse(cases).connect() as marts:
        with pytest.raises(SelectionError, match="speed"):
            compare_runs(marts, {"run_id": "spd-4"}, {"run_id": "spd-5"})
        found = compare_runs(marts, {"run_id": "spd-4"}, {"run_id": "spd-5"}, one_speed=True)
        ratio = {pair.metric: pair.judged.candidate / pair.judged.baseline for pair in found.pairs}
        # The same seconds, at half of the speed; a rate has none.
        assert ratio["cost_per_GB"] == pytest.approx(301 / 602)
        assert ratio["rate"] == pytest.approx(1)
        # On two machines: the only thing that is wrong with it.
        both = ({"run_id": "spd-0"}, {"run_id": "spd-2"})
        with pytest.raises(SelectionError):
            compare_runs(marts, *both, ignore=["x_speed"])
        found = compare_runs(marts, *both, ignore=["x_speed"], one_speed=True)
        (cost,) = (pair for pair in found.pairs if pair.metric == "cost_per_GB")
        assert cost.judged.candidate == pytest.approx(cost.judged.baseline)
