"""What document 001 (MQ with zCX) says, held by the marts of the scenarios that simulate it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.cases import cases
from tests.kit.warehouses import SCENARIOS
from tests.system.app.pipeline.figures import Figures, interval, of, space  # noqa: F401 (cases)

#: Noise of a run, three standard deviations of a ratio of two; and what models explain of rates.
NOISE, MODEL = 0.05, 0.16
COST = "cost_per_transaction"
WORKLOAD = f"{COST}_of_workload"
STORAGE = "SELECT max({}) FROM marts.fct_channel_initiator_interval"
CLIENTS = (
    "SELECT count(*) FROM (SELECT * FROM marts.fct_channel_interval "
    "WHERE channel_type = 'Server connection' AND messages > 0)"
)
NETTIME = "SELECT avg(nettime_average_us) / 1000 FROM marts.fct_channel_interval"
SMALL, LARGE, REQUEST = "10240", "1048576", "32768"
FACTORS = {"clients": "8000", "message_size_bytes": "4096"}
DIRECT = FACTORS | {"connection": "direct"}
THROUGH = FACTORS | {"connection": "zCX", "ziips": "0"}
LOG = {"zhpf": "Y", "message_size_bytes": REQUEST}
STREAM = {"transaction": "one-way"}
CSM = {"protocol": "FASP", "path": "N0", "message_size_bytes": LARGE}

Figure = Callable[[Figures], float]


@pytest.fixture(scope="module")
def marts(campaigns: Path) -> Figures:
    return Figures(campaigns)


def near(value: float, part: float = NOISE, least: float = 0.0) -> tuple[float, float]:
    """Return the range of a printed figure."""
    width = max(abs(value) * part, least)
    return value - width, value + width


def ms(low: float, high: float) -> tuple[float, float]:
    """Return a printed range of milliseconds, which rounding may widen."""
    return low - 0.5, high + 0.5


def over(one: Figure, other: Figure) -> Figure:
    return lambda m: one(m) / other(m)


def stream(path: str, protocol: str, size: str) -> Figure:
    """Return MB per second of a stream."""
    rate = of("transactions_per_second", "zcx-wan", path=path, protocol=protocol,
              message_size_bytes=size, **STREAM)  # fmt: skip
    return lambda m: rate(m) * int(size) / 2**20


def gain(path: str, size: str) -> Figure:
    """Return fasp relative to TCP/IP."""
    return over(stream(path, "FASP", size), stream(path, "TCP", size))


@cases
def test_the_marts_hold_what_the_document_says(
    marts: Figures, value: Figure, bounds: tuple[float, float]
) -> None:
    """Numbers of cases are sections; TCP/IP also does something on other LPARs.

    The row TOTAL is the workload, which includes what TCP/IP does anyway. The model explains
    figures of ioping to within 9 %.
    """
    low, high = bounds
    assert low - 1e-9 <= value(marts) <= high + 1e-9


def test_no_run_of_a_document_is_flagged(marts: Figures) -> None:
    flagged = marts.db.execute(
        "SELECT campaign, issue_kinds, is_compared FROM marts.fct_run WHERE len(issue_kinds) > 0 "
        "AND list_contains($1, campaign)",
        [SCENARIOS],
    ).fetchall()
    assert flagged == []
    errors = marts.db.execute(
        "SELECT expectation FROM meta.expectation_result WHERE NOT passed "
        "AND severity <> 'warning' AND list_contains($1, split_part(expectation, ':', 1))",
        [SCENARIOS],
    ).fetchall()
    assert errors == []


def test_claims_hold_on_the_runs(marts: Figures) -> None:
    """The model of streams is off by up to 12 % over 50 ms and by a third over N2 (anomaly 30).

    CSM's limit of 86 % was reached in a run that is left out of comparisons.
    """
    assert marts.claims("001") == (33, {108, 110, 115, 118, 119, 141})
