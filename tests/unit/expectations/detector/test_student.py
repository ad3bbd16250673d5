"""Student's t in plain Python, compared with scipy's."""

import subprocess
import sys

import pytest
from scipy import special

from expectations.detector.student import both_tails, quantile
from tests.kit.cases import cases

FREEDOMS = (0.5, 1, 1.3, 2, 4.7, 37.2, 1998, 1e5)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_tails_agree_with_scipy(freedom: float) -> None:
    for t in (1e-3, 0.1, 1, 2, 3, 10, 40):
        assert both_tails(t, freedom) == pytest.approx(2 * special.stdtr(freedom, -t), rel=1e-9)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_quantiles_agree_with_scipy(freedom: float) -> None:
    for tails in (1e-12, 1e-4, 0.01, 0.05, 0.5, 0.9, 0.999):
        expected = -special.stdtrit(freedom, tails / 2)
        assert quantile(tails, freedom) == pytest.approx(expected, rel=1e-8)


@cases
def test_limits(found: float, expected: float) -> None:
    assert found == expected


def test_comparison_does_not_import_scipy() -> None:
    code = (
        "import sys, app.results.comparison, expectations.detector.comparison;"
        "print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
