"""Matched pairs: pooled where they agree."""

import numpy as np
import pytest

from expectations.verdicts.measure import Measure
from expectations.verdicts.pairs import pool
from expectations.verdicts.samples import compare_many

RATE = Measure(more_is_better=True)


def pairs(effects, runs, noise=0.027, seed=1):
    random = np.random.default_rng(seed)
    levels = 100 * np.exp(random.normal(size=(len(effects), 1)))
    sides = [levels * np.exp(noise * random.normal(size=(len(effects), runs))) for _ in "12"]
    return compare_many(
        list(sides[0]), list(sides[1] * np.exp(np.array(effects))[:, None]), [RATE] * len(effects)
    )


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_many_pairs_show_what_none_of_them_does(runs):
    """21 pairs, of which the mean is 5.0 +- 0.6 %."""
    alone = pairs([0.05] * 21, runs)
    (judged,) = pool([alone], [RATE])
    assert sum(pair.verdict == "better" for pair in alone) <= 2
    assert (judged.verdict, judged.noise_source, judged.unit) == ("better", "family", "%")
    assert judged.low < 5 < judged.high
    assert (judged.baseline_runs, judged.candidate_runs) == (21 * runs, 21 * runs)


def test_pairs_that_disagree_are_not_pooled():
    (judged,) = pool([pairs([0.2] * 5 + [-0.1] * 3, 4)], [RATE])
    assert judged.verdict == "not judged"
    assert "they disagree" in judged.reason


def test_equal_pairs_are_seldom_different():
    groups = [pairs([0.0] * 8, 3, seed=seed) for seed in range(200)]
    each = [pool([group], [RATE], tolerance=0.0)[0].verdict for group in groups]
    assert sum(verdict in {"better", "worse", "not judged"} for verdict in each) <= 18
    together = pool(groups, [RATE] * 200, tolerance=0.0)
    assert sum(judgement.verdict in {"better", "worse"} for judgement in together) <= 2


def test_what_cannot_be_pooled_is_refused():
    with pytest.raises(ValueError, match="nothing to pool"):
        pool([pairs([0.0] * 2, 3)], [RATE])
