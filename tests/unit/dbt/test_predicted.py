"""A configuration of runs is compared with the right document's model, in the right unit."""

from __future__ import annotations

import importlib.util

import polars as pl
import pytest

from app.pipeline.places import ROOT
from models_sim.base.cells import CELL_COLUMNS
from models_sim.predict import predict
from models_sim.simulator.campaigns.scenarios.definition import USUAL  # noqa: F401 (a case)
from tests.kit.cases import cases

FILE = ROOT / "dbt/models/intermediate/runs/int_runs__predicted.py"


@cases
def test_a_run_is_compared_with_the_model_of_its_document(
    factors, transaction, document, metric, asked, scale
):
    """scale: units of the model in one of the runs."""
    spec = importlib.util.spec_from_file_location("predicted", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    empty = pl.DataFrame(
        {name: [None] for name in CELL_COLUMNS if name not in ("document", "metric", "unit")}
    )
    configuration = empty.with_columns(
        *(pl.lit(value).alias(name) for name, value in factors.items()),
        configuration_id=pl.lit("k"),
        x_factors=pl.lit(None),
        origins=pl.lit(None),
        transaction=pl.lit(transaction),
    )
    answers = module.predictions(configuration).filter(metric=metric)
    assert answers["document_id"].to_list() == [document]
    cell = factors | {"document": document, "metric": asked}
    (expected,) = predict(pl.DataFrame([cell]))["predicted"]
    assert answers["predicted"].item() == pytest.approx(expected / scale)
