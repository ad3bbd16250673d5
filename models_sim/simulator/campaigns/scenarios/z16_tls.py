"""Document 004, sections 3 and 4: channels protected with TLS, on z15 and on z16.

    rekey      request and reply of 32 KB with TLS 1.2; a new secret key every 1 MB of a channel
    steady     the same without new keys, with TLS 1.2 and TLS 1.3
    start      channels started one after the other, 4,000 pairs in SYSTEM.CHANNEL.SYNCQ

The CPU time of a new key, rates and costs of starting channels, and the changes from z15 to z16
come from the document or, where it has none, from `predict`. Levels of rate and cost are invented.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.predict import predict
from models_sim.simulator.campaigns.scenarios.definition import Outputs, Scenario, labelled
from models_sim.simulator.campaigns.site import SOURCE, TARGET, driver, manager

__all__ = ["CALLS", "MACHINES", "SCENARIO", "STARTED", "TLS12", "TLS13"]

MACHINES = ("z15", "z16")
TLS12 = ("TLS_RSA_WITH_AES_256_CBC_SHA256", "TLS_RSA_WITH_AES_128_GCM_SHA256",
         "ECDHE_RSA_AES_256_CBC_SHA384", "ECDHE_ECDSA_AES_256_CBC_SHA384")  # fmt: skip
TLS13 = ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256")
#: The ciphers with which starting a channel was measured, and one of TLS 1.3.
STARTED = (TLS12[0], *TLS12[2:], TLS13[2])
_MESSAGE, _KEY_BYTES, _SECONDS, _CPUS = 32 * 1024, 1 << 20, 48.0, 3
#: On z15: transactions per second and CPU microseconds of one without new keys; new keys make it
#: slower by that factor. Invented.
_RATE, _STEADY_US, _REKEY_RATE = 1500.0, 500.0, {"RSA": 0.93, "ECDHE": 0.80}
#: z16 over z15. Rates with new keys, and the whole cost with new keys (document 004, section 4);
#: what this leaves for the cost without them is near 1, as the document says.
_REKEY_FASTER, _REKEY_COST = {"RSA": 1.03, "ECDHE": 1.05}, {"RSA": 0.935, "ECDHE": 0.938}
_FASTER = {TLS12[0]: 1.05, TLS12[1]: 1.04, TLS12[2]: 1.03, TLS12[3]: 1.04,
           TLS13[0]: 1.10, TLS13[1]: 1.10, TLS13[2]: 1.05}  # fmt: skip
_TLS13_COST = {TLS13[0]: 0.88, TLS13[1]: 0.86, TLS13[2]: 0.91}  # "up to 14 %" lower
#: Requests to coprocessor and accelerator per new key or started channel. ECDHE_ECDSA and CHACHA20
#: are stated, and that only TLS_ ciphers use the accelerator; the others are invented.
CALLS = {TLS12[0]: (1, 1), TLS12[1]: (1, 1), TLS12[2]: (3, 0), TLS12[3]: (3, 0),
         TLS13[0]: (1, 2), TLS13[1]: (1, 2), TLS13[2]: (1, 2)}  # fmt: skip
#: Microseconds of a request: the same with Crypto Express 7S and 8S (section 3); the figures are
#: invented.
_COPROCESSOR_US, _ACCELERATOR_US = 430.0, 92.0
_PLACES = {"CHIN": 0.55, "MSTR": 0.15, "TCPIP": 0.15, "application": 0.15}  # invented
_START, _LATER = datetime(2026, 3, 30, 14), datetime(2026, 4, 6, 14)


def _runs(_: np.random.Generator) -> pl.DataFrame:
    keys, costs, rates = (_predicted(metric, ciphers) for metric, ciphers in (
        ("secret_key_negotiation_cost", TLS12), ("start_cost", STARTED),
        ("channels_started", STARTED)))  # fmt: skip
    rows = []
    for machine in MACHINES:
        rows += [_rekey(machine, cipher, keys) for cipher in TLS12]
        rows += [_steady(machine, cipher, keys) for cipher in TLS12 + TLS13]
        rows += [_started(machine, cipher, rates[machine, cipher], costs[machine, cipher])
                 for cipher in STARTED]  # fmt: skip
    runs = labelled(pl.DataFrame(rows, infer_schema_length=None), mq_level="9.3.0")
    return runs.with_columns(
        document=pl.lit("004"),
        label_machine=pl.col("machine"),
        cpus=_CPUS,
        repetition=1,
        counted=True,
        session=pl.when(pl.col("machine") == "z15").then(_START).otherwise(_LATER),
    )


def _predicted(metric: str, ciphers: tuple[str, ...]) -> dict[tuple[str, str], float]:
    keys = [(machine, cipher) for machine in MACHINES for cipher in ciphers]
    cells = pl.DataFrame(keys, schema=["machine", "cipher"], orient="row")
    cells = cells.with_columns(document=pl.lit("004"), metric=pl.lit(metric))
    return dict(zip(keys, predict(normalise(cells))["predicted"], strict=True))


def _kind(cipher: str) -> str:
    return "ECDHE" if cipher.startswith("ECDHE") else "RSA"


_KEYS_EACH = 2 * _MESSAGE / _KEY_BYTES  # a request on one channel and a reply on another


def _steady_us(machine: str, cipher: str, keys: dict[tuple[str, str], float]) -> float:
    """Return CPU microseconds of a transaction without new keys."""
    if machine == "z15":
        return _STEADY_US
    if cipher in _TLS13_COST:
        return _STEADY_US * _TLS13_COST[cipher]
    alike = [c for c in TLS12 if _kind(c) == _kind(cipher)]
    old, new = (1000 * _KEYS_EACH * sum(keys[m, c] for c in alike) / len(alike) for m in MACHINES)
    return (_STEADY_US + old) * _REKEY_COST[_kind(cipher)] - new


def _steady(machine: str, cipher: str, keys: dict[tuple[str, str], float]) -> dict[str, Any]:
    rate = _RATE * (_FASTER[cipher] if machine == "z16" else 1.0)
    spent = _shared(_steady_us(machine, cipher, keys))
    return _run(machine, cipher, "request/reply", rate, spent) | {
        "streams": True,
        "message_size_bytes": _MESSAGE,
        "x_new_keys": "N",
    }


def _rekey(machine: str, cipher: str, keys: dict[tuple[str, str], float]) -> dict[str, Any]:
    kind = _kind(cipher)
    rate = _RATE * _REKEY_RATE[kind] * (_REKEY_FASTER[kind] if machine == "z16" else 1.0)
    spent = _shared(_steady_us(machine, cipher, keys))
    spent["CHIN"] += 1000 * _KEYS_EACH * keys[machine, cipher]
    made = _run(machine, cipher, "request/reply", rate, spent)
    negotiated = round(made["transactions"] * _KEYS_EACH)
    return made | {
        "streams": True,
        "message_size_bytes": _MESSAGE,
        "x_new_keys": "1MB",
        "crypto": _requests(cipher, negotiated),
    }


def _started(machine: str, cipher: str, per_second: float, cost_ms: float) -> dict[str, Any]:
    """Return a run that starts channels; a transaction is a channel."""
    made = _run(machine, cipher, "channel start", per_second, {"CHIN": 1000 * cost_ms})
    count = made["transactions"]
    return made | {
        "clients": count,
        "crypto": _requests(cipher, count),
    }


def _shared(cost: float) -> dict[str, float]:
    return {place: cost * part for place, part in _PLACES.items()}


def _requests(cipher: str, count: int) -> list[dict[str, Any]]:
    """Return the requests to the cards; two coprocessors share theirs."""
    coprocessor, accelerator = (calls * count for calls in CALLS[cipher])
    first = coprocessor // 2
    asked = [(1, "all", first, _COPROCESSOR_US), (2, "all", coprocessor - first, _COPROCESSOR_US),
             (0, "rsa_2048_me", accelerator, _ACCELERATOR_US)]  # fmt: skip
    return [{"card": card, "operation": operation, "number": number, "us": us}
            for card, operation, number, us in asked]  # fmt: skip


def _run(
    machine: str, cipher: str, work: str, per_second: float, us: dict[str, float]
) -> dict[str, Any]:
    """Return a run of transactions with these CPU microseconds, half of them at each end."""
    transactions = round(per_second * _SECONDS)
    spent = [
        {"system": system, "job": _job(place, system), "seconds": each * transactions / 2e6,
         "eligible": 0.0}
        for system in (SOURCE, TARGET)
        for place, each in us.items()
    ]  # fmt: skip
    return {
        "machine": machine,
        "cipher": cipher,
        "x_transaction": work,
        "transactions": transactions,
        "seconds": transactions / per_second,
        "spent": spent,
        "scope_spaces": [_job(place, system) for system in (SOURCE, TARGET) for place in _PLACES],
        "crypto": [],
    }


def _job(place: str, system: str) -> str:
    named = {"application": driver(system), "TCPIP": "TCPIP"}
    return named.get(place, f"{manager(system)}{place}")


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return DISPLAY CHSTATUS of requests and replies; channels that are started have none."""
    cipher, work, keys, count = run.select(
        "cipher", "x_transaction", "x_new_keys", "transactions"
    ).row(0)
    if work == "channel start":
        return {}
    resets = count * _MESSAGE // _KEY_BYTES if keys != "N" else 0
    both = (("SDR", SOURCE, TARGET), ("RCVR", TARGET, SOURCE))
    rows = [{
        "record_no": number, "queue_manager": f"!{manager(SOURCE)}", "channel_type": kind,
        "channel": f"{manager(near)}.TO.{manager(far)}", "connection_name": "192.0.2.40",
        "status": "RUNNING", "remote_queue_manager": manager(TARGET), "monitoring": "HIGH",
        "cipher": cipher, "key_resets": None if cipher in TLS13 else resets, "messages": count,
        "bytes_sent": count * _MESSAGE if kind == "SDR" else 0,
    } for number, (kind, near, far) in enumerate(both, start=1)]  # fmt: skip
    table = {"bench_mqsc_chstatus": pl.DataFrame(rows, infer_schema_length=None)}
    return {"chstatus.txt": ("mqsc_display", table)}


SCENARIO = Scenario(
    "z16-tls",
    "document 004: channels with TLS on z15 and z16, new keys, starts, cryptographic cards",
    _START,
    _runs,
    _outputs,
)
