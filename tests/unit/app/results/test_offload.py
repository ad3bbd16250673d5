"""What zIIPs save, worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.results.offload import offloaded
from tests.kit.cases import cases

HOUR = 3600.0


@cases
def test_ten_hours_of_which_four_are_eligible(settings, moved_hours, busy, is_limited):
    day = offloaded(10 * HOUR, 4 * HOUR, **settings)
    assert day.moved == pytest.approx(moved_hours * HOUR)
    assert day.on_cps_after == pytest.approx((10 - moved_hours) * HOUR)
    assert day.ziips_busy == pytest.approx(busy)
    assert day.is_limited == is_limited


def test_capacity_and_price_follow_the_time_on_cps():
    seconds = offloaded(10 * HOUR, 4 * HOUR, ziips=1, cp_second=0.5)
    assert (seconds.price_before, seconds.price_after) == (5 * HOUR, 3 * HOUR)
    day = offloaded(10 * HOUR, 4 * HOUR, ziips=1, msu_per_cp=200, price=0.5)
    assert (day.msu_hours_before, day.msu_hours_after) == (2000, 1200)
    assert (day.price_before, day.price_after) == (1000, 600)


@given(
    cpu=st.floats(0, 1e6), part=st.floats(0, 1), ziips=st.floats(0, 50), share=st.floats(0, 1),
    factor=st.floats(0.5, 4), smt=st.floats(0.5, 2),
)  # fmt: skip
def test_more_ziips_never_cost_more_and_none_are_more_than_busy(
    cpu, part, ziips, share, factor, smt
):
    settings = {"share": share, "factor": factor, "capacity_factor": smt}
    day = offloaded(cpu, cpu * part, ziips=ziips, **settings)
    more = offloaded(cpu, cpu * part, ziips=ziips + 1, **settings)
    assert 0 <= more.on_cps_after <= day.on_cps_after <= cpu
    assert day.ziips_busy <= ziips * (1 + 1e-9)
    assert day.on_cps_after + day.moved == pytest.approx(cpu)
