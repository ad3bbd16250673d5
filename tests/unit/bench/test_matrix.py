"""The comparison of marts with simulated values reports deviations and missing values."""

import polars as pl
import pytest

from tests.bench.matrix import judged, passes
from tests.kit.cases import cases


@cases
def test_deviations_and_missing_values_are_reported(
    simulated: list[float], in_marts: list[float | None], missing: int, worst: float, right: bool
) -> None:
    both = pl.DataFrame({"value": simulated, "shown": in_marts}).with_columns(
        metric=pl.lit("rate"), unit=pl.lit("MB/s"),
        address_space=pl.lit(None, pl.String), system_id=pl.lit(None, pl.String),
    )  # fmt: skip
    found = judged(both)
    (row,) = found.rows(named=True)
    assert passes(found) is right
    assert row["of"] == "run"
    assert (row["missing"], row["worst"]) == (missing, pytest.approx(worst))


def test_address_spaces_neither_fail_nor_pass_alone() -> None:
    both = pl.DataFrame(
        {"value": [1.0, 1.0], "shown": [1.0, 2.0], "metric": ["cpu_seconds"] * 2,
         "unit": ["CPU s"] * 2, "address_space": [None, "MQ1MSTR"], "system_id": ["SYS1"] * 2}
    )  # fmt: skip
    assert passes(judged(both))
    assert not passes(judged(both.tail(1)))
