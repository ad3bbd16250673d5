"""A metric of runs without bounds does not build."""

from types import SimpleNamespace

import jinja2
import pytest

from app.pipeline.dbt_parse import DBT_PROJECT


def _metric_rows(figure: object) -> str:
    def refuse(message: str) -> None:
        raise ValueError(message)

    dbt = jinja2.Environment(extensions=["jinja2.ext.do"])
    dbt.globals["exceptions"] = SimpleNamespace(raise_compiler_error=refuse)
    macros = dbt.from_string((DBT_PROJECT / "macros/run_metrics.sql").read_text())
    return macros.module.metric_rows([("bytes", figure)])


def test_a_column_without_bounds_is_no_metric() -> None:
    with pytest.raises(ValueError, match="bytes must say its bounds, or that it is exact"):
        _metric_rows("bytes")


def test_a_figure_is_one() -> None:
    rows = _metric_rows({"value": "b", "value_low": "least", "value_high": "most"})
    assert "'value': cast(b as double)" in rows
    assert "'value_high': cast(most as double)" in rows
