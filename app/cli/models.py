"""changepoints, predict: the detector and the models on CSV files."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from app.cli.common import Command, UsageError, console
from ingest.base.extras import require

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the commands."""
    changepoints = command(
        "changepoints",
        _changepoints,
        "print the indexes at which the level of a series changes, as a JSON list",
        examples="changepoints nights.csv --column p95_ms",
        has_warehouse=False,
    )
    changepoints.add_argument(
        "series", type=Path, metavar="SERIES.csv", help="CSV file in time order"
    )
    changepoints.add_argument("--column", required=True, metavar="NAME")
    predict = command(
        "predict",
        _predict,
        "predict a figure for each row of a CSV file",
        examples="predict cells.csv --out predicted.csv",
        has_warehouse=False,
    )
    predict.add_argument("rows", type=Path, nargs="?", metavar="IN.csv")
    predict.add_argument("--out", type=Path, metavar="OUT.csv")
    # The names of earlier releases.
    predict.add_argument("--input", type=Path, dest="rows_before", help=argparse.SUPPRESS)
    predict.add_argument("--output", type=Path, dest="out", help=argparse.SUPPRESS)


def _changepoints(arguments: argparse.Namespace) -> int:
    from app.cli.series import read_series

    require("build")
    from expectations.detector import find_changes

    values = read_series(arguments.series, arguments.column)
    print(json.dumps(find_changes(values).indexes))
    return 0


def _predict(arguments: argparse.Namespace) -> int:
    from models_sim.predict import PredictError, predict_csv

    rows = arguments.rows or arguments.rows_before
    if not rows or not arguments.out:
        raise UsageError("predict: IN.csv and --out OUT.csv are required")
    try:
        count = predict_csv(rows, arguments.out)
    except PredictError as error:
        raise UsageError(str(error)) from None
    console.print(f"predicted {count:,} figures into {arguments.out}", soft_wrap=True)
    return 0
