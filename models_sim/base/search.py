"""Least-squares search for the parameters of a mechanism. Only fits import it, because of scipy.

Parameters are positive and are searched for as logarithms. A weak normal prior holds each near its
start, so a parameter that the data do not determine stays there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import least_squares

from models_sim.base.family import Floats
from models_sim.base.parameters import Parameters

PRIOR_SD = 1.0  # of the logarithm: a factor of e either way


def search(
    residuals: Callable[[dict[str, float]], Floats], names: Sequence[str], start: Parameters
) -> Parameters:
    """Return `start` with the values of `names` that minimise the squares of `residuals` and prior.

    `residuals` gets every parameter by name and returns errors in units of their noise. The search
    begins at the values in `start`; the prior is centred on each parameter's own `start`.
    """
    fixed = dict(start)
    begins = (start.describe(name).start for name in names)
    centre = np.log([begin for begin in begins if begin is not None])

    def errors(x: Floats) -> Floats:
        values = fixed | dict(zip(names, np.exp(x).tolist(), strict=True))
        return np.concatenate([residuals(values), (x - centre) / PRIOR_SD])

    solution = least_squares(errors, np.log([start[name] for name in names]), ftol=1e-7, xtol=1e-6)
    return start.with_values(dict(zip(names, np.exp(solution.x).tolist(), strict=True)))
