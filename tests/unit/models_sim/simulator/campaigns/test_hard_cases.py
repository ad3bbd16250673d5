"""The hard cases: each is in its records, and its truth is what the records add up to.

What is expected here is worked out from the raw fields alone, by the formulas of the manuals.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import perfhouse
from models_sim.simulator.campaigns.hard_cases import CASES, write_cases
from models_sim.simulator.campaigns.hard_cases.impossible import FAULTS

MINUTE = timedelta(minutes=1)
CP, ZIIP = 1, 5  # numbers of the CPU identification sections


@cache
def made(name: str):
    return CASES[name].make(CASES[name].start, 1)


@cache
def decoded(name: str, file: str) -> dict[str, pl.DataFrame]:
    content = made(name).files[file]
    return perfhouse.decode(gzip.decompress(content) if file.endswith(".gz") else content)


def dumps(name: str) -> list[str]:
    return [file for file in made(name).files if "smf/" in file]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def seconds(column: str) -> pl.Expr:
    return pl.col(column).dt.total_microseconds() / 1e6


def intervals(tables: dict[str, pl.DataFrame], record: str) -> pl.DataFrame:
    """RMF's intervals by record: start and length, sysplex and system."""
    p = record[:5]
    start = pl.col(f"{p}dat").dt.combine(pl.col(f"{p}ist")) - pl.col(f"{p}lgo")
    return tables[f"{record}_product"].select(
        "record_no", start=start, length=seconds(f"{p}int"), sysplex=f"{p}xnm", system=f"{p}snm",
        own=f"{p}ptn", offset=f"{p}lgo",
    )  # fmt: skip


