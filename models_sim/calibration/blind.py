"""A blind test: predictions of figures that no fit has seen, kept to be judged later.

    python -m models_sim.calibration.blind FILE

FILE is a table of published cells. Those that data/published lacks are predicted with the
parameters as they are, and the predictions are written to data/blind.csv. Once the figures are in
data/published, the report compares them. So the test was made by models that did not know them,
whatever is fitted afterwards.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base import published
from models_sim.base.cells import normalise
from models_sim.predict import FAMILIES, predict

_PREDICTED = Path("data") / "blind.csv"
#: Lines of one printed table with few figures, which are judged together.
_SHARED = {
    "CF structure capacity": "capacity, TLS, disk response",
    "TLS key negotiation": "capacity, TLS, disk response",
    "TLS channel start": "capacity, TLS, disk response",
    "zCX disk response": "capacity, TLS, disk response",
    "Linux client single": "Linux client",
    "Linux client multi": "Linux client",
}
#: Not in the table: whole percents, and figures that follow from others (rate from time).
_LEFT_OUT = "CPU$|best"
_HEAD = """\
## A blind test

Some figures were left out of data/published while the models were made. These are the errors of
the predictions of that time (data/blind.csv, made by `python -m models_sim.calibration.blind`).
Since then, all models were fitted to all figures. The 90th percentile is one of the errors, the
larger neighbour. Linux rates follow from the times and are not counted twice; nor are CPU in whole
percents and best times.

| line | figures | error | inside |
|---|---:|---|---:|
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Predict the cells of a file that are not in data/published; return the exit status."""
    parser = argparse.ArgumentParser(prog="blind", description="predict figures not yet known")
    parser.add_argument("file", type=Path, help="CSV with published cells")
    given = normalise(pl.read_csv(parser.parse_args(argv).file, infer_schema=False))
    new = given.filter(
        pl.col("value").is_not_null(),
        ~pl.col("cell_id").is_in(published.cells()["cell_id"].implode()),
    )
    new = new.with_columns(line_of(new)).filter(pl.col("line").is_not_null())
    answers = predict(new)
    kept = answers.select("cell_id", "line", "predicted", "low", "high", "reason")
    (published.ROOT / _PREDICTED).write_text(
        kept.with_columns(pl.col(pl.Float64).round_sig_figs(6)).write_csv(), encoding="utf-8"
    )
    sys.stdout.write(table(kept.join(new.select("cell_id", "metric", "value"), on="cell_id")))
    return 0


def line_of(cells: pl.DataFrame) -> pl.Series:
    """Return the report line of each row, or null if no family covers it."""
    lines = np.full(cells.height, None, dtype=object)
    for family in reversed(FAMILIES):
        mine = family.covers(cells).to_numpy()
        lines[mine] = family.lines(cells.filter(mine)).to_numpy()
    return pl.Series("line", lines.tolist(), dtype=pl.String)


def report(root: Path) -> str:
    """Return the section of the report that compares the kept predictions with the figures."""
    predicted = pl.read_csv(root / _PREDICTED, schema_overrides={"reason": pl.String})
    cells = published.cells().select("cell_id", "metric", "value")
    return _HEAD + table(predicted.join(cells, on="cell_id"))


def table(judged: pl.DataFrame) -> str:
    """Return the rows of the table; `judged` has line, metric, value, predicted, low and high."""
    linux_rate = pl.col("line").str.starts_with("Linux") & (pl.col("metric") == "rate")
    rows = (
        judged.filter(~pl.col("line").str.contains(_LEFT_OUT), ~linux_rate)
        .with_columns(
            pl.col("line").replace(_SHARED),
            error=100 * (pl.col("predicted") / pl.col("value") - 1).abs(),
            inside=pl.col("value").is_between("low", "high"),
        )
        .group_by("line", maintain_order=True)
        .agg(
            pl.len().alias("figures"),
            pl.col("error").median().alias("median"),
            pl.col("error").quantile(0.9, "higher").alias("large"),
            100 * pl.col("inside").mean(),
        )
    )
    return "".join(
        f"| {line} | {figures} | {median:.1f} / {large:.1f} | {inside:.0f} % |\n"
        for line, figures, median, large, inside in rows.iter_rows()
    )


if __name__ == "__main__":
    sys.exit(main())
