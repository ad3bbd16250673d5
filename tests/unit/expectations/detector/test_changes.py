"""find_changes and find_changes_many: what they find, what they ignore, and any other input."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from expectations.detector import find_changes, find_changes_many
from tests.bench.detector import KINDS, noise, spiked, stepped
from tests.kit.cases import cases

NEAR = 5


def random(seed=7):
    return np.random.default_rng(seed)


def season(points, period, size):
    return size * np.sin(2 * np.pi * np.arange(points) / period)


# --- levels --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_noise_alone_is_no_change(kind):
    rows = 100 + 2 * noise(kind, 60, 200, random())
    assert sum(bool(find_changes(row).changes) for row in rows) <= 2
    assert not any(found.changes for found in find_changes_many(rows))


@pytest.mark.parametrize("kind", KINDS)
def test_step_of_2_5_sigma_is_located(kind):
    rows, places = stepped(kind, 5.0, 60, random())
    found = find_changes_many(rows)
    near = [
        any(abs(i - p) <= NEAR for i in of.indexes) for of, p in zip(found, places, strict=True)
    ]
    assert sum(near) >= 57
    assert sum(len(of.changes) for of in found) <= 62


def test_step_of_1_sigma_is_mostly_found():
    rows, places = stepped("Gaussian", 2.0, 60, random())
    found = [find_changes(row).indexes for row in rows]
    near = [any(abs(i - p) <= NEAR for i in of) for of, p in zip(found, places, strict=True)]
    assert sum(near) >= 36


@pytest.mark.parametrize("kind", KINDS)
def test_spikes_are_no_change(kind):
    assert not any(found.changes for found in find_changes_many(spiked(kind, 60, random())))


@pytest.mark.parametrize("place", [0, 1, 2, 99, 198, 199])
def test_single_spike_is_no_change(place):
    for values in (np.full(200, 7.0), noise("Gaussian", 1, 200, random())[0]):
        values[place] += 1000.0
        assert find_changes(values).indexes == []


@pytest.mark.parametrize("apart", [1, 3])
def test_spike_before_a_step_does_not_date_it(apart):
    rows = random(5).normal(100, 1, (60, 60))
    rows[:, 40:] += 6
    rows[:, 40 - apart] += 30
    found = [of.indexes for of in find_changes_many(rows)]
    # A spike beside the step can belong to either level.
    assert sum(of == [40] for of in found) >= 57


def test_shift_lies_within_its_interval():
    rows = random(5).normal(100, 1, (80, 60))
    rows[:, 40:] += 2.5
    found = [of.changes[0] for of in find_changes_many(rows) if of.changes]
    assert len(found) >= 78
    assert sum(c.earliest <= 40 <= c.latest for c in found) >= 0.92 * len(found)
    assert all(c.earliest <= c.index <= c.latest for c in found)
    assert sum(c.latest - c.earliest for c in found) < 3 * len(found)


def test_short_outage_has_two_ends():
    values = random().normal(100, 1, 200)
    values[80:88] -= 10
    assert find_changes(values).indexes == [80, 88]


def test_levels_are_in_the_unit_of_the_series():
    values = np.concatenate([random().normal(1000, 5, 100), random(8).normal(900, 5, 100)])
    change = find_changes(values).changes[0]
    assert (change.index, change.kind) == (100, "level")
    assert change.before == pytest.approx(values[:100].mean(), abs=1)
    assert change.after == pytest.approx(values[100:].mean(), abs=1)
    assert change.low < -100 < change.high
    assert change.high - change.low < 6
    assert change.effect == pytest.approx(20, rel=0.2)
    assert change.ratio == pytest.approx(0.9, abs=0.005)
    assert (change.runs_before, change.runs_after) == (100, 100)
    assert change.p_value < 1e-9


# --- other shapes --------------------------------------------------------------------------


def test_trend_is_no_staircase():
    assert find_changes(0.1 * np.arange(200) + random().normal(0, 1, 200)).indexes == []


def test_step_on_a_trend_is_one_level():
    values = 0.05 * np.arange(200) + random().normal(0, 1, 200)
    values[120:] += 6
    found = find_changes(values)
    assert found.shape == "lines"
    assert [c.kind for c in found.changes] == ["level"]
    assert abs(found.indexes[0] - 120) <= 2


def test_change_of_a_trend_is_a_slope():
    values = np.concatenate([np.zeros(100), 0.5 * np.arange(100)]) + random().normal(0, 1, 200)
    found = find_changes(values)
    assert [c.kind for c in found.changes] == ["slope"]
    assert abs(found.indexes[0] - 100) <= NEAR


def test_curve_has_no_corner():
    assert find_changes(np.linspace(0, 1, 100) ** 2).indexes == []


@cases
def test_season_is_removed(points, period):
    values = season(points, period, 3) + random().normal(0, 0.5, points)
    assert (find_changes(values).period, find_changes(values).indexes) == (period, [])
    values[points // 2 :] += 4
    assert find_changes(values).indexes == [points // 2]


def test_season_that_grows_with_the_level_is_removed():
    level = np.where(np.arange(180) < 110, 200, 120)
    values = level * (1 + season(180, 12, 0.3)) * np.exp(random().normal(0, 0.02, 180))
    assert find_changes(values).indexes == [110]


def test_random_walks_have_no_shifts_in_a_build():
    rows = np.cumsum(random().normal(size=(20, 200)), axis=1)
    assert sum(bool(found.changes) for found in find_changes_many(rows)) <= 1


def test_nile_flow_at_aswan_falls_in_1899():
    flow = Path(__file__).with_name("nile.txt").read_text()
    assert find_changes([float(v) for v in flow.partition("\n")[2].split()]).indexes == [28]


# --- any input -----------------------------------------------------------------------------


def test_missing_values_keep_the_index():
    values = np.repeat([100.0, 120.0], 50) + random().normal(0, 1, 100)
    values[[0, 3, 4, 5, 70]] = np.nan
    found = find_changes(values)
    assert (found.indexes, found.count, found.missing) == ([50], 95, 5)


@cases
def test_too_few_or_constant_points_have_no_change(values):
    assert find_changes(values).indexes == []


def test_integers_without_noise_have_exact_levels():
    assert find_changes(np.repeat([3, 7, 5], 50)).indexes == [50, 100]


def test_huge_offset_hides_nothing():
    values = np.repeat([0.0, 4.0], 100) + random().normal(0, 1, 200)
    assert find_changes(1e12 + values).indexes == find_changes(values).indexes == [100]


def test_ten_thousand_points_are_judged():
    values = np.repeat([0.0, 1.0], 5000) + random().normal(0, 1, 10_000)
    found = find_changes(values).indexes
    assert len(found) == 1
    assert abs(found[0] - 5000) <= NEAR


def test_infinite_value_is_rejected():
    with pytest.raises(ValueError, match="infinite"):
        find_changes([1.0, float("inf")])


def test_matrix_is_rejected():
    with pytest.raises(ValueError, match="one dimension"):
        find_changes([[1.0, 2.0]])


def test_input_is_not_modified():
    values = season(240, 12, 3) + random().normal(0, 0.5, 240)
    before = values.copy()
    find_changes(values)
    find_changes_many([values])
    assert np.array_equal(values, before)


NUMBERS = st.floats(-1e300, 1e300) | st.just(float("nan")) | st.integers(-3, 3).map(float)


@settings(max_examples=150)
@given(arrays.arrays(float, st.integers(0, 80), elements=NUMBERS))
def test_indexes_are_ordered_and_within_the_series(values):
    found = find_changes(values)
    assert found.indexes == sorted(set(found.indexes))
    assert all(0 < i < values.size and not np.isnan(values[i]) for i in found.indexes)
    assert found.count + found.missing == values.size


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([2.0**-30, 2.0**30]), st.sampled_from([1, -1]))
def test_unit_and_sign_do_not_matter(seed, unit, sign):
    values = np.repeat([100.0, 103.0], 40) + np.random.default_rng(seed).normal(0, 1, 80)
    assert find_changes(sign * unit * values).indexes == find_changes(values).indexes


# --- many series ---------------------------------------------------------------------------


def test_series_of_any_length_have_the_same_result_alone():
    rows = [
        np.repeat([10.0, 20.0], n) + random(n).normal(0, 1, 2 * n) for n in (0, 1, 5, 40, 40, 300)
    ]
    alone = [find_changes(row).indexes for row in rows]
    assert [of.indexes for of in find_changes_many(rows)] == alone
    assert alone[3:] == [[40], [40], [300]]


def test_more_series_need_more_evidence():
    weak = np.repeat([0.0, 1.1], 50) + random(3).normal(0, 1, 100)
    alone = find_changes_many([weak])[0]
    beside = find_changes_many([weak, *random().normal(size=(300, 100))])[0]
    assert len(alone.changes) == 1
    assert beside.changes == ()


def test_no_series_have_no_result():
    assert find_changes_many([]) == []
