"""Hard cases of z/OS records: marts and findings against the truth."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from app.pipeline.places import ROOT
from app.results.comparison import compare_runs
from app.results.sides import SelectionError
from ingest.lake.warehouse import Warehouse

Db = duckdb.DuckDBPyConnection
BOUNDED = {
    *("cpu_seconds", "general_purpose_seconds", "ziip_seconds", "eligible_seconds"),
    *("cost_per_GB", "cost_per_GB_after_offload", "cost_per_transaction_us", "ziips_needed"),
    "ziip_share_percent",
}
Truth = dict[str, Any]

#: Findings that are about the time of runs.
ABOUT_RUNS = {
    *("partner_not_loaded", "restarted", "bounds_too_wide", "files_failed", "no_transfers"),
    *("transfers_ended_after", "transfers_backwards", "bytes_unknown", "unknown_unit"),
    *("capacity_changed", "machines_differ", "machine_label_differs", "part_of_mq_interval"),
}
#: Findings that the other faults of a case entail; duplicates are counted by a test of their own.
BESIDES = {
    "one-sysid": {"no_type_72"},
    "absent-partners": {"no_type_30", "no_type_72"},
    "two-campaigns": {
        *("cpu_exceeds_elapsed", "overlapping_address_space_intervals"),
        *("overlapping_queue_manager_intervals", "counters_decreased"),
    },
    "impossible": {
        *("classes_and_address_spaces_differ", "consumption_unknown"),
        "address_space_records_missing",  # whose times are not known
    },
    "lost-records": {"classes_and_address_spaces_differ"},
}


@pytest.fixture(scope="module")
def marts(cases: Path) -> Iterator[Db]:
    with Warehouse(cases).connect() as db:
        yield db


@pytest.fixture(scope="module")
def truth(cases: Path) -> dict[str, Truth]:
    """The truth by case."""
    files = sorted((ROOT / "tests/marts/hard_cases").glob("*/truth.json"))
    return {file.parent.name: json.loads(file.read_text()) for file in files}


def days_of(case: Truth) -> tuple[str, str]:
    """Return when the runs of a case begin and end."""
    return (
        min(run["start_utc"] for run in case["runs"]),
        max(run["stop_utc"] for run in case["runs"]),
    )


def names(figure: str) -> list[str]:
    """Return the columns of a figure and its bounds: low, middle, high."""
    stem = figure.removesuffix("_us")
    low, high = (f"{stem}_{bound}{figure[len(stem) :]}" for bound in ("low", "high"))
    return [low, figure, high]


def one_of(marts: Db, run_id: str, *columns: str) -> tuple[Any, ...]:
    """Return columns of fct_run_total of a run."""
    ((*found,),) = marts.execute(
        f"SELECT {', '.join(columns)} FROM marts.fct_run_total WHERE run_id = $1", [run_id]
    ).fetchall()
    return tuple(found)


# --- findings


def test_each_finding_is_reported_with_its_system_and_time(
    marts: Db, truth: dict[str, Truth]
) -> None:
    missing = [
        (name, finding["kind"], finding["system_id"], finding["start_utc"])
        for name, case in truth.items()
        for finding in case["findings"]
        if finding["kind"] not in ABOUT_RUNS
        and not marts.execute(
            "SELECT 1 FROM marts.fct_data_issue WHERE kind = $1 "
            "AND sysplex IS NOT DISTINCT FROM $2 AND system_id IS NOT DISTINCT FROM $3 "
            "AND start_utc < $5::TIMESTAMP AND end_utc > $4::TIMESTAMP",
            [finding[key] for key in ("kind", "sysplex", "system_id", "start_utc", "end_utc")],
        ).fetchone()
    ]
    assert missing == []


def test_nothing_else_is_reported_of_intervals(marts: Db, truth: dict[str, Truth]) -> None:
    more = {}
    for name, case in truth.items():
        found = marts.execute(
            "SELECT DISTINCT kind FROM marts.fct_data_issue WHERE run_id IS NULL "
            "AND start_utc < $2::TIMESTAMP AND end_utc > $1::TIMESTAMP",
            days_of(case),
        ).fetchall()
        known = {finding["kind"] for finding in case["findings"]} | BESIDES.get(name, set())
        if others := {kind for (kind,) in found} - known:
            more[name] = others
    assert more == {}


def test_each_finding_says_what_was_found_and_done_and_leads_to_a_record(marts: Db) -> None:
    ((issues, told, traced),) = marts.execute(
        "SELECT count(*), count_if(found <> '' AND done <> ''), "
        "count_if((source_id, record_no) IN (SELECT (source_id, record_no) FROM raw.smf_record)) "
        "FROM marts.fct_data_issue WHERE run_id IS NULL AND kind <> 'unknown_form'"
    ).fetchall()
    assert issues == told == traced
    assert issues > 20


def test_records_of_overlapping_dumps_count_once_and_are_reported(
    marts: Db, truth: dict[str, Truth]
) -> None:
    rows = marts.execute(
        "SELECT record_type::VARCHAR, sum(duplicate_records)::INTEGER FROM marts.dim_load "
        "WHERE path LIKE '%overlapping-dumps%' AND record_type IN (30, 70, 72, 115, 116) GROUP BY 1"
    ).fetchall()
    assert dict(rows) == truth["overlapping-dumps"]["copies"]
    issues = marts.execute(
        "SELECT count(*) FROM marts.fct_data_issue "
        "WHERE kind = 'duplicate_records' AND subject LIKE '%overlapping-dumps%'"
    ).fetchone()
    assert issues == (len(truth["overlapping-dumps"]["copies"]),)


# --- processors


def test_busy_time_is_what_processors_neither_waited_nor_were_parked(
    marts: Db, truth: dict[str, Truth]
) -> None:
    for row in truth["dedicated"]["processors"]:
        shown = marts.execute(
            "SELECT online_seconds, parked_seconds, busy_seconds, wait_seconds, dispatch_seconds, "
            "used_seconds FROM marts.fct_processor_interval WHERE system_id = $1 "
            "AND interval_start_utc = $2::TIMESTAMP AND processor_type = $3",
            [row[key] for key in ("system_id", "start_utc", "processor_type")],
        ).fetchall()
        keys = ("online", "parked", "busy", "wait", "dispatched", "busy")
        assert shown == [pytest.approx([row[f"{key}_seconds"] for key in keys], rel=1e-5)]


def test_ziip_time_of_two_threads_is_that_of_cores_with_one_thread(
    marts: Db, truth: dict[str, Truth]
) -> None:
    runs = {run["run_id"]: run for run in truth["smt-ziips"]["runs"]}
    for row in truth["smt-ziips"]["multithreading"]:
        start = runs[row["run_id"]]["start_utc"]
        ((effective, factor, used),) = marts.execute(
            "SELECT effective_seconds, capacity_factor, used_seconds "
            "FROM marts.fct_processor_interval "
            "WHERE system_id = $1 AND interval_start_utc = $2::TIMESTAMP "
            "AND processor_type = 'zIIP'",
            [row["system_id"], start],
        ).fetchall()
        ((charged, missing),) = marts.execute(
            "SELECT class_seconds, missing FROM marts.fct_cpu_reconciliation "
            "WHERE system_id = $1 AND interval_start_utc = $2::TIMESTAMP "
            "AND processor_type = 'zIIP'",
            [row["system_id"], start],
        ).fetchall()
        assert effective == pytest.approx(row["core_seconds"], rel=1e-5)
        assert charged == pytest.approx(row["charged_one_thread_seconds"], rel=1e-3)
        if row["is_capacity_known"]:
            assert factor == row["capacity"]
            assert used == pytest.approx(row["one_thread_seconds"], rel=1e-5)
        else:
            assert (factor, used, missing) == (None, None, "CPU time of type 70")


def test_without_type_72_the_ziip_factor_is_that_of_type_70(marts: Db) -> None:
    rows = marts.execute(
        "SELECT system_id, ziip_factor, ziips_needed IS NULL FROM marts.fct_ziip_interval "
        "WHERE sysplex = 'FACPLEX' ORDER BY 1"
    ).fetchall()
    assert rows == [("FAC1", 1.0, False), ("FAC2", 569 / 256, False), ("FAC3", 569 / 256, True)]


def test_a_partition_is_counted_once_whoever_reports_it(marts: Db) -> None:
    twice = marts.execute(
        "SELECT one.partition_name, one.interval_start_utc FROM marts.fct_lpar_interval AS one "
        "JOIN marts.fct_lpar_interval AS other USING "
        "(origin, machine_serial, partition_name, partition_number, processor_type) "
        "WHERE (one.sysplex, one.system_id) <> (other.sysplex, other.system_id) "
        "AND one.interval_start_utc + INTERVAL 2 SECOND < other.interval_end_utc "
        "AND one.interval_end_utc - INTERVAL 2 SECOND > other.interval_start_utc"
    ).fetchall()
    assert twice == []
    rows = marts.execute(
        "SELECT partition_name, own_partition, count(*) FROM marts.fct_lpar_interval "
        "WHERE sysplex = 'LENPLEX' AND processor_type = 'CP' GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    assert rows[:3] == [("LEN1", True, 12), ("LEN2", True, 6), ("LEN3", True, 4)]


# --- systems and intervals


def test_two_systems_with_one_smf_id_are_kept_apart(marts: Db, truth: dict[str, Truth]) -> None:
    for row in truth["one-sysid"]["intervals"]:
        key = [row["sysplex"], row["system_id"], row["start_utc"]]
        used = marts.execute(
            "SELECT processor_seconds FROM marts.fct_cpu_reconciliation WHERE sysplex = $1 "
            "AND system_id = $2 AND interval_start_utc = $3::TIMESTAMP AND processor_type = 'CP'",
            key,
        ).fetchall()
        agent = marts.execute(
            "SELECT general_purpose_seconds FROM marts.fct_address_space_interval "
            "WHERE sysplex = $1 AND system_id = $2 AND rmf_interval_start_utc = $3::TIMESTAMP "
            "AND job_name = 'AGENT1'",
            key,
        ).fetchall()
        assert used == [(pytest.approx(row["general_purpose_seconds"], rel=1e-5),)]
        assert agent == [(pytest.approx(row["agent_seconds"], abs=0.06),)]


def test_of_intervals_of_two_lengths_the_longer_ones_are_used(
    marts: Db, truth: dict[str, Truth]
) -> None:
    for row in truth["doubled-rmf"]["lpar_seconds"]:
        for mart in ("fct_processor_interval", "fct_ziip_interval"):
            shown = marts.execute(
                "SELECT count(DISTINCT interval_start_utc), "
                "sum(DISTINCT epoch(interval_start_utc)) > 0, min(interval_seconds) "
                f"FROM marts.{mart} WHERE system_id = $1",
                [row["system_id"]],
            ).fetchall()
            assert shown == [(row["intervals_of_900"], True, 900.0)], mart


def test_the_intervals_of_a_sysplex_add_up_if_their_lengths_differ(
    marts: Db, truth: dict[str, Truth]
) -> None:
    plex = truth["unequal-intervals"]["sysplex"]
    for row in plex["half_hours"]:
        shown = marts.execute(
            "SELECT count(*), bool_and(complete), bool_and(split), sum(cp_seconds), "
            "sum(ziip_seconds) FROM marts.fct_sysplex_cpu_interval WHERE sysplex = $1 "
            "AND interval_start_utc >= $2::TIMESTAMP "
            "AND interval_end_utc <= $2::TIMESTAMP + INTERVAL 30 MINUTE",
            [plex["sysplex"], row["start_utc"]],
        ).fetchall()
        sums = [row["general_purpose_seconds"], row["ziip_seconds"]]
        assert shown == [(2, True, True, *(pytest.approx(s, rel=1e-5) for s in sums))]


def test_times_of_all_systems_are_in_utc(marts: Db, truth: dict[str, Truth]) -> None:
    for name in ("other-offsets", "dst-night"):
        for row in truth[name]["offsets"]:
            first, last = row.get("start_utc", "2026-01-01"), row.get("end_utc", "2027-01-01")
            shown = marts.execute(
                "SELECT DISTINCT utc_offset_minutes FROM marts.fct_processor_interval "
                "WHERE system_id = $1 AND interval_start_utc >= $2::TIMESTAMP "
                "AND interval_end_utc <= $3::TIMESTAMP",
                [row["system_id"], first, last],
            ).fetchall()
            assert shown == [(row["utc_offset_minutes"],)]


def test_cpu_time_by_system_is_right_unless_a_finding_makes_it_unknown(
    marts: Db, truth: dict[str, Truth]
) -> None:
    """Runs that begin and end with intervals use what the intervals of their systems show."""
    checked: Counter[str] = Counter()
    for name, case in truth.items():
        for run in case["runs"]:
            if "general_purpose_seconds" not in run["exact"]:
                continue
            for system in run["by_system"]:
                ((used, seconds),) = marts.execute(
                    "SELECT sum(processor_seconds), sum(interval_seconds) "
                    "FROM marts.fct_cpu_reconciliation WHERE processor_type = 'CP' "
                    "AND sysplex = $1 AND system_id = $2 AND interval_start_utc >= $3::TIMESTAMP "
                    "AND interval_end_utc <= $4::TIMESTAMP",
                    [system["sysplex"], system["system_id"], run["start_utc"], run["stop_utc"]],
                ).fetchall()
                if seconds == run["seconds"]:
                    right = pytest.approx(system["general_purpose_seconds"], rel=1e-5)
                    assert used == right, (name, run["run_id"])
                    checked[name] += 1
    assert len(checked) >= 12


def test_what_cannot_be_is_null_where_it_stands(marts: Db, truth: dict[str, Truth]) -> None:
    """One fault in each run of the case but the first."""
    runs = {run["run_id"]: run["start_utc"] for run in truth["impossible"]["runs"]}

    def shown(run: str, columns: str, processor_type: str = "CP") -> list[Any]:
        return marts.execute(
            f"SELECT {columns} FROM marts.fct_cpu_reconciliation "
            "JOIN marts.fct_processor_interval "
            "USING (sysplex, system_id, interval_start_utc, processor_type) "
            "WHERE system_id = 'IMP1' AND interval_start_utc = $1::TIMESTAMP "
            "AND processor_type = $2",
            [runs[run], processor_type],
        ).fetchall()

    used = [(pytest.approx(150, rel=1e-5),)]
    for run in ("imp-0", "imp-1", "imp-2", "imp-3", "imp-4", "imp-5", "imp-7", "imp-8"):
        assert shown(run, "processor_seconds") == used, run
    for run in ("imp-1", "imp-2"):
        assert shown(run, "class_seconds, missing") == [(None, "some of type 72")]
    assert shown("imp-3", "address_spaces_unknown, unexplained_seconds") == [(1, None)]
    columns = "fct_processor_interval.busy_seconds, fct_processor_interval.wait_seconds"
    assert shown("imp-4", columns) == [(None, None)]
    assert shown("imp-5", "uncaptured_seconds, capture_percent") == [(None, None)]
    assert shown("imp-6", "processor_seconds, missing") == [(None, "CPU time of type 70")]
    assert shown("imp-6", "processor_seconds", "zIIP") == [(pytest.approx(45, rel=1e-5),)]
    agent = marts.execute(
        "SELECT count(*) FROM marts.fct_address_space_interval "
        "WHERE system_id = 'IMP1' AND job_name = 'AGENT1' AND interval_start_utc IS NULL"
    ).fetchone()
    assert agent == (1,)


def test_mq_intervals_are_matched_with_those_of_rmf(marts: Db) -> None:
    rows = marts.execute(
        "SELECT system_id, queue_manager, min(share), max(share) FROM ("
        "SELECT system_id, queue_manager, mq_interval_start_utc, sum(mq_share) AS share "
        "FROM marts.fct_mq_rmf_interval WHERE system_id IN ('DMP1', 'SHF1') GROUP BY ALL"
        ") GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    assert [row[0] for row in rows] == ["DMP1", "SHF1"]
    assert all(row[2:] == (pytest.approx(1), pytest.approx(1)) for row in rows)


def test_queues_belong_to_the_task_whose_record_was_written_with_theirs(
    marts: Db, truth: dict[str, Truth]
) -> None:
    shown = marts.execute(
        "SELECT queues, queue_blocks, messages, cpu_seconds IS NULL, wait_other_seconds IS NULL "
        "FROM marts.fct_task_accounting WHERE system_id = 'CON1' AND connection_name = 'HARDPUT' "
        "ORDER BY interval_start_utc"
    ).fetchall()
    tasks = truth["continued-tasks"]["tasks"]
    whole = [(25, 25, task["messages"], False, False) for task in tasks]
    assert shown == [*whole[:2], (14, 25, None, True, True), *whole[3:]]
    ((messages, mqi_calls),) = marts.execute(
        "SELECT messages, mqi_calls FROM marts.fct_application_cost WHERE system_id = 'CON1' "
        "AND connection_name = 'HARDPUT'"
    ).fetchall()
    assert (messages, mqi_calls) == (None, None)
    unknown = marts.execute(
        "SELECT count(*), count(events), count(busy_seconds) FROM marts.fct_run_resource "
        "WHERE run_id = 'con-1' AND object_name = 'HARDPUT' AND part = 'put'"
    ).fetchall()
    assert unknown == [(1, 0, 0)]


def test_an_address_space_whose_records_stop_is_unknown_and_those_before_are_right(
    marts: Db,
) -> None:
    rows = marts.execute(
        "SELECT run_id, cpu_seconds IS NULL FROM marts.fct_run_address_space "
        "WHERE system_id = 'SUS1' AND address_space = 'AGENT1' ORDER BY run_id"
    ).fetchall()
    assert rows == [(f"sus-{number}", number == 4) for number in range(5)]


def test_runs_of_one_configuration_at_two_speeds_are_two_series(marts: Db) -> None:
    rows = marts.execute(
        "SELECT run_id, configuration_id, factors_id, speed FROM marts.fct_run "
        "JOIN marts.dim_configuration USING (configuration_id) "
        "WHERE run_id IN ('spd-4', 'spd-5') ORDER BY run_id"
    ).fetchall()
    (_, usual, factors, none), (_, other, same, speed) = rows
    assert (none, same) == (None, factors)
    assert usual != other
    assert speed.endswith(f"{16e6 / 602:.0f} SU/s")


def test_runs_at_several_speeds_are_compared_at_one_speed_if_asked(marts: Db) -> None:
    with pytest.raises(SelectionError, match="speed"):
        compare_runs(marts, {"run_id": "spd-4"}, {"run_id": "spd-5"})
    found = compare_runs(marts, {"run_id": "spd-4"}, {"run_id": "spd-5"}, one_speed=True)
    ratio = {pair.metric: pair.candidate / pair.baseline for pair in found.pairs}
    # The same seconds, at half of the speed; a rate has none.
    assert ratio["cost_per_GB"] == pytest.approx(301 / 602)
    assert ratio["rate"] == pytest.approx(1)
    # On two machines: the only thing that is wrong with it.
    both = ({"run_id": "spd-0"}, {"run_id": "spd-2"})
    with pytest.raises(SelectionError):
        compare_runs(marts, *both, ignore=["x_speed"])
    found = compare_runs(marts, *both, ignore=["x_speed"], one_speed=True)
    (cost,) = (pair for pair in found.pairs if pair.metric == "cost_per_GB")
    assert cost.candidate == pytest.approx(cost.baseline)


def test_cycles_of_processors_are_of_their_time_whatever_their_clock_counts(
    marts: Db, truth: dict[str, Truth]
) -> None:
    counted = truth["leap-seconds"]["counted"]
    ((cycles,),) = marts.execute(
        "SELECT sum(cycles) FROM marts.fct_hardware_interval WHERE system_id = 'LEP1' "
        "AND interval_start_utc >= $1::TIMESTAMP "
        "AND interval_end_utc <= $2::TIMESTAMP",
        [counted["start_utc"], counted["end_utc"]],
    ).fetchall()
    assert cycles == pytest.approx(counted["cycles"], rel=1e-6)


def test_intervals_say_for_how_long_records_should_be_there(marts: Db) -> None:
    """Three of 18 intervals of 5 minutes are left out, each in a run of its own."""
    rows = marts.execute(
        "SELECT interval_start_utc, interval_seconds, expected_seconds "
        "FROM marts.fct_processor_interval WHERE system_id = 'OUT1' AND processor_type = 'CP' "
        "ORDER BY 1"
    ).fetchall()
    before = [4, 1, 7]  # intervals before each that is left out, but the one after another
    wanted = [length for whole in before for length in [300.0] * whole + [600.0]]
    assert [expected for _, _, expected in rows] == wanted
    assert sum(covered for _, covered, _ in rows) == 15 * 300
    ((covered, expected),) = marts.execute(
        "SELECT sum(covered_seconds), sum(expected_seconds) FROM marts.fct_sysplex_cpu_interval "
        "WHERE sysplex = 'LENPLEX'"
    ).fetchall()
    assert covered == expected == 3 * 3600


@pytest.mark.parametrize("case", ["leap-seconds", "after-2042"])
def test_what_an_address_space_used_in_a_run_is_right_whatever_its_clock_counts(
    case: str, marts: Db, truth: dict[str, Truth]
) -> None:
    agent = truth[case]["agent"]
    shown = marts.execute(
        "SELECT general_purpose_seconds, general_purpose_seconds_low, general_purpose_seconds_high "
        "FROM marts.fct_run_address_space WHERE run_id = $1 AND address_space = 'AGENT1'",
        [agent["run_id"]],
    ).fetchall()
    # Each kind of CPU time is recorded in hundredths of a second.
    assert shown == [(pytest.approx(agent["general_purpose_seconds"], abs=0.05 * 3),) * 3]


def test_moments_of_mq_are_in_utc_whatever_its_clock_counts(
    marts: Db, truth: dict[str, Truth]
) -> None:
    (tasks,) = truth["leap-seconds"]["tasks"]
    for mart, last in (
        ("fct_task_accounting", "recorded_at_utc"),
        ("fct_queue_manager_interval", "interval_end_utc"),
    ):
        ((first, end),) = marts.execute(
            f"SELECT min(interval_start_utc), max({last}) FROM marts.{mart} WHERE system_id = $1",
            [tasks["system_id"]],
        ).fetchall()
        start = datetime.fromisoformat(tasks["start_utc"]).replace(tzinfo=None)
        assert abs((first - start).total_seconds()) < 1, mart
        assert abs((end - start).total_seconds() - tasks["seconds"]) < 1, mart


def test_sizes_of_storage_are_in_bytes(marts: Db) -> None:
    ((below, above),) = marts.execute(
        "SELECT max(private_below_bar_bytes) % 1024, max(private_above_bar_bytes) "
        "FROM marts.fct_address_space_interval"
    ).fetchall()
    assert below == 0
    assert above > 0


def test_every_kind_of_finding_is_explained() -> None:
    """Kinds of runs are explained with their cost."""
    page = (ROOT / "docs/data-issues.md").read_text(encoding="utf-8")
    models = [*(ROOT / "dbt/models/intermediate").glob("*/int_*__issue.sql")]
    kinds = {
        kind
        for model in models
        if "runs" not in model.parts
        for kind in re.findall(r'call finding\(\s*"(\w+)"', model.read_text(encoding="utf-8"))
    }
    assert len(kinds) >= 12
    shown = {kind: f"`{kind}" + "`" * (not kind.endswith("_")) for kind in kinds}  # no_type_70
    assert {kind for kind in kinds if shown[kind] not in page} == set()


# --- runs


def test_figures_of_runs_are_the_true_ones_or_null_or_flagged(
    marts: Db, truth: dict[str, Truth]
) -> None:
    shown = {
        row["run_id"]: row
        for row in marts.sql("SELECT *, rate_mb_per_second AS rate FROM marts.fct_run_total")
        .pl()
        .to_dicts()
    }
    wrong, right = [], Counter[str]()
    for name, case in truth.items():
        for run in case["runs"]:
            for figure, value in run.get("figures", {}).items():
                found = shown[run["run_id"]][figure]
                near = found is not None and found == pytest.approx(value, rel=1e-4)
                flagged = found is None or shown[run["run_id"]]["issues"]
                if figure in BOUNDED and not (near or flagged):  # known within bounds
                    low, _, high = (shown[run["run_id"]][name] for name in names(figure))
                    flagged = low < value < high
                elif figure == "ziips_needed" and not (near or flagged):  # eligible time per second
                    low, used, high = (
                        shown[run["run_id"]][name] for name in names("eligible_seconds")
                    )
                    flagged = low < value * used / found < high
                if not (near if figure in run["exact"] else near or flagged):
                    wrong.append((name, run["run_id"], figure, value, found))
                right[name] += near
    assert wrong == []
    assert len(right) == len(truth) - 1  # two-campaigns tells no figures


def test_bounds_contain_the_truth_and_are_equal_where_a_run_has_all_of_its_intervals(
    marts: Db, truth: dict[str, Truth]
) -> None:
    checked = Counter[bool]()
    for case in truth.values():
        for run in case["runs"]:
            if run["is_refused"] or set(run["issues"]) - {"bounds_too_wide"}:
                continue
            figures = run["figures"]
            figures["ziip_share_percent"] = (
                100 * figures["eligible_seconds"] / figures["cpu_seconds"]
            )
            for figure in BOUNDED & figures.keys():
                low, middle, high = one_of(marts, run["run_id"], *names(figure))
                assert low <= middle * (1 + 1e-9), (run["run_id"], figure)
                assert middle <= high * (1 + 1e-9), (run["run_id"], figure)
                assert low * (1 - 1e-4) <= figures[figure] <= high * (1 + 1e-4), (run, figure)
                checked[high > low * (1 + 1e-9)] += 1
    assert checked[True] > 20
    assert checked[False] > 100


def test_a_step_inside_of_the_run_narrows_its_bounds(marts: Db, truth: dict[str, Truth]) -> None:
    """Its address spaces tell what they used in it, and before and after it."""
    run = truth["partial-intervals"]["runs"][1]
    low, middle, high = one_of(marts, run["run_id"], *names("general_purpose_seconds"))
    charged = 0.94 * run["figures"]["general_purpose_seconds"]  # of 0.5 s/s, 0.47 are charged
    idle = 0.1 * 0.5 * 300
    assert low == pytest.approx(charged, abs=0.5)  # type 30 has hundredths of seconds
    assert high == pytest.approx(300 + 0.06 * idle, abs=0.5)
    assert middle == pytest.approx(282 + 2 / 3 * 0.06 * (300 + idle), abs=0.5)


def test_statistics_of_an_interval_of_no_length_borrow_no_other_s(
    marts: Db, truth: dict[str, Truth]
) -> None:
    found = marts.execute(
        "SELECT count(*), sum(puts) FROM marts.fct_queue_manager_interval "
        "WHERE queue_manager = 'NOL1'"
    ).fetchone()
    durations = marts.execute(
        "SELECT sum(qmstput) FILTER (qwhsdurn > INTERVAL 0 SECOND), "
        "sum(qmstput) FILTER (qwhsdurn = INTERVAL 0 SECOND) FROM raw.smf115_qmst "
        "JOIN raw.smf115_qwhs USING (source_id, record_no) "
        "JOIN raw.smf115_header USING (source_id, record_no) WHERE sm115ssi = 'NOL1'"
    ).fetchone()
    assert durations
    assert found == (truth["empty-mq-interval"]["queue_manager_intervals"], durations[0])
    assert durations[1] > 0


def test_all_or_none_of_a_part_of_an_mq_interval_may_be_of_a_run(marts: Db) -> None:
    found = {
        name: rest
        for name, *rest in marts.execute(
            "SELECT metric, value_low, value, value_high, is_compared "
            "FROM marts.fct_measurement WHERE run_id = 'hlf-1'"
        ).fetchall()
    }
    [(written,)] = marts.execute(
        "SELECT sum(bytes_written) FROM marts.fct_log_write_interval "
        "JOIN marts.fct_run AS run USING (origin) WHERE run_id = 'hlf-1' AND system_id = 'HLF1' "
        "AND interval_start_utc < stop_utc AND interval_end_utc > run.start_utc",
    ).fetchall()
    assert found["log_physical_bytes"] == [0, pytest.approx(written / 6), written, False]
    low, middle, high, is_compared = found["cpu_per_put"]
    assert (low, is_compared) == (0, False)
    assert high > middle > 0
    assert found["cpu_seconds"][0] is None
    assert found["cpu_seconds"][3]


def test_a_figure_whose_own_bounds_are_too_wide_is_not_compared(
    marts: Db, truth: dict[str, Truth]
) -> None:
    compared = dict(
        marts.execute(
            "SELECT metric, is_compared FROM marts.fct_measurement WHERE run_id = 'prt-2'"
        ).fetchall()
    )
    assert compared["rate"]  # nothing of it is apportioned
    for metric, figure in {
        "cost_per_GB": "cost_per_GB",
        "cost_per_GB_after_offload": "cost_per_GB_after_offload",
        "ziip_eligible_seconds": "eligible_seconds",
        "general_purpose_seconds": "general_purpose_seconds",
    }.items():
        low, middle, high = one_of(marts, "prt-2", *names(figure))
        assert compared[metric] == ((high - low) / middle <= 0.12), metric
    assert {compared["cost_per_GB"], compared["cost_per_GB_after_offload"]} == {True, False}
    ((low, high),) = marts.execute(
        "SELECT value_low, value_high FROM marts.fct_measurement "
        "WHERE run_id = 'prt-2' AND metric = 'cost_per_GB'"
    ).fetchall()
    assert low < truth["partial-intervals"]["runs"][1]["figures"]["cost_per_GB"] < high


def test_what_is_missing_makes_its_own_figures_unknown_and_sums_with_them(marts: Db) -> None:
    def known(mart: str, run: str, key: str) -> dict[str, bool]:
        return dict(
            marts.execute(
                f"SELECT {key}, cpu_seconds IS NOT NULL FROM marts.{mart} WHERE run_id = $1", [run]
            ).fetchall()
        )

    others = dict.fromkeys(("SYSTEM", "SYSSTC", "STCMQ"), True)
    whole = others | {"STCMFT": True, "uncaptured": True}
    for run, classes in {
        "lst-0": whole,
        "lst-1": others | {"STCMFT": False, "uncaptured": False},
        "lst-2": others | {"STCMFT": False, "uncaptured": False},
        "lst-3": whole,
    }.items():
        assert known("fct_run_class", run, "service_class") == classes, run
        spaces = known("fct_run_address_space", run, "address_space")
        assert spaces.pop("AGENT1") == (run != "lst-3"), run
        assert all(spaces.values()), run
        rest = marts.execute(
            "SELECT DISTINCT part FROM marts.fct_run_part WHERE run_id = $1 "
            "AND part LIKE '%not charged to address spaces'",
            [run],
        ).fetchall()
        unknown = "unknown, or " if run == "lst-3" else ""
        assert rest == [(f"{unknown}not charged to address spaces",)]


def test_runs_say_what_is_wrong_with_them_and_nothing_else(
    marts: Db, truth: dict[str, Truth]
) -> None:
    shown = {
        row[0]: row[1:]
        for row in marts.execute(
            "SELECT run_id, issue_kinds, is_compared, len(issues) FROM marts.fct_run_total "
            "WHERE origin = 'simulated'",
        ).fetchall()
    }
    refused = {
        run for (run,) in marts.execute("SELECT run_id FROM marts.fct_run_refused").fetchall()
    }
    runs = [run for case in truth.values() for run in case["runs"]]
    assert {run["run_id"] for run in runs if run["is_refused"]} == refused
    kept = [run for run in runs if not run["is_refused"]]
    assert shown.keys() == {run["run_id"] for run in kept}
    # of intervals of two lengths the longer is used, and this run is a third of it
    more = {"ovl-2": {"bounds_too_wide"}}
    # the first of two runs at the same time may have done the work of the second
    more |= {run["run_id"]: {"overlapping_runs"} for run in truth["two-campaigns"]["runs"]}
    different = {
        run["run_id"]: (run["issues"], *shown[run["run_id"]])
        for run in kept
        if (set(run["issues"]) | more.get(run["run_id"], set()), run["is_compared"])
        != (set(shown[run["run_id"]][0]), shown[run["run_id"]][1])
    }
    assert different == {}
    assert all(bool(kinds) == (count > 0) for kinds, _, count in shown.values())


def test_issues_of_runs_are_among_the_findings(marts: Db, truth: dict[str, Truth]) -> None:
    found = marts.execute("SELECT kind, run_id FROM marts.fct_data_issue").fetchall()
    about = {(kind, run) for kind, run in found if run}
    expected = {
        (finding["kind"], finding["run_id"])
        for case in truth.values()
        for finding in case["findings"]
        if finding["kind"] in ABOUT_RUNS
    }
    assert expected <= about
    assert any(kind == "overlapping_runs" for kind, _ in about)


def test_parts_of_runs_add_up_to_their_totals(marts: Db) -> None:
    for mart, measures in {
        "fct_run_system": ["cpu_seconds", "eligible_seconds", "ziips_needed", "cost_per_GB"],
        "fct_run_class": ["cpu_seconds", "eligible_seconds", "ziips_needed", "cost_per_GB"],
    }.items():
        sums = ", ".join(f"sum(part.{name})" for name in measures)
        wholes = ", ".join(f"any_value(total.{name})" for name in measures)
        rows = marts.execute(
            f"SELECT run_id, [{sums}], [{wholes}] "
            f"FROM marts.fct_run_total AS total JOIN marts.{mart} AS part USING (origin, run_id) "
            "WHERE total.is_compared GROUP BY run_id",
        ).fetchall()
        assert len(rows) > 20
        assert all(parts == pytest.approx(total, rel=1e-9) for _, parts, total in rows), mart


def test_each_system_of_a_run_has_its_own_figures(marts: Db, truth: dict[str, Truth]) -> None:
    checked = 0
    for case in truth.values():
        for run in case["runs"]:
            for system in run.get("by_system", []):
                names = [n for n in ("cpu_seconds", "eligible_seconds", "ziips_needed")
                         if n in run["exact"] and run["is_compared"]]  # fmt: skip
                if names:
                    shown = marts.execute(
                        f"SELECT {', '.join(names)}, ziip_factor FROM marts.fct_run_system "
                        "WHERE run_id = $1 AND sysplex = $2 AND system_id = $3",
                        [run["run_id"], system["sysplex"], system["system_id"]],
                    ).fetchall()
                    told = [system[name] for name in (*names, "ziip_factor")]
                    assert shown == [pytest.approx(told, rel=1e-4)], run["run_id"]
                    checked += 1
    assert checked > 25
