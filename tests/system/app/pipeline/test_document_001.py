"""What document 001 (MQ with zCX) says, held by the marts of the scenarios that simulate it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.warehouses import SCENARIOS
from tests.system.app.pipeline.figures import Figures

#: Noise of a run, three standard deviations of a ratio of two; and what models explain of rates.
NOISE, MODEL = 0.05, 0.16
JOBS = {"MSTR": "MQA1MSTR", "CHIN": "MQA1CHIN", "TCPIP": "TCPIP", "Server": "PERFSRV1",
        "zCX": "ZCXGW1"}  # fmt: skip
#: CPU microseconds per transaction: directly, through zCX, and that after offload.
COSTS = {"MSTR": (5.2, 4.9, 4.9), "CHIN": (127.3, 48.2, 48.2), "TCPIP": (13.3, 22.3, 12.4),
         "Server": (34.5, 25.2, 25.2), "zCX": (0.0, 157.5, 0.9)}  # fmt: skip
STORAGE = "SELECT max({}) FROM marts.fct_channel_initiator_interval"
SMALL, LARGE, REQUEST = "10240", "1048576", "32768"


@pytest.fixture(scope="module")
def marts(campaigns: Path) -> Figures:
    return Figures(campaigns)


Statement = tuple[str, Callable[[Figures], float], float, float]


def near(value: float, part: float = NOISE, least: float = 0.0) -> tuple[float, float]:
    """Return the range of a printed figure."""
    width = max(abs(value) * part, least)
    return value - width, value + width


def clients(ways: dict[str, str | None]) -> dict[str, str | None]:
    return {"clients": "8000", "message_size_bytes": "4096"} | ways


DIRECT, THROUGH = clients({"connection": "direct"}), clients({"connection": "zCX", "ziips": "0"})


def table() -> list[Statement]:
    """Return the table of costs with 8,000 clients; TCP/IP also does something on other LPARs."""
    rows: list[Statement] = []
    for space, printed in COSTS.items():
        for value, column, way in zip(
            printed,
            ("cost_per_transaction", "cost_per_transaction",
             "cost_per_transaction_after_offload"),
            (DIRECT, THROUGH, THROUGH), strict=True,
        ):  # fmt: skip
            job = JOBS[space]
            rows.append((
                f"3: {space} {value}",
                lambda m, c=column, j=job, w=way: m.space(c, j, "zcx", **w),
                *near(value, 0.03, 1.0 if space == "TCPIP" else 0.6),
            ))  # fmt: skip
    return rows


def totals() -> list[Statement]:
    """Return the row TOTAL: the workload, which includes what TCP/IP does anyway."""
    cost = "cost_per_transaction_of_workload"
    printed = ((180.3, cost, DIRECT), (257.8, cost, THROUGH),
               (91.6, f"{cost}_after_offload", THROUGH))  # fmt: skip
    return [
        (f"3: TOTAL {value}", lambda m, c=column, w=way: m.of(c, "zcx", **w), *near(value, 0.03))
        for value, column, way in printed
    ]


def responses() -> list[Statement]:
    """Return the table of ioping; the model explains its figures to within 9 %."""
    printed = {"Y": (173, 259, 875), "N": (215, 343, 1100)}
    sizes = ("4KB", "32KB", "256KB")
    return [
        (f"3: {size}, zHPF={zhpf}",
         lambda m, s=size, z=zhpf: m.of(f"response_time_{s}", "zcx", connection="zCX", zhpf=z),
         *near(value, 0.12))
        for zhpf, row in printed.items()
        for size, value in zip(sizes, row, strict=True)
    ]  # fmt: skip


def tier(m: Figures, tiers: int, size: int, clients: int, persistent: str) -> float:
    return m.of("transactions_per_second", "zcx-tiers", tiers=str(tiers), clients=str(clients),
                message_size_bytes=str(size * 1024), persistent=persistent)  # fmt: skip


def growth(tiers: int, size: int) -> Callable[[Figures], float]:
    """Return the gain from 8 to 40 clients with persistent messages of `size` KB."""
    return lambda m: tier(m, tiers, size, 40, "Y") / tier(m, tiers, size, 8, "Y")


def over(size: int, clients: int, persistent: str) -> Callable[[Figures], float]:
    """Return three tiers relative to two."""
    return lambda m: tier(m, 3, size, clients, persistent) / tier(m, 2, size, clients, persistent)


def stream(m: Figures, path: str, protocol: str, size: str, **more: str | None) -> float:
    """Return MB per second of a stream."""
    factors = {"workload": None, "compressible": None} | more
    return m.of("transactions_per_second", "zcx-wan", path=path, protocol=protocol,
                message_size_bytes=size, **factors) * int(size) / 2**20  # fmt: skip


def gain(path: str, size: str) -> Callable[[Figures], float]:
    """Return fasp relative to TCP/IP."""
    return lambda m: stream(m, path, "FASP", size) / stream(m, path, "TCP", size)


def requests(m: Figures, path: str, protocol: str, size: str = REQUEST, batch: str | None = None
             ) -> float:  # fmt: skip
    return m.of("transactions_per_second", "zcx-wan", path=path, protocol=protocol,
                workload="request/reply", message_size_bytes=size,
                batch=batch or "as achieved")  # fmt: skip


def asked(path: str, size: str = REQUEST) -> Callable[[Figures], float]:
    return lambda m: requests(m, path, "FASP", size) / requests(m, path, "TCP", size)


def cost(m: Figures, path: str, protocol: str, column: str, **more: str | None) -> float:
    return m.of(f"cost_per_transaction_of_workload{column}", "zcx-wan", path=path,
                protocol=protocol, **more)  # fmt: skip


def nettimes() -> list[Statement]:
    """Return the table of NETTIME: its ranges, which rounding to a millisecond may widen."""
    printed = {"N0": ((1, 1), (5, 6)), "N1": ((10, 10), (16, 18)), "N2": ((50, 50), (54, 58)),
               "N3": ((80, 100), (90, 97)), "N4": ((120, 180), (110, 130))}  # fmt: skip
    made: list[Statement] = []
    for path, pair in printed.items():
        for protocol, (low, high) in zip(("TCP", "FASP"), pair, strict=True):
            factors = {"path": path, "protocol": protocol, "workload": None, "compressible": None}
            for place in ("CHSTATUS", "type 116"):

                def value(m: Figures, f=factors, p=place) -> float:
                    if p == "CHSTATUS":
                        return m.of("NETTIME", "zcx-wan", **f)
                    return m.interval(
                        "SELECT avg(nettime_average_us) / 1000 FROM marts.fct_channel_interval",
                        "zcx-wan", **f,
                    )  # fmt: skip

                made.append((f"5: NETTIME {path} {protocol} in {place}", value,
                             low - 0.5, high + 0.5))  # fmt: skip
    return made


STATEMENTS: list[Statement] = [
    *table(),
    *totals(),
    ("3: 99 % of zCX is eligible", lambda m: m.space("ziip_share", "ZCXGW1", "zcx",
     **THROUGH), 98.5, 99.6),
    ("3: active channels", lambda m: m.interval(STORAGE.format("active_channels"), "zcx", **DIRECT),
     8000, 8000),
    ("3: a record of accounting for each client", lambda m: m.interval(
        "SELECT count(*) FROM (SELECT * FROM marts.fct_channel_interval "
        "WHERE channel_type = 'Server connection' AND messages > 0)", "zcx", **DIRECT),
     8000, 8000),
    ("3: two channels from the concentrator", lambda m: m.interval(
        STORAGE.format("current_channels"), "zcx", **THROUGH), 2, 2),
    *responses(),
    *((f"3: {what} {value}", lambda m, w=what: m.of(f"amqsrua_log_{w}", "zcx", zhpf="Y",
       message_size_bytes="32768"), *near(value))
      for what, value in (("physical_bytes", 703_823_872), ("physical_rate", 35_840_850),
                          ("logical_bytes", 659_445_800), ("write_latency", 700))),
    ("3: log logical rate", lambda m: m.of("amqsrua_log_logical_rate", "zcx", zhpf="Y",
     message_size_bytes="32768"), *near(33_580_984)),
    ("3: log write size", lambda m: m.of("amqsrua_log_write_size", "zcx", zhpf="Y",
     message_size_bytes="32768"), 34_716, 34_716),
    ("3: without zHPF, the log is slower", lambda m: m.of(
        "amqsrua_log_logical_rate", "zcx", zhpf="N")
     / m.of("amqsrua_log_logical_rate", "zcx", zhpf="Y"), 0.7, 0.85),
    ("3: 1 KB, two tiers fall behind from 16 clients", over(1, 16, "N"), 1.02, 9),
    ("3: 1 KB, but not with fewer", over(1, 8, "N"), 0.5, 1.02),
    ("3: 1 KB, 48 clients", over(1, 48, "N"), 1.3, 9),
    ("3: 32 KB, the same in both", over(32, 40, "N"), *near(1)),
    ("3: 64 KB, the same in both", over(64, 40, "N"), *near(1)),
    ("3: persistent 1 KB, three tiers are slower", over(1, 40, "Y"), 0.1, 0.9),
    ("3: persistent 1 KB grows beyond 40 clients",
     lambda m: tier(m, 3, 1, 48, "Y") / tier(m, 3, 1, 40, "Y"), 1.02, 1.3),
    ("3: persistent 32 KB, three tiers grow", growth(3, 32), 1.05, 9),
    ("3: persistent 64 KB, three tiers grow", growth(3, 64), 1.05, 9),
    ("3: persistent 32 KB, two tiers shrink", growth(2, 32), 0.1, 0.97),
    ("3: persistent 64 KB, two tiers shrink", growth(2, 64), 0.1, 0.97),
    ("4: 50,000 messages deep", lambda m: m.of("queue_depth", "zcx-cluster", connection="z/OS",
     workload="load"), 50_000, 50_000),
    ("4: 500,000 in zCX", lambda m: m.of("queue_depth", "zcx-cluster", connection="zCX",
     workload="load"), 500_000, 1e9),
    ("5: 1 MB, N3, 22.4 times", gain("N3", LARGE), *near(22.4, MODEL)),
    ("5: 1 MB, N4, 72.25 times", gain("N4", LARGE), *near(72.25, MODEL)),
    ("5: 10 KB is slower over fasp on N0", gain("N0", SMALL), 0.3, 0.9),
    ("5: 1 MB over TCP, N4", lambda m: stream(m, "N4", "TCP", LARGE), *near(0.81, MODEL)),
    ("5: more than 98 % of zCX is eligible", lambda m: m.space("ziip_share", "ZCXGW1",
     "zcx-wan", path="N3", protocol="FASP", message_size_bytes=LARGE), 98, 100),
    ("5: with zIIPs 1 MB over N3 costs less than over TCP", lambda m: cost(m, "N3", "FASP",
     "_after_offload", message_size_bytes=LARGE) / cost(m, "N3", "TCP", "",
     message_size_bytes=LARGE), 0.1, 0.9),
    *nettimes(),
    ("5: parity on N2", asked("N2"), *near(1, 0.15)),
    ("5: parity on N3", asked("N3"), *near(1, 0.15)),
    ("5: also in type 116", lambda m: m.interval(
        "SELECT max(compression_percent) FROM marts.fct_channel_interval", "zcx-wan",
        compressible="90"), 90, 90),
    ("C: 19,284 KB in use", lambda m: m.of("csm_in_use", "zcx-wan", protocol="FASP", path="N0",
     message_size_bytes=LARGE), 19_284, 19_284),
    ("C: of 240 MB fixed", lambda m: m.of("csm_fixed_max", "zcx-wan", protocol="FASP", path="N0",
     message_size_bytes=LARGE), 240, 240),
    ("C: 42,537 KB now", lambda m: m.of("csm_fixed_current", "zcx-wan", protocol="FASP", path="N0",
     message_size_bytes=LARGE), 42_537, 42_537),
    ("E: swap in use", lambda m: m.of("host_swap_used", "zcx", **THROUGH), 53, 53),
    ("E: 3.7 GB in use", lambda m: m.of("host_memory_used", "zcx", **THROUGH) / 1024, 3.4, 4.0),
    ("E: 3.1 GB available", lambda m: m.of("host_memory_available", "zcx", **THROUGH) / 1024,
     2.8, 3.4),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "value", "low", "high"), STATEMENTS, ids=[s[0] for s in STATEMENTS]
)
def test_the_marts_hold_what_the_document_says(
    marts: Figures, what: str, value: Callable[[Figures], float], low: float, high: float
) -> None:
    assert low - 1e-9 <= value(marts) <= high + 1e-9, what


def test_the_limit_of_csm_storage_shows_in_syslog(marts: Figures) -> None:
    """Appendix C: the level is constrained, relieved, and a channel could not send."""
    told = marts.db.sql(
        "SELECT message_id FROM raw.bench_syslog_message JOIN raw.ledger USING (source_id) "
        "WHERE path LIKE '%/zcx-wan/%' AND message_id NOT IN "
        "('IVT5536I', 'IVT5538I', 'IVT5541I', 'IVT5594I') ORDER BY record_no"
    ).fetchall()
    assert told == [("IVT5592I",), ("IVT5565I",), ("CSQX206E",)]


def test_no_other_run_of_a_document_is_flagged(marts: Figures) -> None:
    flagged = marts.db.execute(
        "SELECT campaign, issue_kinds, is_compared FROM marts.fct_run WHERE len(issue_kinds) > 0 "
        "AND list_contains($1, campaign)",
        [SCENARIOS],
    ).fetchall()
    assert flagged == [("zcx-wan", ["csm_shortage"], False)]
    errors = marts.db.execute(
        "SELECT expectation FROM meta.expectation_result WHERE NOT passed "
        "AND severity <> 'warning' AND list_contains($1, split_part(expectation, ':', 1))",
        [SCENARIOS],
    ).fetchall()
    assert errors == [("zcx-wan: data",)]


def test_claims_hold_on_the_runs(marts: Figures) -> None:
    """The model of streams is off by up to 12 % over 50 ms and by a third over N2 (anomaly 30).

    CSM's limit of 86 % was reached in a run that is left out of comparisons.
    """
    assert marts.claims("001") == (56, {100, 107, 108, 110, 115, 118, 119})
