"""Document 004: the same work on z15 and on z16, with and without protection by AMS."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.predict import predict
from models_sim.simulator.campaigns.scenarios.definition import Outputs, Scenario, with_labels
from models_sim.simulator.campaigns.site import SOURCE, address_space, card_requests
from models_sim.simulator.outputs import tools

__all__ = ["SCENARIO"]

SIZES = {"Small": 2048, "Medium": 65_536, "Large": 4_194_304}  # bytes: document 004, section 4
POLICIES = ("N", "Integrity", "Privacy", "Confidentiality")
MACHINES = ("z15", "z16")
_CPUS, _TASKS, _REPETITIONS = 3, 3, 3
_SECONDS = 48.0  # makes each window a minute
#: On z15: CPU microseconds per transaction (a put and a get), per message and per KB; transactions
#: per second of 2 KB. Invented, because the document gives only changes.
_BASE_US, _KB_US, _RATE = 60.0, 0.09, 2400.0
_POLICY_US = {"N": (0.0, 0.0), "Integrity": (310.0, 4.4), "Privacy": (640.0, 5.6),
              "Confidentiality": (90.0, 1.3)}  # fmt: skip
#: Requests per transaction to coprocessors and accelerator: signing and verifying two messages, and
#: giving the key of two messages to the recipient (document 004, section 4, which says which policy
#: relies on the cards; the numbers and times are invented). A key serves 32 messages.
_CALLS = {"N": (0.0, 0.0), "Integrity": (2.0, 2.0), "Privacy": (4.0, 4.0),
          "Confidentiality": (2.0 / 32, 2.0 / 32)}  # fmt: skip
_PLACES = (("MSTR", 0.25), ("AMSM", 0.0), ("application", 0.75))


def _runs(_: np.random.Generator) -> pl.DataFrame:
    gains = _gains()
    rows = [
        _run(machine, policy, row, size, repetition, gains)
        for machine in MACHINES
        for repetition in range(1, _REPETITIONS + 1)
        for policy in POLICIES
        for row, size in SIZES.items()
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return with_labels(frame, mq_level="9.3.0").with_columns(label_machine=pl.col("machine"))


def _gains() -> dict[tuple[str, int], tuple[float, float]]:
    """Return factors of cost and throughput of z16 over z15, by policy and size.

    Without a policy they are those of LSPR.
    """
    keys = [(policy, row) for policy in POLICIES[1:] for row in SIZES]
    cells = pl.DataFrame(keys, schema=["ams", "row_label"], orient="row").with_columns(
        document=pl.lit("004"),
        machine=pl.lit("z16"),
        compared_with=pl.lit("z15"),
        message_size_bytes=pl.col("row_label").replace_strict(SIZES),
    )
    both = [
        predict(normalise(cells.with_columns(metric=pl.lit(metric), table_id=pl.lit(table))))
        for metric, table in (("change_transaction_cost", "ams-cost"),
                              ("change_throughput", "ams-thr"))
    ]  # fmt: skip
    gains = {
        (policy, SIZES[row]): (1 + cost / 100, 1 + rate / 100)
        for (policy, row), cost, rate in zip(
            keys, both[0]["predicted"], both[1]["predicted"], strict=True
        )
    }
    lspr = predict(
        normalise(
            pl.DataFrame(
                {"document": ["004"], "table_id": ["lspr"], "machine": ["z16"],
                 "compared_with": ["z15"], "cpus": [_CPUS], "rni": ["average"],
                 "metric": ["expected_improvement"]}
            )
        )
    )["predicted"][0]  # fmt: skip
    return gains | {("N", size): (1 / (1 + lspr / 100), 1 + lspr / 100) for size in SIZES.values()}


def _run(
    machine: str,
    policy: str,
    row: str,
    size: int,
    repetition: int,
    gains: dict[tuple[str, int], tuple[float, float]],
) -> dict[str, Any]:
    each, by_kb = _POLICY_US[policy]
    plain = _BASE_US + _KB_US * size / 1024
    cost, rate = plain + each + by_kb * size / 1024, _RATE * plain / (plain + each)
    rate = min(rate, 0.7 * 1e6 / cost)  # at most 70 % of one processor
    if machine == "z16":
        cheaper, faster = gains[policy, size]
        cost, rate = cost * cheaper, rate * faster
    transactions = round(rate * _SECONDS)
    jobs = {place: address_space(place, SOURCE) for place, _ in _PLACES}
    return {
        "document": "004",
        "machine": machine,
        "ams": policy,
        "message_size_bytes": size,
        "x_messages": row,
        "transactions": transactions,
        "tasks": _TASKS,
        "seconds": _SECONDS,
        "crypto": _requests(policy, transactions),
        "spent": [
            {"system": SOURCE, "job": jobs[space], "seconds": part * cost * transactions / 1e6,
             "eligible": 0.0}
            for space, part in _PLACES
            if part
        ],
        "scope_spaces": list(jobs.values()),
        "repetition": repetition,
        "session": _START if machine == "z15" else _LATER,
    }  # fmt: skip


def _requests(policy: str, transactions: int) -> list[dict[str, Any]]:
    coprocessor, accelerator = (round(calls * transactions) for calls in _CALLS[policy])
    return card_requests(coprocessor, accelerator) if coprocessor else []


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return the Linux partner's log figures from amqsrua, for the run's last ten seconds."""
    end, count = run.select("end", "transactions").row(0)
    figures = {
        "bytes in use": (1.2e9, "", None),
        "physical bytes written": (count * 700.0, "", count * 70.0),
        "write latency": (700.0, " uSec", None),
    }
    return {"amqsrua.txt": tools.amqsrua_log(end, 10.0, figures)}


_START, _LATER = datetime(2026, 2, 9, 14), datetime(2026, 2, 16, 14)
SCENARIO = Scenario(
    "z16",
    "document 004: transactions on z15 and z16, with and without AMS",
    _START,
    _runs,
    _outputs,
)
