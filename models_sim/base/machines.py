"""Machines as systems: what each generation and model is, each figure with its unit and source.

machines.toml has the published figures of z13 to z16. A site's own file, which $PERFHOUSE_MACHINES
names, adds models with their MSU, later generations, and corrections, in the same form:

    ["3931-706"]
    msu_per_cp = { value = 211, unit = "MSU", source = "our contract" }

A model has the figures of the generation whose machine type its name begins with, unless it has its
own.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.base.parameters import Parameter, ParameterError, Parameters

__all__ = ["MEASURED_ON", "capacities", "capacity", "generation", "is_known", "machine", "machines",
           "not_known"]  # fmt: skip

#: The machine of documents 000 and 001.
MEASURED_ON = "z15"
_FILE = Path(__file__).with_name("machines.toml")


def machines() -> Mapping[str, Parameters]:
    """Return the figures of each generation, and of each model of the site's own file.

    Raises ParameterError if that file cannot be used.
    """
    path = os.environ.get("PERFHOUSE_MACHINES")
    file = Path(path) if path else None
    return _read_machines(file, file.stat().st_mtime_ns if file and file.is_file() else 0)


@lru_cache(maxsize=4)
def _read_machines(own: Path | None, _changed: int) -> Mapping[str, Parameters]:
    result: dict[str, Parameters] = {}
    for file in (_FILE, *([own] if own else [])):
        try:
            content = tomllib.loads(file.read_text(encoding="utf-8"))
            for name, figures in content.items():
                base = result.get(name) or result.get(_generation(name, result), Parameters(()))
                result[name] = base.merged(Parameter(key, **row) for key, row in figures.items())
        except OSError as error:
            raise ParameterError(f"{file}: {error.strerror}") from None
        except (ValueError, TypeError, AttributeError) as error:
            message = f"{file}: {error} (a figure is {{ value, unit, source }} below a machine)"
            raise ParameterError(message) from None
    return result


def _generation(name: str, known: Mapping[str, Parameters]) -> str:
    kind = name.partition("-")[0]
    return next((g for g, p in known.items() if f"{p.get('machine_type', 0):.0f}" == kind), name)


def generation(name: str) -> str:
    """Return the generation of a model such as 3931-706; other names as they are."""
    return _generation(name, {n: p for n, p in machines().items() if "-" not in n})


def machine(name: str) -> Parameters | None:
    """Return the figures of a generation or model, those of its generation if it has no own."""
    known_machines = machines()
    return known_machines.get(name) or known_machines.get(generation(name))


def not_known(name: str, figure: str) -> str:
    """Return what to do about a figure that a machine lacks."""
    return f"no {figure} of {name} is known: state it in machines.toml ($PERFHOUSE_MACHINES)"


def is_known() -> pl.Expr:
    """Return whether the column `machine` is null or names a machine with a capacity."""
    rated = {name: figures for name, figures in machines().items() if "capacity" in figures}
    types = [f"{figures['machine_type']:.0f}" for figures in rated.values()
             if "machine_type" in figures]  # fmt: skip
    column = pl.col("machine")
    return (
        column.is_null() | column.is_in(list(rated)) | column.str.extract(r"^(\d+)-").is_in(types)
    )


def capacities(rows: pl.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the capacity of each row's `machine` at its `rni`, and its log sd, or NaN."""
    key = pl.concat_str(pl.col("machine").fill_null(MEASURED_ON), pl.col("rni").fill_null(""),
                        separator="|")  # fmt: skip
    keys = rows.select(key.alias("key")).to_series()
    pairs = {
        machine_key: capacity(*machine_key.split("|")) or (np.nan, np.nan)
        for machine_key in keys.unique()
    }
    value, sd = (
        keys.replace_strict(
            {machine_key: pair[i] for machine_key, pair in pairs.items()}, return_dtype=pl.Float64
        )
        for i in (0, 1)
    )
    return value.to_numpy(), sd.to_numpy()


def capacity(name: str, rni: str | None = None) -> tuple[float, float] | None:
    """Return the work of a CP in that of a z15, and the log sd of that; None if not known.

    rni: low, average or high, where LSPR has a figure of its own for it.
    """
    figures = machine(name)
    if figures is None or "capacity" not in figures:
        return None
    value = figures.get(f"capacity_{rni}", figures["capacity"])
    return float(value), float(figures.get("capacity_sd", 0.1))
