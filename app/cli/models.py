"""changepoints, predict: the detector and the models on CSV files."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from app.cli.common import Command, UsageError, console

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the commands."""
    changepoints = command(
        "changepoints",
        _changepoints,
        "print the indexes at which the level of a series changes, as a JSON list",
    )
    changepoints.add_argument(
        "series", type=Path, metavar="SERIES.csv", help="CSV file in time order"
    )
    changepoints.add_argument("--column", required=True, metavar="NAME")
    predict = command("predict", _predict, "predict a figure for each row of a CSV file")
    predict.add_argument("--input", type=Path, required=True, metavar="IN.csv")
    predict.add_argument("--output", type=Path, required=True, metavar="OUT.csv")


def _changepoints(arguments: argparse.Namespace) -> int:
    from app.cli.series import read_series
    from expectations.detector import find_changes

    values = read_series(arguments.series, arguments.column)
    print(json.dumps(find_changes(values).indexes))
    return 0


def _predict(arguments: argparse.Namespace) -> int:
    from models_sim.predict import PredictError, predict_csv

    try:
        count = predict_csv(arguments.input, arguments.output)
    except PredictError as error:
        raise UsageError(str(error)) from None
    console.print(f"predicted {count:,} figures into {arguments.output}", soft_wrap=True)
    return 0
