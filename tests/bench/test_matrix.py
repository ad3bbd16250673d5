"""The judgement of what came back sees what is off, and what is missing."""

import polars as pl
import pytest

from tests.bench.matrix import judged


@pytest.mark.parametrize(
    ("put_in", "given_back", "missing", "worst"),
    [
        ([2.0, 4.0], [2.0, 4.0], 0, 0.0),
        ([2.0, 4.0], [2.0, 4.04], 0, 0.01),
        ([2.0, 4.0], [None, 4.0], 1, 0.0),
        ([0.0], [0.0], 0, 0.0),
        ([0.0], [0.1], 0, float("inf")),
    ],
)
def test_what_is_off_or_missing_is_seen(
    put_in: list[float], given_back: list[float | None], missing: int, worst: float
) -> None:
    both = pl.DataFrame({"value": put_in, "shown": given_back}).with_columns(
        metric=pl.lit("rate"), unit=pl.lit("MB/s"),
        address_space=pl.lit(None, pl.String), system_id=pl.lit(None, pl.String),
    )  # fmt: skip
    (row,) = judged(both).rows(named=True)
    assert row["of"] == "run"
    assert (row["missing"], row["worst"]) == (missing, pytest.approx(worst))
