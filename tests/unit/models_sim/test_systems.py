"""The modelled systems as a page asks about them."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from models_sim.base.cells import CELL_COLUMNS
from models_sim.systems import SYSTEMS, ask, sweep

NAMES = [system.name for system in SYSTEMS]
# figures that no document tells, whatever the factors are
UNKNOWN = {"CPU of the queue manager's machine"}  # with agents in bindings mode


@pytest.mark.parametrize("system", SYSTEMS, ids=NAMES)
def test_usual_configuration_has_every_figure(system):
    answers = ask(system, system.usual)
    assert answers["label"].to_list() == [figure.label for figure in system.figures]
    known = answers.filter(~pl.col("label").is_in(UNKNOWN))
    assert known["reason"].null_count() == known.height
    assert (known["low"] <= known["predicted"]).all()
    assert (known["predicted"] <= known["high"]).all()


def test_factors_are_columns_of_a_cell_with_different_choices():
    for factor in (factor for system in SYSTEMS for factor in system.factors):
        assert factor.name in CELL_COLUMNS
        assert len(set(factor.choices)) == len(factor.choices) > 1
        assert len({type(choice) for choice in factor.choices}) == 1


def test_each_choice_is_answered_or_refused_with_a_reason():
    for system, factor in [(of, one) for of in SYSTEMS for one in of.factors]:
        swept = sweep(system, system.usual, factor, factor.choices)
        assert swept["at"].n_unique() == len(factor.choices)
        assert (swept["predicted"].is_null() == swept["reason"].is_not_null()).all()


def test_sweep_agrees_with_asking_for_each_setting():
    for system in SYSTEMS:
        *_, factor = system.factors
        swept = sweep(system, system.usual, factor, factor.choices)
        one = ask(system, system.usual | {factor.name: factor.choices[-1]})
        assert_frame_equal(swept.filter(pl.col("at") == factor.choices[-1]).drop("at"), one)
