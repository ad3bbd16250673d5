"""The permutation test of many pairs at once, compared with one split after the other."""

from itertools import combinations

import numpy as np
import pytest

from expectations.verdicts import permutation
from expectations.verdicts.permutation import p_values

RANDOM = np.random.default_rng(7)


def welch(x: np.ndarray, y: np.ndarray) -> float:
    shift = abs(y.mean() - x.mean())
    if min(x.size, y.size) == 1:
        return float(shift)
    return float(shift / np.sqrt(x.var(ddof=1) / x.size + y.var(ddof=1) / y.size))


def by_hand(x: np.ndarray, y: np.ndarray) -> float:
    both, held = np.concatenate([x, y]), []
    for chosen in combinations(range(both.size), x.size):
        inside = np.isin(np.arange(both.size), chosen)
        held.append(welch(both[inside], both[~inside]))
    return float(np.mean(np.array(held) >= welch(x, y) * (1 - 1e-9)))


@pytest.mark.parametrize("sizes", [(3, 3), (1, 6), (5, 4)])
def test_few_splits_are_all_evaluated(sizes: tuple[int, int]) -> None:
    pairs = [(RANDOM.normal(0, 1, sizes[0]), RANDOM.normal(i, 1, sizes[1])) for i in range(3)]
    assert p_values(pairs) == pytest.approx([by_hand(x, y) for x, y in pairs])


@pytest.mark.parametrize("block", [permutation._BLOCK, 1_000])
def test_sampled_splits_agree_with_all_splits(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "_BLOCK", block)
    pairs = [(RANDOM.normal(0, 1, 8), RANDOM.normal(0.5 * i, 1, 8)) for i in range(4)]
    exact = p_values(pairs)
    monkeypatch.setattr(permutation, "_EXACT", 100)
    drawn = p_values(pairs)
    assert drawn != exact
    assert drawn == pytest.approx(exact, abs=0.02)


def test_pairs_of_several_sizes_keep_their_order() -> None:
    pairs = [
        (RANDOM.normal(0, 1, n), RANDOM.normal(shift, 1, m))
        for n, m, shift in ((3, 4, 0), (12, 13, 1), (3, 4, 2), (13, 12, 0), (12, 13, 0))
    ]
    assert p_values(pairs) == [p_values([pair])[0] for pair in pairs]
