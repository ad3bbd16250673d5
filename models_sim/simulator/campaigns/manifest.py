"""The manifest of a campaign: what each run was, when it ran and on what, but no results."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import polars as pl

from models_sim.simulator.campaigns.plan import FACTORS
from models_sim.simulator.campaigns.site import SITE, SOURCE, TARGET, agent, manager

__all__ = ["manifest"]

_ON_LINUX = {"xLinux", "Linux", None}  # None: a driver's run, whose scenario names the spaces


def manifest(runs: pl.DataFrame) -> bytes:
    """Return the manifest in JSON of runs with the columns of a plan; each run is a line."""
    written = ",\n    ".join(json.dumps(_run(run)) for run in runs.iter_rows(named=True))
    return f'{{\n  "perfhouse_manifest": 1,\n  "run": [\n    {written}\n  ]\n}}\n'.encode()


def _run(run: dict[str, Any]) -> dict[str, Any]:
    start = _moment(run["start"] + SITE.offset) + f"{SITE.local_hours:+03d}:00"
    given = {name: value for name, value in run.items() if value is not None}
    measured = [*_transactions(run), *(run.get("measured") or ())]
    return {
        **{name: run[name] for name in ("run_id", "campaign", "repetition")},
        "start": start,
        "stop": _moment(run["stop"]) + "Z",
        "factors": {n: v for n, v in given.items() if n in FACTORS or n.startswith("x_")},
        "labels": {n.removeprefix("label_"): v for n, v in given.items() if n.startswith("label_")},
        **({"scope": _scope(run)} if run["document"] != "002" else {}),
        **({"measurement": list(map(_measurement, measured))} if measured else {}),
    }


def _transactions(run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the transactions of a driven run, and the duration if their number was fixed."""
    if run["transactions"] is None:
        return []
    duration = {"metric": "transfer_time", "value": run["seconds"], "unit": "s"}
    transactions = {"metric": "transactions", "value": run["transactions"], "unit": "count"}
    return [transactions, duration] if run["counted"] else [transactions]


def _measurement(row: dict[str, Any]) -> dict[str, Any]:
    value = row["value"]
    given = {name: given for name, given in row.items() if given is not None}
    return given | {"value": int(value) if float(value).is_integer() else value}


def _scope(run: dict[str, Any]) -> dict[str, list[str]]:
    """Return the LPARs, address spaces and report classes of a run."""
    spaces = [
        space
        for system, side in ((SOURCE, "source"), (TARGET, "target"))
        if run[side] not in _ON_LINUX
        for space in (agent(system), f"{manager(system)}MSTR", f"{manager(system)}CHIN")
    ] + list(run.get("scope_spaces") or ())
    return {
        "lpars": [system.name for system in SITE.systems],
        **({"address_spaces": spaces} if spaces else {}),
        "report_classes": ["RMFT", "RMQ"],
    }


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
