"""Document 004: the figures for which there is a prediction, one run or pair of runs for each.

    lspr        work of low, average and high Relative Nest Intensity on 3, 16 and 32 processors
    peak        as many messages of 2 KB as a queue manager of each machine can put and get
    structure   messages of 1 to 63 KB that fill a structure of 4 GB
    keys        request and reply of 32 KB with TLS 1.2, with and without a new secret key per MB
    start       channels with TLS 1.2 that are started one after the other

Gains, peaks, capacities, and costs of keys and starts are those of `predict`. The document has no
rates and costs of z15 to which they relate: those are invented.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.predict import predict
from models_sim.simulator.campaigns.scenarios.definition import (
    Outputs,
    Scenario,
    noise_of,
    with_labels,
)
from models_sim.simulator.campaigns.site import (
    SOURCE,
    TARGET,
    address_space,
    card_requests,
    manager,
)
from models_sim.simulator.outputs import tools

__all__ = ["CIPHERS", "CLASSES", "CPUS", "MACHINES", "SCENARIO", "SIZES"]

MACHINES = ("z15", "z16")
CLASSES, CPUS = ("low", "average", "high"), (3, 16, 32)
_PEAKS = {"z13": 32, "z14": 32, "z15": 32, "z16": 28}  # processors by machine
SIZES = (1164, 2048, 4096, 8192, 16_384, 32_768, 64_512)  # bytes of messages in the structure
CIPHERS = ("TLS_RSA_WITH_AES_256_CBC_SHA256", "TLS_RSA_WITH_AES_128_GCM_SHA256",
           "ECDHE_RSA_AES_256_CBC_SHA384", "ECDHE_ECDSA_AES_256_CBC_SHA384")  # fmt: skip
_STARTED = (CIPHERS[0], *CIPHERS[2:])
_SECONDS, _USED = 48.0, 0.8  # of a run, and of the processors in use
_EACH = 2  # messages of a transaction at the peak
_KEY_BYTES, _REQUEST = 1 << 20, 32 * 1024
_KEYS_EACH = 2 * _REQUEST / _KEY_BYTES  # a request on one channel and a reply on another
#: CPU microseconds of a transaction on z15 by class of work; of a put into the structure; and of a
#: request, with requests per second: invented.
_COST_US = {"low": 40.0, "average": 90.0, "high": 260.0}
_PUT_US, _PUTS, _REQUEST_US, _REQUESTS = 34.0, 4000.0, 500.0, 1500.0
#: Requests to coprocessor and accelerator per new key or start; only TLS_ ciphers use the latter
#: (document 004, section 4). Their numbers for RSA are invented.
_CALLS = {"RSA": (1, 1), "ECDHE": (3, 0)}
_INITIATOR = {"CHIN": 1.0}
_CHANNEL = {"CHIN": 0.55, "MSTR": 0.15, "TCPIP": 0.15, "application": 0.15}  # invented
_LOCAL = {"MSTR": 0.06, "application": 0.94}  # invented
_STARTS = {"z13": datetime(2026, 1, 6, 14), "z14": datetime(2026, 1, 8, 14),
           "z15": datetime(2026, 2, 23, 14), "z16": datetime(2026, 3, 9, 14)}  # fmt: skip


def _runs(_: np.random.Generator) -> pl.DataFrame:
    rows = [*_lspr(), *_peaks(), *_structure(), *_keys(), *_starts()]
    runs = with_labels(pl.DataFrame(rows, infer_schema_length=None), mq_level="9.3.0")
    number = pl.col("cpus").rank("dense").cast(pl.Int64) - 1
    return runs.with_columns(
        document=pl.lit("004"),
        repetition=1,
        counted=True,
        label_machine=pl.col("machine"),
        # The number of an LPAR's processors changes only between days.
        session=pl.col("machine").replace_strict(_STARTS) + number * timedelta(days=1),
    ).sort("session", maintain_order=True)


def _predicted(metric: str, **factors: Any) -> dict[tuple[Any, ...], float]:
    """Return the predictions of a metric for all combinations of levels, in the order given."""
    keys = list(product(*factors.values()))
    cells = pl.DataFrame(keys, schema=list(factors), orient="row")
    cells = cells.with_columns(document=pl.lit("004"), metric=pl.lit(metric))
    return dict(zip(keys, predict(normalise(cells))["predicted"], strict=True))


def _run(
    machine: str, cpus: int, rate: float, cost_us: float, places: dict[str, float],
    systems: tuple[str, ...] = (SOURCE,), **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """Return a run of so many transactions a second; address spaces and systems share the cost."""
    transactions = round(more.pop("count", rate * _SECONDS))
    jobs = [(system, address_space(space, system), part) for system in systems
            for space, part in places.items()]  # fmt: skip
    spent = cost_us * transactions / 1e6 / len(systems)
    return {
        "machine": machine,
        "cpus": cpus,
        "transactions": transactions,
        "seconds": transactions / rate,
        "spent": [{"system": system, "job": job, "seconds": part * spent, "eligible": 0.0}
                  for system, job, part in jobs],
        "scope_spaces": [job for _, job, _ in jobs],
        **more,
    }  # fmt: skip


def _lspr() -> list[dict[str, Any]]:
    gains = _predicted("expected_improvement", table_id=["lspr"], machine=["z16"],
                       compared_with=["z15"], rni=CLASSES, cpus=CPUS)  # fmt: skip
    return [
        _run(machine, cpus, _USED * cpus * 1e6 / cost, cost, _LOCAL, rni=rni, tasks=3,
             message_size_bytes=2048)
        for machine in MACHINES
        for (*_, rni, cpus), gain in gains.items()
        for cost in [_COST_US[rni] / (1 + gain / 100 if machine == "z16" else 1)]
    ]  # fmt: skip


def _peaks() -> list[dict[str, Any]]:
    """Return runs at the peak of a machine, with its processors in use."""
    peaks = _predicted("peak_messages", table_id=["peak"], message_size_bytes=[2048],
                       machine=_PEAKS)  # fmt: skip
    return [
        _run(machine, _PEAKS[machine], rate, _USED * _PEAKS[machine] * 1e6 / rate, _LOCAL,
             tasks=_PEAKS[machine], message_size_bytes=2048, x_persistent="N", x_syncpoint="N",
             each=_EACH, measured=[{"metric": "messages", "unit": "messages",
                                    "value": float(_EACH * round(rate * _SECONDS))}])
        for (*_, machine), millions in peaks.items()
        for rate in [millions * 1e6 / _EACH]
    ]  # fmt: skip


def _structure() -> list[dict[str, Any]]:
    room = _predicted("messages_in_4GB_structure", table_id=["cf-capacity"], machine=["z16"],
                      message_size_bytes=SIZES)  # fmt: skip
    return [
        _run("z16", 8, _PUTS, _PUT_US, _LOCAL, count=count, tasks=4, message_size_bytes=size,
             queue="Shared", fills=True, x_queue_managers="1")
        for (*_, size), count in room.items()
    ]  # fmt: skip


def _keys() -> list[dict[str, Any]]:
    costs = _predicted("secret_key_negotiation_cost", machine=MACHINES, cipher=CIPHERS)
    rows = []
    for (machine, cipher), key_ms in costs.items():
        common = {"systems": (SOURCE, TARGET), "cipher": cipher, "streams": True,
                  "message_size_bytes": _REQUEST, "x_transaction": "request/reply"}  # fmt: skip
        rows.append(_run(machine, 3, _REQUESTS, _REQUEST_US, _CHANNEL, x_new_keys="N", **common))
        negotiating = 1000 * _KEYS_EACH * key_ms
        shares = {space: part * _REQUEST_US for space, part in _CHANNEL.items()}
        shares["CHIN"] += negotiating
        whole = _REQUEST_US + negotiating
        run = _run(machine, 3, _REQUESTS, whole, {p: us / whole for p, us in shares.items()},
                   x_new_keys="1MB", **common)  # fmt: skip
        requests = _requests(cipher, round(run["transactions"] * _KEYS_EACH))
        rows.append(run | {"crypto": requests})
    return rows


def _starts() -> list[dict[str, Any]]:
    """Return runs that start channels; a transaction is a channel."""
    levels = {"machine": MACHINES, "cipher": _STARTED}
    rates, costs = (_predicted(m, **levels) for m in ("channels_started", "start_cost"))
    rows = []
    for (machine, cipher), rate in rates.items():
        run = _run(machine, 3, rate, 1000 * costs[machine, cipher], _INITIATOR, (SOURCE, TARGET),
                   cipher=cipher, x_transaction="channel start")  # fmt: skip
        count = run["transactions"]
        rows.append(run | {"clients": count, "crypto": _requests(cipher, count)})
    return rows


def _requests(cipher: str, count: int) -> list[dict[str, Any]]:
    kind = "ECDHE" if cipher.startswith("ECDHE") else "RSA"
    return card_requests(*(calls * count for calls in _CALLS[kind]))


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return DISPLAY CHSTATUS of the channels of requests and replies, with their new keys."""
    keys, cipher, count = run.select("x_new_keys", "cipher", "transactions").row(0)
    if keys is None:
        return {}
    resets = 0 if keys == "N" else count * _REQUEST // _KEY_BYTES
    waits = noise_of(run).uniform(1500, 2600, 2)  # on the transmission queue: invented
    common = {"CONNAME": "192.0.2.40", "STATUS": "RUNNING", "RQMNAME": manager(TARGET),
              "MONCHL": "HIGH", "SSLCIPH": cipher, "SSLRKEYS": resets, "MSGS": count,
              "XQTIME": ",".join(f"{us:.0f}" for us in waits)}  # fmt: skip
    channels = [
        {"CHSTATUS": f"{manager(near)}.TO.{manager(far)}", "CHLTYPE": kind, **common}
        for kind, near, far in (("SDR", SOURCE, TARGET), ("RCVR", TARGET, SOURCE))
    ]
    return {"chstatus.txt": tools.channel_status(f"!{manager(SOURCE)}", channels)}


SCENARIO = Scenario(
    "z16-figures",
    "document 004: peaks, a full structure, TLS keys and channel starts, LSPR, as predicted",
    _STARTS["z15"],
    _runs,
    _outputs,
)
