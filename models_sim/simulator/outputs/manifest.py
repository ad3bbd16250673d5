"""Write a run manifest in JSON (format: ingest/formats/bench/manifest.py).

Each run contains everything about it; the top level has only the version. A run's `start` is
written as `start_local` in its `time_zone` (null: UTC), other moments in UTC, all to the
microsecond. Runs are identified by `run_id` and keep the order of `bench_run`; `record_no` is not
needed.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from models_sim.simulator.outputs.text import Tables, block, joined, json_text, rows_of

__all__ = ["MEASUREMENT", "WRITERS", "measurement", "utc", "write"]

RUN = ("run_id", "campaign", "repetition", "start_utc", "stop_utc", "steady_start_utc",
       "steady_stop_utc", "start_local", "time_zone")  # fmt: skip
MEASUREMENT = ("run_id", "metric", "value", "unit", "more_is_better", "address_space")
SCOPES = {"lpar": "lpars", "address_space": "address_spaces", "report_class": "report_classes",
          "volume": "volumes"}  # fmt: skip
_OFFSET = r"^[+-]\d\d:\d\d$"
_MOMENT = "%Y-%m-%dT%H:%M:%S%.6f"


def write(tables: Tables) -> bytes:
    """Return the manifest of `bench_run` and its bench_run_factor, _scope, _label, _measurement."""
    runs = rows_of(tables, "bench_run", RUN)
    parts = {"factors": _factors(tables), "labels": _labels(tables), "scope": _scope(tables),
             "workload": _workload(tables), "measurement": _measurements(tables)}  # fmt: skip
    for name, frame in parts.items():
        runs = runs.join(frame.rename({"text": name}), on="run_id", how="left",
                         maintain_order="left")  # fmt: skip
    lists = ("workload", "measurement")
    inner = {name: _inside(name, *("[]" if name in lists else "{}")) for name in parts}
    texts = runs.select(pl.concat_str(_run() + list(inner.values()), ignore_nulls=True))
    written = "},\n    {".join(texts.to_series())
    return f'{{\n  "perfhouse_manifest": 1,\n  "run": [\n    {{{written}}}\n  ]\n}}\n'.encode()


def _run() -> list[pl.Expr]:
    """Return the keys of a run that have plain values."""
    has_zone = pl.col("time_zone").is_not_null()
    at_offset = pl.col("time_zone").str.contains(_OFFSET)
    zone = pl.when(has_zone & ~at_offset).then(pl.col("time_zone"))
    local = pl.col("start_local").cast(pl.Datetime("us")).dt.strftime(_MOMENT)
    start = (
        pl.when(~has_zone)
        .then(utc("start_utc"))
        .when(at_offset)
        .then(pl.concat_str(local, "time_zone"))
        .otherwise(local)
    )
    moments = {"stop": "stop_utc", "steady_start": "steady_start_utc",
               "steady_stop": "steady_stop_utc"}  # fmt: skip
    return [
        block('"run_id": ', json_text(pl.col("run_id"))),
        _key("campaign", json_text(pl.col("campaign"))),
        _key("repetition", pl.col("repetition").cast(pl.String)),
        _key("time_zone", json_text(zone)),
        _key("start", json_text(start)),
        *(_key(name, json_text(utc(column))) for name, column in moments.items()),
    ]


def utc(column: str) -> pl.Expr:
    """Return a column of moments as text in UTC; null stays null."""
    return pl.col(column).cast(pl.Datetime("us")).dt.strftime(_MOMENT + "Z")


def _key(name: str, value: pl.Expr) -> pl.Expr:
    return pl.concat_str([pl.lit(f', "{name}": '), value])


def _inside(name: str, opening: str, closing: str) -> pl.Expr:
    """Return a key whose value is a table or a list."""
    return _key(name, pl.concat_str([pl.lit(opening), pl.col(name), pl.lit(closing)]))


def _pair(name: str, value: pl.Expr) -> pl.Expr:
    return pl.concat_str([json_text(pl.col(name)), pl.lit(": "), value])


def _factors(tables: Tables) -> pl.DataFrame:
    """Return the factors; the level of a published factor is a number in JSON if it has one."""
    rows = rows_of(tables, "bench_run_factor", ("run_id", "factor", "value", "number"))
    is_number = pl.col("number").is_not_null() & ~pl.col("factor").str.starts_with("x_")
    level = pl.when(is_number).then(pl.col("value")).otherwise(json_text(pl.col("value")))
    return joined(rows, "run_id", _pair("factor", level), ", ")


def _labels(tables: Tables) -> pl.DataFrame:
    rows = rows_of(tables, "bench_run_label", ("run_id", "label", "value"))
    return joined(rows, "run_id", _pair("label", json_text(pl.col("value"))), ", ")


def _scope(tables: Tables) -> pl.DataFrame:
    rows = rows_of(tables, "bench_run_scope", ("run_id", "kind", "name"))
    rows = rows.filter(pl.col("kind") != "workload")
    names = rows.group_by("run_id", "kind", maintain_order=True).agg(
        name=json_text(pl.col("name")).str.join(", ")
    )
    kind = pl.col("kind").replace_strict(SCOPES)
    lists = pl.concat_str([pl.lit('"'), kind, pl.lit('": ['), pl.col("name"), pl.lit("]")])
    return joined(names, "run_id", lists, ", ")


def _workload(tables: Tables) -> pl.DataFrame:
    rows = rows_of(tables, "bench_run_scope", ("run_id", "kind", "name"))
    return joined(
        rows.filter(pl.col("kind") == "workload"), "run_id", json_text(pl.col("name")), ", "
    )


def _measurements(tables: Tables) -> pl.DataFrame:
    rows = rows_of(tables, "bench_measurement", MEASUREMENT)
    return joined(rows, "run_id", measurement(), ", ")


def measurement(more: Mapping[str, pl.Expr] | None = None) -> pl.Expr:
    """Return a row of bench_measurement as a JSON object, with `more` text keys."""
    return block(
        '{"metric": ',
        json_text(pl.col("metric")),
        _key("value", pl.col("value").cast(pl.String).str.strip_suffix(".0")),
        _key("unit", json_text(pl.col("unit"))),
        _key("more_is_better", pl.col("more_is_better").cast(pl.String)),
        _key("address_space", json_text(pl.col("address_space"))),
        *(_key(name, json_text(value)) for name, value in (more or {}).items()),
        "}",
    )


WRITERS = {"run_manifest": write}
