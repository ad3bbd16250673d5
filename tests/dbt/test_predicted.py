"""A configuration of runs is compared with the right document's model, in the right unit."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import polars as pl
import pytest

from models_sim.base.cells import CELL_COLUMNS
from models_sim.predict import predict
from models_sim.simulator.campaigns.scenarios.definition import USUAL

FILE = Path(__file__).resolve().parents[2] / "dbt/models/intermediate/runs/int_runs__predicted.py"
LINUX = {"connection": "bindings", "transfer": "single", "md5": "N", "mode": "text",
         "file_size_mb": 100, "chunk_size": 262144}  # fmt: skip

# factors of a configuration, its document, and the model's units of rate per MB/s
CASES = [
    (USUAL | {"source": "xLinux", "target": "z/OS", "file_size_mb": 100}, "000", 1),
    (LINUX, "002", 8),
    (LINUX | {"source": "Linux", "target": "Linux"}, "002", 8),
]


@pytest.mark.parametrize(("factors", "document", "scale"), CASES)
def test_a_run_is_compared_with_the_model_of_its_document(factors, document, scale):
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
    )
    answers = module.predictions(configuration).filter(metric="rate")
    assert answers["document_id"].to_list() == [document]
    cell = factors | {"document": document, "metric": "rate"}
    (expected,) = predict(pl.DataFrame([cell]))["predicted"]
    assert answers["predicted"].item() == pytest.approx(expected / scale)