def partitions(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Logical processors of type 70 with the name and number of their partition."""
    owners = tables["smf70_1_prsm_partition"].select(
        "record_no", pl.struct("smf70lpm", "smf70lpn").repeat_by("smf70bdn").alias("owner")
    )
    owner = owners.explode("owner").filter(pl.col("owner").is_not_null())["owner"]
    logical = tables["smf70_1_prsm_logical_processor"]
    return logical.with_columns(owner.struct.unnest())


def dispatched(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """By interval, CPU seconds on CPs and on zIIPs: dispatched, or waited for if allocated."""
    spans = intervals(tables, "smf70_1")
    own = partitions(tables).join(spans, on="record_no").filter(pl.col("smf70lpn") == pl.col("own"))
    allocated = own.group_by("record_no").agg(
        allocated=(pl.col("smf70bps") == 0xFFFF).any() | pl.col("smf70wsa").any()
    )
    by_pr_sm = own.group_by("record_no", "smf70cix").agg(effective=seconds("smf70edt").sum())
    busy = (
        tables["smf70_1_cpu_data"]
        .join(spans, on="record_no")
        .group_by("record_no", "smf70typ")
        .agg(busy=(pl.col("length") - seconds("smf70wat") - seconds("smf70pat")).sum())
        .with_columns(smf70cix=pl.col("smf70typ").replace_strict({0: CP, 2: ZIIP}))
    )
    used = (
        by_pr_sm.join(busy, on=["record_no", "smf70cix"])
        .join(allocated, on="record_no")
        .with_columns(used=pl.when("allocated").then("busy").otherwise("effective"))
    )
    kinds = used.group_by("record_no").agg(
        cp=pl.col("used").filter(pl.col("smf70cix") == CP).sum(),
        ziip=pl.col("used").filter(pl.col("smf70cix") == ZIIP).sum(),
    )
    control = tables["smf70_1_cpu_control"].select(
        "record_no", capacity=pl.col("smf70cfs") / 1024, factor=pl.col("smf70nrm") / 256
    )
    return spans.join(kinds, on="record_no").join(control, on="record_no").sort("start")


def charged(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """By record of a service class: CPU seconds on CPs, on zIIPs, and eligible ones on CPs."""
    control = tables["smf72_3_workload_manager_control"].filter(~pl.col("r723mrcl"))
    unit = pl.col("r723madj") / 1600
    cpu, srb = unit / pl.col("r723mcpu"), unit / pl.col("r723msrb")
    factor = pl.col("r723nffs") / 256
    return (
        control.join(tables["smf72_3_service_report_class_period"], on="record_no")
        .join(intervals(tables, "smf72_3"), on="record_no")
        .select(
            "record_no", "start", "length", "sysplex", "system", "r723mcfs", "r723csup", "r723ccpu",
            "r723csrb", name="r723mcnm", factor=factor,
            cp=pl.col("r723ccpu") * cpu - pl.col("r723csup") * cpu * factor
            + pl.col("r723csrb") * srb + pl.col("r723ciit") / 1e6,
            ziip=pl.col("r723csup") * cpu,
            on_cp=pl.col("r723csuc") * cpu,
        )
    )  # fmt: skip


def within(frame: pl.DataFrame, start: datetime, stop: datetime) -> pl.DataFrame:
    """Intervals that overlap a period, with the share of each."""
    end = pl.col("start") + pl.duration(
        microseconds=(pl.col("length") * 1e6).round().cast(pl.Int64)
    )
    inside = pl.min_horizontal(end, pl.lit(stop)) - pl.max_horizontal("start", pl.lit(start))
    share = inside.dt.total_microseconds() / 1e6 / pl.col("length")
    return frame.with_columns(share=share).filter(pl.col("share") > 0)


def runs(name: str) -> list[dict]:
    return made(name).truth["runs"]


# Runs whose figures intervals do not tell by themselves.
UNTOLD = {
    "smt-3",
    "imp-6",
    "imp-8",
    "ipl-1",
    "ovl-1",
    "ovl-2",
    "sht-1",
    "prt-1",
    "prt-2",
    "prs-1",
    "sus-2",
    "out-5",  # an interval without the difference to UTC
}
WITHOUT_RMF = {"two-campaigns", "continued-tasks"}  # cases
WITHIN = {"prt-2"}  # nothing is wrong with it, and its bounds are narrow


@pytest.mark.parametrize("name", [name for name in CASES if name not in WITHOUT_RMF])
def test_truth_is_what_the_records_add_up_to(name) -> None:
    tables = [decoded(name, file) for file in dumps(name)]
    by_70 = pl.concat(dispatched(t) for t in tables if "smf70_1_product" in t)
    by_70 = by_70.unique(["sysplex", "system", "start", "length"])
    by_72 = pl.concat(charged(t) for t in tables if "smf72_3_workload_manager_control" in t)
    by_72 = by_72.unique(["sysplex", "system", "start", "length", "name"])
    compared = 0
    for run in runs(name):
        if run["run_id"] in UNTOLD:
            continue
        window = moment(run["start_utc"]), moment(run["stop_utc"])
        for one in run["by_system"]:
            mine = pl.col("system") == one["system_id"]
            plex = pl.col("sysplex") == one["sysplex"]
            used = within(by_70.filter(mine, plex), *window)
            if not used.height:
                assert run["issues"] == ["partner_not_loaded"]
                continue
            assert (used["length"] * used["share"]).sum() == pytest.approx(run["seconds"])
            capacity = pl.when(pl.col("capacity") > 0).then("capacity").otherwise(1.0)
            found = used.select(
                cp=(pl.col("cp") * pl.col("share")).sum(),
                ziip=(pl.col("ziip") * capacity * pl.col("share")).sum(),
                factor=pl.col("factor").first(),
            ).row(0, named=True)
            assert found["cp"] == pytest.approx(one["general_purpose_seconds"], rel=1e-6)
            assert found["ziip"] == pytest.approx(one["ziip_seconds"], rel=1e-5)
            assert found["factor"] == one["ziip_factor"]
            if "eligible_seconds" in run["exact"]:
                classes = within(by_72.filter(mine, plex), *window)
                whole = (pl.col("ziip") * pl.col("factor") + pl.col("on_cp")) * pl.col("share")
                eligible = classes.select(whole.sum()).item()
                assert eligible == pytest.approx(one["eligible_seconds"], rel=1e-6)
            compared += 1
    own_tests = {"doubled-rmf", "partial-intervals", "scattered-parts"}
    assert compared or name in own_tests


@pytest.mark.parametrize("name", CASES)
def test_figures_of_a_run_follow_from_its_systems(name) -> None:
    for run in runs(name):
        if run["exact"] == []:
            continue
        figures, systems = run["figures"], run["by_system"]
        for column in ("cpu_seconds", "general_purpose_seconds", "ziip_seconds",
                       "eligible_seconds", "ziips_needed"):  # fmt: skip
            assert figures[column] == pytest.approx(sum(one[column] for one in systems))
        gb = run["bytes"] / 2**30
        assert figures["cost_per_GB"] == pytest.approx(figures["cpu_seconds"] / gb)
        assert set(run["exact"]) <= set(figures) | {"cost_per_transaction_us"}
        assert run["is_compared"] == (not run["issues"])
        assert run["issues"] or run["run_id"] in WITHIN or set(figures) <= set(run["exact"])


@pytest.mark.parametrize("name", CASES)
def test_findings_name_fields_that_the_records_have(name) -> None:
    tables = [decoded(name, file) for file in dumps(name)]
    known = {column for t in tables for frame in t.values() for column in frame.columns}
    for found in made(name).truth.get("findings", []):
        assert set(found["fields"]) <= known
        assert moment(found["start_utc"]) < moment(found["end_utc"])
        assert found["run_id"] is None or found["run_id"] in {run["run_id"] for run in runs(name)}
    issues = {issue for run in runs(name) for issue in run["issues"]}
    said = {found["kind"] for found in made(name).truth.get("findings", [])}
    assert issues - said <= {"overlapping_runs", "not_covered", "bounds_too_wide"}


@pytest.mark.parametrize("name", CASES)
def test_manifest_declares_the_runs_of_the_truth(name) -> None:
    declared = {}
    for file in made(name).files:
        if file.endswith("manifest.json"):
            tables = decoded(name, file)
            assert not tables["quarantine"].height
            scope = tables.get("bench_run_scope", pl.DataFrame({"run_id": [], "kind": []}))
            for row in tables["bench_run"].iter_rows(named=True):
                lpars = scope.filter(pl.col("run_id") == row["run_id"], pl.col("kind") == "lpar")
                names = lpars["name"].to_list() if lpars.height else []
                declared[row["run_id"]] = (row["start_utc"], row["stop_utc"], sorted(names))
    expected = {
        r["run_id"]: (moment(r["start_utc"]), moment(r["stop_utc"]), sorted(r["lpars"]))
        for r in runs(name)
    }
    assert declared == expected


@pytest.mark.parametrize("name", CASES)
def test_records_are_whole(name) -> None:
    for file in dumps(name):
        assert not decoded(name, file)["quarantine"].height


def test_cases_have_days_or_systems_of_their_own() -> None:
    systems = Counter(
        (system, name)
        for name in CASES
        for run in runs(name)
        for system in {one["system_id"] for one in run.get("by_system", [])}
    )
    assert len({system for system, _ in systems}) == len(systems)
    days = [(moment(run["start_utc"]), moment(run["stop_utc"]), name)
            for name in CASES for run in runs(name)]  # fmt: skip
    for start, stop, name in days:
        assert not [n for a, b, n in days if n != name and a < stop and b > start]


# --- processors


def test_smt_ziips_are_counted_in_two_kinds_of_time() -> None:
    tables = decoded("smt-ziips", "smf/SMT1.smf")
    by_70 = dispatched(tables)
    by_72 = charged(tables).group_by("start").agg(pl.col("ziip").sum(), pl.col("r723mcfs").first())
    both = by_70.join(by_72.rename({"ziip": "charged"}), on="start").sort("start")
    ratio = (both["charged"] / both["ziip"]).to_list()
    assert ratio[0] == pytest.approx(0.97 * 1434 / 1024, rel=1e-4)
    assert 1.33 < ratio[0] < 1.4
    assert ratio[1] == pytest.approx(0.97)
    control = tables["smf70_1_cpu_control"].select("smf70mcfs", "smf70cfs", "smf70atds", "smf70hif")
    assert control.rows() == [
        (1495, 1434, 1843, False), (1495, 1024, 1024, False), (0, 0, 0, True),
    ]  # fmt: skip
    assert both["r723mcfs"].to_list() == [1495, 1495, 0]
    for core, row in zip(made("smt-ziips").truth["multithreading"], both.iter_rows(named=True),
                         strict=True):  # fmt: skip
        assert row["ziip"] == pytest.approx(core["core_seconds"], rel=1e-5)
        assert row["charged"] == pytest.approx(core["charged_one_thread_seconds"], rel=1e-5)


def test_smt_cores_have_a_section_and_two_cpus_each() -> None:
    tables = decoded("smt-ziips", "smf/SMT1.smf")
    first = pl.col("record_no") == tables["smf70_1_product"]["record_no"][0]
    cores = tables["smf70_1_logical_core_data"].filter(first)
    assert cores["smf70_cpu_num"].to_list() == [1, 1, 1, 2, 2]
    assert cores["smf70_cpu_skip"].to_list() == [0, 1, 2, 3, 5]
    cpus = tables["smf70_1_cpu_data"].filter(first)
    assert cpus["smf70cid"].to_list() == [0, 2, 4, 6, 7, 8, 9]
    threads = tables["smf70_1_prsm_partition"].filter(first).select("smf70lpm", "smf70mtid")
    assert dict(threads.iter_rows()) == {"SMT1": 1, "SMT2": 0, "PHYSICAL": 0}
    # Dispatched core seconds times threads active on average are the seconds that threads worked.
    own = partitions(tables).filter(first, pl.col("smf70lpm") == "SMT1", pl.col("smf70cix") == ZIIP)
    core, idle = own.select(seconds("smf70edt").sum(), seconds("smf70mtit").sum()).row(0)
    worked = cpus.filter(pl.col("smf70typ") == 2).select((900 - seconds("smf70wat")).sum()).item()
    assert worked == pytest.approx(core * 1843 / 1024, rel=1e-5)
    assert worked + idle == pytest.approx(2 * core, rel=1e-5)
    assert not decoded("smt-ziips", "smf/SMT2.smf").get("smf70_1_logical_core_data")


def test_allocated_lpars_are_dispatched_while_they_wait() -> None:
    truth = {(p["system_id"], p["start_utc"], p["processor_type"]): p
             for p in made("dedicated").truth["processors"]}  # fmt: skip
    for system, dedicated, waits in (("DED1", True, False), ("DED2", False, True),
                                     ("DED3", False, False)):  # fmt: skip
        tables = decoded("dedicated", f"smf/{system}.smf")
        spans = intervals(tables, "smf70_1")
        own = partitions(tables).filter(pl.col("smf70lpm") == system)
        assert set(own["smf70bps"] == 0xFFFF) == {dedicated}
        assert set(own["smf70wsa"]) == {waits}
        cpus = tables["smf70_1_cpu_data"].join(spans, on="record_no")
        for (start, kind), rows in cpus.group_by("start", "smf70typ"):
            told = truth[system, start.isoformat(), {0: "CP", 2: "zIIP"}[kind]]
            wait, parked = rows.select(seconds("smf70wat").sum(), seconds("smf70pat").sum()).row(0)
            assert wait == pytest.approx(told["wait_seconds"])
            assert parked == pytest.approx(told["parked_seconds"])
            assert 900 * rows.height - wait - parked == pytest.approx(told["busy_seconds"])
            edt = own.filter(
                pl.col("record_no") == rows["record_no"][0],
                pl.col("smf70cix") == {0: CP, 2: ZIIP}[kind],
            ).select(seconds("smf70edt").sum())
            assert edt.item() == pytest.approx(told["dispatched_seconds"])
            assert (edt.item() > 1.5 * told["busy_seconds"]) == (dedicated or waits)


def test_boosts_are_marked_and_move_or_shorten_work() -> None:
    flags = {}
    for system in ("BST1", "BST2"):
        tables = decoded("boosts", f"smf/{system}.smf")
        product = tables["smf70_1_product"].select("record_no", "smf70iip", "smf70eed", "smf70boo")
        own = tables["smf70_1_prsm_partition"].filter(pl.col("smf70lpm") == system)
        seen = own.select("record_no", "smf70_boostinfo_ziip", "smf70_boostinfo_speed")
        flags[system] = product.join(seen, on="record_no").drop("record_no").rows()
        spaces = tables["smf30_processor_accounting"]
        word = {"BST1": "ziip", "BST2": "speed"}[system]
        marked = spaces.group_by(f"smf30_{word}boost_active", "smf30_boostclass").len()
        assert sorted(marked.rows()) == [(False, 0, 5), (True, 1, 5), (True, 3, 5)]
        whole = tables["smf72_3_product"].select("smf72iip", "smf72eed").unique()
        assert whole.height == 2
    assert flags == {
        "BST1": [(False, False, 0, False, False), (True, False, 1, True, False),
                 (False, False, 0, True, False)],
        "BST2": [(False, False, 0, False, False), (False, True, 1, False, True),
                 (False, False, 0, False, True)],
    }  # fmt: skip
    ziip = charged(decoded("boosts", "smf/BST1.smf")).group_by("start").agg(
        pl.col("ziip").sum(), pl.col("on_cp").sum(), pl.col("factor").first()
    ).sort("start")  # fmt: skip
    eligible = (ziip["ziip"] * ziip["factor"] + ziip["on_cp"]).to_list()
    truth = {run["run_id"]: run["figures"]["eligible_seconds"] for run in runs("boosts")}
    assert eligible[0] == pytest.approx(truth["bst-1"])
    assert truth["bst-1"] == truth["bst-2"] == truth["bst-3"]
    assert eligible[1] > eligible[2] > 1.05 * truth["bst-1"]
    speed = dispatched(decoded("boosts", "smf/BST2.smf"))
    assert speed["cp"][1] == pytest.approx(speed["cp"][0] * 256 / 569)
    assert [round(256 * f) for f in speed["factor"]] == [569, 256, 569]


def test_ziip_factors_differ_and_one_is_only_in_type_70() -> None:
    factors = {
        system: decoded("ziip-factors", f"smf/{system}.smf")["smf70_1_cpu_control"]["smf70nrm"][0]
        for system in ("FAC1", "FAC2", "FAC3")
    }
    assert factors == {"FAC1": 256, "FAC2": 569, "FAC3": 569}
    assert "smf72_3_product" not in decoded("ziip-factors", "smf/FAC3.smf")
    for system in ("FAC1", "FAC2"):
        classes = decoded("ziip-factors", f"smf/{system}.smf")["smf72_3_workload_manager_control"]
        assert set(classes["r723nffs"]) == {factors[system]}
    figures = runs("ziip-factors")[0]["figures"]
    # Dividing by either factor alone is wrong.
    for factor in (1.0, 569 / 256):
        assert figures["ziips_needed"] != pytest.approx(
            figures["eligible_seconds"] / factor / 900, rel=0.1
        )


# --- scope


def test_twins_share_a_sysid_and_their_address_spaces() -> None:
    spaces = {}
    for sysplex in ("TWINA", "TWINB"):
        tables = decoded("one-sysid", f"smf/{sysplex}-TWIN.smf")
        assert set(tables["smf70_1_header"]["smf70sid"]) == {"TWIN"}
        assert set(tables["smf70_1_product"]["smf70xnm"]) == {sysplex}
        assert set(tables["smf30_subsystem"]["smf30syp"]) == {sysplex}
        key = ["smf30jbn", "smf30jnm", "smf30asi", "smf30iss", "smf30iet"]
        spaces[sysplex] = set(tables["smf30_identification"].select(key).iter_rows())
        kept = [i for i in made("one-sysid").truth["intervals"] if i["sysplex"] == sysplex]
        found = dispatched(tables).sort("start")
        # A start is in whole seconds.
        assert [t.isoformat() for t in found["start"]] == [i["start_utc"] for i in kept]
        cp = [i["general_purpose_seconds"] for i in kept]
        assert found["cp"].to_list() == pytest.approx(cp)
        assert {p for p in partitions(tables)["smf70lpm"] if p.startswith("TWIN")} == {
            kept[0]["partition"]
        }
    # Two of three intervals are the same to anyone who does not look at the sysplex.
    assert len(spaces["TWINA"] & spaces["TWINB"]) == 2 * 5
    starts = [i["start_utc"] for i in made("one-sysid").truth["intervals"]]
    apart = [moment(b) - moment(a) for a, b in zip(starts[:3], starts[3:], strict=True)]
    assert apart == [timedelta(), timedelta(seconds=3), timedelta()]


def test_partners_that_are_not_loaded_are_listed() -> None:
    assert dumps("absent-partners") == ["smf/PTN1.smf"]
    tables = decoded("absent-partners", "smf/PTN1.smf")
    first = pl.col("record_no") == tables["smf70_1_product"]["record_no"][0]
    listed = tables["smf70_1_prsm_partition"].filter(first)
    assert listed.select("smf70lpm", "smf70spn", "smf70stn", "smf70bdn").rows() == [
        ("PTN1", "PTNPLEX", "PTN1", 3), ("PTN2", "PTNPLEX", "PTN2", 3),
        ("OTHR", "OTHPLEX", "OTHR", 2), ("LNX1", "", "", 2), ("PHYSICAL", "", "", 10),
        ("PTN3", "PTNPLEX", "", 0),
    ]  # fmt: skip
    by_name = partitions(tables).filter(first).group_by("smf70lpm", "smf70cix").agg(
        seconds("smf70edt").sum()
    )  # fmt: skip
    absent = by_name.filter(pl.col("smf70lpm") == "PTN2", pl.col("smf70cix") == CP)
    told = made("absent-partners").truth["partners"][0]["general_purpose_seconds"]
    assert absent["smf70edt"].item() == pytest.approx(told)


def test_one_system_writes_no_type_30() -> None:
    assert "smf30_header" in decoded("missing-30", "smf/N301.smf")
    without = decoded("missing-30", "smf/N302.smf")
    assert not [table for table in without if table.startswith("smf30")]
    assert {"smf70_1_product", "smf72_3_product"} <= without.keys()


def test_two_campaigns_overlap_on_the_same_lpars() -> None:
    files = dumps("two-campaigns")
    assert len(files) == 6
    by_folder = {
        folder: pl.concat(intervals(decoded("two-campaigns", f), "smf70_1")
                          for f in files if f.startswith(folder))
        for folder in ("1-smoke", "2-mft-zos")
    }  # fmt: skip
    first, second = by_folder.values()
    assert set(first["system"]) == set(second["system"]) == {"MVS1", "MVS2", "MVS3"}
    assert not set(first["start"]) & set(second["start"])
    one, other = runs("two-campaigns")
    assert moment(one["start_utc"]) < moment(other["start_utc"]) < moment(one["stop_utc"])
    assert [one["is_refused"], other["is_refused"]] == [False, True]
    kinds = {table.split("_")[0] for table in decoded("two-campaigns", files[0])}
    assert {"smf30", "smf42", "smf70", "smf72", "smf74", "smf113", "smf115", "smf116"} <= kinds


# --- intervals


def test_intervals_of_two_lengths_cover_the_same_time() -> None:
    tables = decoded("doubled-rmf", "smf/OVL1.smf")
    for frame in (dispatched(tables), charged(tables).group_by("start", "length").agg(
            pl.col("cp", "ziip").sum())):  # fmt: skip
        lengths = frame.group_by("length").agg(pl.len(), pl.col("cp", "ziip").sum()).sort("length")
        assert lengths.select("length", "len").rows() == [(60, 30), (900, 2)]
        assert lengths["cp"][0] == pytest.approx(lengths["cp"][1])
        assert lengths["ziip"][0] == pytest.approx(lengths["ziip"][1])
    whole = dispatched(tables).filter(pl.col("length") == 900)
    told = runs("doubled-rmf")[0]["by_system"][0]["general_purpose_seconds"]
    assert whole["cp"][0] == pytest.approx(told)


def test_lpars_have_intervals_of_different_lengths() -> None:
    told = made("unequal-intervals").truth["sysplex"]
    frames = {s: dispatched(decoded("unequal-intervals", f"smf/{s}.smf")) for s in told["lengths"]}
    assert {s: set(f["length"]) for s, f in frames.items()} == {
        s: {length} for s, length in told["lengths"].items()
    }
    for half in told["half_hours"]:
        start = moment(half["start_utc"])
        found = [within(f, start, start + 30 * MINUTE) for f in frames.values()]
        cp = sum((f["cp"] * f["share"]).sum() for f in found)
        assert cp == pytest.approx(half["general_purpose_seconds"])


def test_a_run_is_shorter_than_half_its_interval() -> None:
    found = dispatched(decoded("short-runs", "smf/SHT1.smf"))
    assert set(found["length"]) == {900.0}
    seconds_of = [run["seconds"] for run in runs("short-runs")]
    assert seconds_of == [300, 600, 900]
    # What the run's share of the interval would be is far from what it used.
    estimate = within(found, *(moment(runs("short-runs")[0][k]) for k in ("start_utc", "stop_utc")))
    used = runs("short-runs")[0]["by_system"][0]["general_purpose_seconds"]
    assert (estimate["cp"] * estimate["share"]).sum() < 0.5 * used


def test_an_ipl_interrupts_a_run() -> None:
    tables = decoded("ipl", "smf/IPL1.smf")
    spans = dispatched(tables).join(
        tables["smf70_1_cpu_control"].select("record_no", "smf70_ipl_time"), on="record_no"
    )
    assert spans["smf70_ipl_time"].n_unique() == 2
    start = moment(runs("ipl")[0]["start_utc"])
    ends = [a + timedelta(seconds=n) for a, n in spans.select("start", "length").iter_rows()]
    gaps = [(a, b) for a, b in zip(ends, spans["start"][1:], strict=False) if b > a]
    assert gaps == [(start + 12 * MINUTE, start + 16.5 * MINUTE)]
    told = made("ipl").truth["coverage"][0]
    recorded = within(spans, start, start + 40 * MINUTE)
    covered = (recorded["length"] * recorded["share"]).sum()
    assert covered == pytest.approx(told["seconds"])
    assert told["share"] == pytest.approx(covered / 2400)
    counts = (
        tables["smf30_header"]
        .filter(pl.col("smf30stp") == 6)
        .select("record_no")
        .join(tables["smf30_identification"].select("record_no", "smf30iet"), on="record_no")
        .join(tables["smf30_processor_accounting"], on="record_no")
        .sort("smf30iet")
    )  # fmt: skip
    drops = (counts["smf30cpt"].diff() < timedelta()).sum()
    assert drops == 1


# --- clocks


def test_offsets_differ_between_systems() -> None:
    for told in made("other-offsets").truth["offsets"]:
        tables = decoded("other-offsets", f"smf/{told['system_id']}.smf")
        offset = timedelta(minutes=told["utc_offset_minutes"])
        spans = intervals(tables, "smf70_1")
        assert set(spans["offset"]) == {offset}
        start = CASES["other-offsets"].start
        assert spans["start"].to_list() == [start, start + 15 * MINUTE]
        mq = tables["smf115_header"].join(tables["smf115_qwhs"], on="record_no")
        local = mq.select(pl.col("sm115dte").dt.combine(pl.col("sm115tme"))).to_series()
        late = (local - mq["qwhsstck"] - offset).dt.total_milliseconds().abs()
        assert late.max() < 5000


def test_local_times_come_twice_when_the_clocks_go_back() -> None:
    tables = decoded("dst-night", "smf/DST1.smf")
    spans = intervals(tables, "smf70_1").with_columns(local=pl.col("start") + pl.col("offset"))
    assert spans["start"].n_unique() == 8
    assert spans["local"].n_unique() == 4
    for told in made("dst-night").truth["offsets"]:
        inside = spans.filter(
            pl.col("start") >= moment(told["start_utc"]), pl.col("start") < moment(told["end_utc"])
        )
        assert set(inside["offset"]) == {timedelta(minutes=told["utc_offset_minutes"])}
    mq = tables["smf115_header"].join(tables["smf115_qwhs"], on="record_no")
    local = mq.select(pl.col("sm115dte").dt.combine(pl.col("sm115tme"))).to_series()
    hours = ((local - mq["qwhsstck"]).dt.total_seconds() / 3600).round()
    before = mq["qwhsstck"] < CASES["dst-night"].start
    assert set(hours.filter(before)) == {-4}
    assert set(hours.filter(~before)) == {-5}


def test_intervals_span_midnight() -> None:
    tables = decoded("midnight", "smf/MID1.smf")
    spans = intervals(tables, "smf70_1").sort("start")
    ends = spans["start"] + timedelta(minutes=20)
    assert set(spans["length"]) == {1200}
    assert (spans["start"].dt.date() < ends.dt.date()).to_list() == [True, False]
    local = spans["start"] + spans["offset"]
    assert (local.dt.date() < (ends + spans["offset"]).dt.date()).to_list() == [False, True]
    assert {"smf115_qwhs", "smf116_qwhs"} <= tables.keys()


# --- volume


def types(tables: dict[str, pl.DataFrame]) -> Counter[str]:
    """How many records there are of each type; all subtypes of a type have a header table."""
    counted: Counter[str] = Counter()
    for table, frame in tables.items():
        if table.endswith("_header"):
            counted[table.removeprefix("smf").split("_")[0]] += frame.height
    return counted


def test_dumps_overlap() -> None:
    truth = made("overlapping-dumps").truth
    first, second = (decoded("overlapping-dumps", f) for f in dumps("overlapping-dumps"))
    total = types(first) + types(second)
    for kind, number in truth["records"].items():
        assert total[kind] == number + truth["copies"].get(kind, 0)
    assert sum(truth["copies"].values()) == pytest.approx(sum(truth["records"].values()) / 3, abs=1)


def test_records_are_in_no_order() -> None:
    tables = decoded("shuffled", "smf/SHF1.smf")
    assert types(tables) == made("shuffled").truth["records"]
    starts = intervals(tables, "smf70_1").sort("record_no")["start"]
    assert starts.n_unique() == 6
    assert not starts.is_sorted()


def test_a_transfer_has_very_many_files() -> None:
    tables = decoded("many-files", "mft/transfer.xml.gz")
    files = tables["bench_mft_item"]
    assert files.height == files["source"].n_unique() == 70_000
    (run,) = runs("many-files")
    assert files["source_bytes"].sum() == run["bytes"]
    assert run["files"] == files.height
    assert tables["bench_mft_transfer"]["action"].to_list() == ["started", "completed"]


def test_an_address_space_has_very_many_intervals() -> None:
    tables = decoded("many-intervals", "smf/JOB1.smf.gz")
    (told,) = made("many-intervals").truth["address_spaces"]
    agent = tables["smf30_identification"].filter(pl.col("smf30jbn") == told["address_space"])
    assert agent.height == told["intervals"] == 5040
    assert (agent["smf30iet"] - agent["smf30iss"]).unique().to_list() == [MINUTE]
    used = agent.join(tables["smf30_processor_accounting"], on="record_no").select(
        (seconds("smf30cpt") + seconds("smf30cps") + seconds("smf30iip")).sum(),
        seconds("smf30_time_on_ziip").sum(),
    )
    # Each kind is truncated to hundredths.
    assert used.row(0)[0] == pytest.approx(told["general_purpose_seconds"], abs=0.03 * 5040)
    assert used.row(0)[1] == pytest.approx(told["ziip_seconds"], abs=0.01 * 5040)


# --- what cannot be

INTERVAL = 300.0


def test_the_parts_of_a_record_are_in_two_dumps() -> None:
    second, first = (decoded("scattered-parts", f"smf/{n}.smf") for n in (0, 1))
    assert second["smf72_3_reassembly"]["smf72rsq"].to_list() == [2]
    assert first["smf72_3_reassembly"]["smf72rsq"].to_list() == [1]
    assert "smf72_3_workload_manager_control" not in second
    classes = [*charged(first)["name"].to_list(), "STCMFT"]
    assert Counter(classes) == dict.fromkeys(("SYSTEM", "SYSSTC", "STCMQ", "STCMFT"), 3)


def test_impossible_data_are_in_the_records() -> None:
    tables = decoded("impossible", "smf/IMP1.smf")
    start = CASES["impossible"].start
    classes, by_70 = charged(tables), dispatched(tables)

    def run(number: int) -> datetime:
        return start + 10 * number * MINUTE

    def of(frame: pl.DataFrame, number: int, **values: object) -> pl.DataFrame:
        return frame.filter(pl.col("start") == run(number), **values)

    agent = {"name": "STCMFT"}
    assert of(classes, 0, **agent)["cp"].item() > 0
    assert of(classes, 1, **agent)["cp"].item() < 0
    assert of(classes, 2, **agent)["r723csrb"].item() < 0
    assert (classes["r723csrb"] < 0).sum() == 1
    spaces = tables["smf30_identification"].join(
        tables["smf30_processor_accounting"], on="record_no"
    )
    too_long = spaces.filter(seconds("smf30cpt") > 2 * INTERVAL)
    assert too_long.select("smf30jbn", "smf30iss").rows() == [("AGENT1", run(3))]
    cpus = tables["smf70_1_cpu_data"].join(by_70.select("record_no", "start"), on="record_no")
    waited = cpus.filter(seconds("smf70wat") > INTERVAL)
    assert waited.select("start", "smf70typ").rows() == [(run(4), 0)] * 2
    sums = classes.group_by("start").agg(pl.col("cp", "ziip").sum())
    both = by_70.join(sums, on="start", suffix="_charged")
    more = both.filter(pl.col("cp_charged") > pl.col("cp"))
    assert more["start"].to_list() == [run(5)]
    assert (more["ziip_charged"] > more["ziip"]).all()
    dispatch = partitions(tables).join(by_70.select("record_no", "start"), on="record_no")
    over = dispatch.filter(pl.col("smf70edt") > pl.col("smf70ont"), pl.col("smf70lpm") == "IMP1")
    assert over.select("start", "smf70cix").rows() == [(run(6), CP)] * 2
    backwards = spaces.filter(pl.col("smf30iet") < pl.col("smf30iss"))
    assert backwards.select("smf30jbn", "smf30iss").rows() == [("AGENT1", run(7))]
    end = pl.col("start") + pl.duration(seconds=300)
    overlap = by_70.sort("start").filter(end > pl.col("start").shift(-1))
    assert overlap["start"].to_list() == [run(8), run(8) + 3 * MINUTE]
    assert len(runs("impossible")) == len(FAULTS) + 1


def test_faults_of_address_spaces_leave_the_run_right() -> None:
    by_name = {run["run_id"]: run for run in runs("impossible")}
    assert [name for name, run in by_name.items() if not run["issues"]] == [
        "imp-0", "imp-3", "imp-4", "imp-7",
    ]  # fmt: skip


# --- the folder


def test_cases_are_written_with_their_truth_beside_their_files(tmp_path: Path) -> None:
    paths = write_cases(tmp_path / "made", 1, ["missing-30"])
    names = {path.relative_to(tmp_path / "made").as_posix() for path in paths}
    assert names == {
        "missing-30/truth.json", "missing-30/files/ORIGIN", "missing-30/files/manifest.json",
        "missing-30/files/smf/N301.smf", "missing-30/files/smf/N302.smf",
    }  # fmt: skip
    truth = json.loads((tmp_path / "made" / "missing-30" / "truth.json").read_text())
    assert truth["case"] == "missing-30"
    assert truth["runs"][0]["issues"] == ["no_type_30"]


def test_bytes_depend_only_on_the_seed() -> None:
    case = CASES["absent-partners"]
    again, other = (case.make(case.start, seed) for seed in (1, 2))
    assert again == made("absent-partners")
    assert other.truth == again.truth
    assert other.files != again.files


def test_cases_are_small() -> None:
    assert max(sum(map(len, made(name).files.values())) for name in CASES) < 1_200_000


def test_documentation_lists_every_case() -> None:
    text = Path("docs/scenarios.md").read_text()
    assert [name for name in CASES if f"| `{name}` |" not in text] == []
