"""Predicting files: nothing of the input is lost, and rows without a prediction have a reason."""

import csv
from pathlib import Path

import polars as pl
import pytest

from models_sim.base.cells import CELL_COLUMNS, normalise
from models_sim.base.published import ROOT
from models_sim.predict import PredictError, predict, predict_csv
from tests.kit.cases import cases

CELLS = ROOT / "data" / "published" / "cells.csv"
ADDED = ["predicted", "low", "high", "caution", "reason"]


@pytest.fixture(scope="module")
def answered(tmp_path_factory) -> pl.DataFrame:
    out = tmp_path_factory.mktemp("predict") / "out.csv"
    predict_csv(CELLS, out)
    return pl.read_csv(out, infer_schema=False)


def test_input_rows_are_unchanged(answered):
    given = pl.read_csv(CELLS, infer_schema=False)
    assert answered.columns == [*given.columns, *ADDED]
    assert answered.select(given.columns).equals(given)


def test_each_row_has_a_figure_or_a_reason(answered):
    assert (answered["predicted"].is_null() != answered["reason"].is_null()).all()


def test_large_figures_are_printed_to_the_unit(answered):
    """2091752 bytes are a printed figure, and an anomaly, by their last digits."""
    stated = answered.filter(pl.col("metric").is_in(["CHINTCPRBDYNSZ", "log_physical_bytes"]))
    assert stated["predicted"].cast(pl.Float64).to_list() == [2_091_752, 703_823_872]


def test_every_rate_cost_and_time_is_predicted(answered):
    main = answered.filter(pl.col("metric").is_in(["rate", "cost_per_GB", "transfer_time"]))
    assert main.height > 500
    assert main["predicted"].null_count() == 0


def test_value_is_ignored():
    cells = pl.read_csv(CELLS, infer_schema=False)
    hidden = cells.with_columns(pl.lit(None, pl.String).alias("value"), printed=pl.lit("?"))
    assert predict(hidden).select(ADDED).equals(predict(cells).select(ADDED))


@pytest.mark.parametrize(
    ("metric", "unit", "times"),
    [("rate", "MB/s", 1), ("rate", "GB/s", 1 / 1024), ("rate", "Mb/s", 8 * 1.048576),
     ("cost_per_GB", "CPU ms/MB", 1000 / 1024), ("cost_per_GB_after_offload", "s/GB", 0.6)],
)  # fmt: skip
def test_figures_are_in_the_unit_that_a_row_asks_for(metric, unit, times):
    row = {"document": "000", "metric": metric, "source": "z/OS", "target": "z/OS",
           "network": "10Gb", "file_size_mb": "1024"}  # fmt: skip
    plain = row | {"metric": metric.removesuffix("_after_offload")}
    usual, asked = predict(pl.DataFrame([plain | {"unit": None}, row | {"unit": unit}]))["high"]
    assert asked == pytest.approx(usual * times, rel=0.1)


def test_predictions_of_an_earlier_run_are_replaced(answered, tmp_path: Path):
    again = tmp_path / "again.csv"
    (tmp_path / "in.csv").write_text(answered.write_csv())
    predict_csv(tmp_path / "in.csv", again)
    assert pl.read_csv(again, infer_schema=False).equals(answered)


@cases
def test_file_that_is_not_a_table_of_figures_is_refused_in_one_line(tmp_path, content, complaint):
    (tmp_path / "in.csv").write_bytes(content)
    with pytest.raises(PredictError, match=complaint) as raised:
        predict_csv(tmp_path / "in.csv", tmp_path / "out.csv")
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "out.csv").exists()


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path):
    with pytest.raises(PredictError, match=r"cannot read .*none\.csv"):
        predict_csv(tmp_path / "none.csv", tmp_path / "out.csv")
    with pytest.raises(PredictError, match="cannot write"):
        predict_csv(CELLS, tmp_path / "nowhere" / "out.csv")


def test_table_without_rows_stays_empty(tmp_path: Path):
    (tmp_path / "in.csv").write_text("document,metric\n")
    assert predict_csv(tmp_path / "in.csv", tmp_path / "out.csv") == 0
    assert (
        tmp_path / "out.csv"
    ).read_text() == "document,metric,predicted,low,high,caution,reason\n"


def pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split("; "))


def test_packed_factors_are_unpacked():
    with Path(__file__).with_name("packed.csv").open(newline="") as file:
        for case in csv.DictReader(file):
            printed = {"document": "000", "metric": "rate"} | pairs(case["printed"])
            row = normalise(pl.DataFrame([printed])).row(0, named=True)
            expected = pairs(case["unpacked"])
            found = {name: "" if row[name] is None else str(row[name]) for name in expected}
            assert found == expected, case


def test_normal_cells_are_unchanged():
    cells = normalise(pl.read_csv(CELLS, infer_schema=False))
    assert cells.columns == list(CELL_COLUMNS)
    assert normalise(cells).equals(cells)
