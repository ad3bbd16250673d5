"""Hard cases of what a run may have used: one SYSID in two sysplexes, absent LPARs, two claims."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from models_sim.simulator.campaigns.campaign import Campaign, simulate
from models_sim.simulator.campaigns.files import contents
from models_sim.simulator.campaigns.hard_cases.case import (
    Made,
    Run,
    files_of,
    finding,
    manifest,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.records import (
    Change,
    Part,
    drop,
    dump,
    put,
    records_of,
)
from models_sim.simulator.campaigns.hard_cases.work import Lpar, Plex, busy, every
from models_sim.simulator.zos.profile import Partition

__all__ = ["absent_partners", "missing_30", "one_sysid", "two_campaigns"]

_QUARTER = timedelta(minutes=15)
_SECONDS = 900.0
_PARTITION = "smf70_1_prsm_partition"


def one_sysid(start: datetime, seed: int) -> Made:
    """Return two sysplexes with a system TWIN each, in equal intervals and 3 seconds apart."""
    first = Plex("TWINA", (Lpar("TWIN"),), serial="0D1A01")
    second = Plex("TWINB", (Lpar("TWIN"),), serial="0D1B02")
    names = {"TWINA": "TWINLPA", "TWINB": "TWINLPB"}  # of the partitions
    late = (timedelta(), timedelta(seconds=3), timedelta())
    begins = [start + 2 * number * _QUARTER for number in range(3)]
    files: dict[str, bytes] = {}
    for plex, level in ((first, 1.0), (second, 2.0)):
        renamed = put(_PARTITION, "TWIN", where=pl.col("smf70lpm") == "TWIN",
                      smf70lpm=names[plex.name])  # fmt: skip
        parts = []
        for begin, after in zip(begins, late, strict=True):
            at = begin + (after if plex is second else timedelta())
            work = busy(("TWIN", at, at + _QUARTER, level))
            parts.append(Part(plex, every(_SECONDS, at, 1, "TWIN"), work, changes=(renamed,)))
        files[f"smf/{plex.name}-TWIN.smf"] = dump(records_of(parts, seed)["TWIN"])
    issue = ("ambiguous_system",)
    mine = (share(first, "TWIN", _SECONDS),)
    runs = [
        Run("twin-1", begins[0], begins[0] + _QUARTER, ("TWIN",), mine, issue, ("rate",),
            "one-sysid", {"x_scope": "SYSID, equal starts"}),
        Run("twin-2", begins[1], begins[1] + _QUARTER, ("TWIN",), mine, issue, ("rate",),
            "one-sysid", {"x_scope": "SYSID, 3 s apart"}),
        Run("twin-3", begins[2], begins[2] + _QUARTER, ("TWINLPA",), mine, (), None,
            "one-sysid", {"x_scope": "partition"}),
    ]  # fmt: skip
    findings = [
        finding(
            issue[0], "TWIN", run.start, run.stop, "TWINA and TWINB both have a system TWIN",
            sysplex=None, run=run.name, fields=("smf70sid", "smf70xnm", "smf30sid", "smf30syp"),
            affects=("cpu_seconds", "eligible_seconds", "cost_per_GB"),
        )
        for run in runs[:2]
    ]  # fmt: skip
    kept = [
        {
            "sysplex": plex.name,
            "system_id": "TWIN",
            "partition": names[plex.name],
            "start_utc": (begin + (after if plex is second else timedelta())).isoformat(),
            "general_purpose_seconds": share(plex, "TWIN", level * _SECONDS).general_purpose,
            "agent_seconds": level * _SECONDS * 0.275,
        }
        for plex, level in ((first, 1.0), (second, 2.0))
        for begin, after in zip(begins, late, strict=True)
    ]
    files["manifest.json"] = manifest(runs)
    return Made(files, truth(runs, findings, intervals=kept))


def absent_partners(start: datetime, seed: int) -> Made:
    """Return one system of a sysplex of two; type 70 also lists partitions that are no partners."""
    others = (
        Partition("OTHR", 5, 2, 0, 200, 0.4),  # of another sysplex
        Partition("LNX1", 6, 2, 0, 200, 0.3),  # Linux: no cluster and no system name
    )
    plex = Plex("PTNPLEX", (Lpar("PTN1"), Lpar("PTN2")), others=others)
    end = start + 2 * _QUARTER
    work = busy(*((name, start, end, 1.0) for name in ("PTN1", "PTN2")))
    changes = (
        put(_PARTITION, "PTN1", where=pl.col("smf70lpm") == "OTHR", smf70spn="OTHPLEX",
            smf70stn="OTHR"),
        _inactive("PTN3", "PTNPLEX"),
    )  # fmt: skip
    parts = [Part(plex, every(_SECONDS, start, 2, "PTN1"), work, changes=changes)]
    both = [share(plex, name, _SECONDS) for name in ("PTN1", "PTN2")]
    middle = start + _QUARTER
    runs = [
        Run("ptn-1", start, middle, (), both, ("partner_not_loaded",), ("rate",),
            "absent-partners", {"x_scope": "none"}),
        Run("ptn-2", middle, end, ("PTN1",), both[:1], (), None, "absent-partners",
            {"x_scope": "PTN1"}),
    ]  # fmt: skip
    found = finding(
        "partner_not_loaded", "PTN2", start, middle,
        "PTN1 saw partition PTN2 of its cluster at work, and no records of PTN2 are loaded",
        sysplex=plex.name, run="ptn-1", fields=("smf70spn", "smf70stn", "smf70bdn", "smf70edt"),
        affects=("cpu_seconds", "eligible_seconds", "cost_per_GB"),
    )  # fmt: skip
    seen = {"partner": "PTN2", "general_purpose_seconds": both[1].general_purpose,
            "no_partners": ["OTHR", "LNX1", "PTN3"]}  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, [found], partners=[seen]))


def _inactive(name: str, cluster: str) -> Change:
    """Return the change that adds a deactivated partition, without processors, to each record."""

    def change(
        _type: int, _subtype: int, records: pl.DataFrame, tables: dict[str, pl.DataFrame]
    ) -> dict[str, pl.DataFrame]:
        if _PARTITION not in tables:
            return tables
        more = records.select("record_no", smf70lpm=pl.lit(name), smf70lpn=pl.lit(9),
                              smf70bdn=pl.lit(0), smf70spn=pl.lit(cluster))  # fmt: skip
        both = [tables[_PARTITION], more]
        return {**tables, _PARTITION: pl.concat(both, how="diagonal_relaxed")}

    return change


def missing_30(start: datetime, seed: int) -> Made:
    """Return two systems, one of which writes no records of type 30."""
    plex = Plex("N30PLEX", (Lpar("N301"), Lpar("N302")))
    names, end = ("N301", "N302"), start + _QUARTER
    work = busy(*((name, start, end, 1.0) for name in names))
    parts = [Part(plex, every(_SECONDS, start, 1, *names), work, changes=(drop(30, "N302"),))]
    run = Run("n30-1", start, end, names, [share(plex, n, _SECONDS) for n in names],
              ("no_type_30",), campaign="missing-30")  # fmt: skip
    found = finding(
        "no_type_30", "N302", start, end, "no records of address spaces", sysplex=plex.name,
        run=run.name, affects=("address spaces",),
    )  # fmt: skip
    return Made(files_of(parts, [run], seed), truth([run], [found]))


def two_campaigns(start: datetime, seed: int) -> Made:
    """Return two campaigns of all record types that had the same LPARs at the same time."""
    campaigns = [
        ("1-smoke", _at("smoke", start, seed)),
        # Half a minute later, so that runs and intervals overlap without being equal.
        ("2-mft-zos", _at("mft-zos", start + timedelta(seconds=30), seed)),
    ]
    files: dict[str, bytes] = {}
    runs: list[dict[str, Any]] = []
    for folder, campaign in campaigns:
        files |= {f"{folder}/{name}": made for name, made in contents(campaign) if name != "ORIGIN"}
        declared = json.loads(files[f"{folder}/manifest.json"])["run"]
        runs += [
            {
                "run_id": run["run_id"],
                "campaign": run["campaign"],
                "start_utc": row["start"].isoformat(),
                "stop_utc": row["stop"].isoformat(),
                "lpars": run["scope"]["lpars"],
                "issues": ["overlapping_intervals"] + ["overlapping_runs"] * folder.startswith("2"),
                "exact": [],
                "is_compared": False,
                "is_refused": folder.startswith("2"),
            }
            for run, row in zip(declared, campaign.runs.iter_rows(named=True), strict=True)
        ]
    end = max(stop for _, campaign in campaigns for stop in campaign.runs["stop"])
    findings = [
        finding("overlapping_intervals", name, start, end,
                "two sets of RMF intervals cover the same time, half a minute apart",
                sysplex="PERFPLEX", affects=("cpu_seconds", "cost_per_GB"))
        for name in ("MVS1", "MVS2", "MVS3")
    ]  # fmt: skip
    return Made(files, {"runs": runs, "findings": findings})


def _at(scenario: str, start: datetime, seed: int) -> Campaign:
    """Return the first run of a scenario as if it had begun at `start`."""
    from models_sim.simulator.campaigns.scenarios import SCENARIOS

    return simulate(scenario, seed, limit=1, later=start - SCENARIOS[scenario].start)
