"""A configuration of runs is compared with the right document's model, in the right unit."""

from __future__ import annotations

import importlib.util

import polars as pl
import pytest

from app.pipeline.places import ROOT
from models_sim.base.cells import CELL_COLUMNS
from models_sim.predict import predict
from models_sim.simulator.campaigns.scenarios.definition import USUAL

FILE = ROOT / "dbt/models/intermediate/runs/int_runs__predicted.py"
LINUX = {"connection": "bindings", "transfer": "single", "md5": "N", "mode": "text",
         "file_size_mb": 100, "chunk_size": 262144}  # fmt: skip

# factors and workload of a configuration, its document, the metric of runs and of the model, and
# the model's units per unit of runs
CASES = [
    (
        USUAL | {"source": "xLinux", "target": "z/OS", "file_size_mb": 100},
        *(None, "000", "rate", "rate", 1),
    ),
    (LINUX, None, "002", "rate", "rate", 8),
    (LINUX | {"source": "Linux", "target": "Linux"}, None, "002", "rate", "rate", 8),
    ({"connection": "z/OS"}, "load", "001", "transfer_time", "repo_init", 1),
    ({"connection": "zCX"}, "load", "001", "transfer_time", "repo_init", 1),
]


@pytest.mark.parametrize(("factors", "workload", "document", "metric", "asked", "scale"), CASES)
def test_a_run_is_compared_with_the_model_of_its_document(
    factors, workload, document, metric, asked, scale
):
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
        workload=pl.lit(workload),
    )
    answers = module.predictions(configuration).filter(metric=metric)
    assert answers["document_id"].to_list() == [document]
    cell = factors | {"document": document, "metric": asked}
    (expected,) = predict(pl.DataFrame([cell]))["predicted"]
    assert answers["predicted"].item() == pytest.approx(expected / scale)
