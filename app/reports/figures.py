"""The figures of runs: one for each configuration and metric, at its present level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.results.labels import unit_label
from app.results.metrics import suited
from app.results.reader import Reader
from expectations.metrics import dictionary, measure_of
from expectations.verdicts.measure import Measure
from expectations.verdicts.samples import mean_interval

__all__ = [
    "Figure",
    "Print",
    "factor_levels",
    "figures_of",
    "level_of",
    "number_of",
    "order_of",
    "prints_of",
    "unit_of",
]

Row = dict[str, Any]
_NO_FACTORS = {
    "configuration_id",
    "factors_id",
    "origin",
    "source_id",
    "record_no",
    "runs",
    "origins",
    "x_factors",
    "configuration",
    "speed",
}
#: What a document takes for granted if a run does not state it.
DEFAULTS = {
    "tls": "N",
    "ams": "N",
    "compmsg": "N",
    "channels": "1",
    "loss_pct": "0",
    "accounting": "Y",
    "key_interval": "N",
}
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric of a configuration: `values` of its complete runs at the present level.

    `factors`: of the configuration, as texts; `earlier`: runs at levels before.
    """

    configuration: str
    factors: Mapping[str, str]
    metric: str
    unit: str
    more: bool | None
    values: tuple[float, ...]
    sessions: tuple[int, ...]
    earlier: int = 0

    @property
    def measure(self) -> Measure:
        """How it is compared."""
        return measure_of(self.metric, self.unit, self.more)

    @property
    def value(self) -> float:
        """The mean of its runs on their scale, as all comparisons have it."""
        runs = np.asarray(self.values)
        scale = self.measure.scale(runs)
        return float(scale.figure(float(scale.of(runs).mean())))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean; None of a single run."""
        return mean_interval(self.values, self.measure)


@dataclass(frozen=True, slots=True)
class Print:
    """A printed figure for a configuration: its cell and verdict."""

    value: float
    document: str
    table: str
    verdict: str


def factor_levels(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the factors of a row of dim_configuration as texts, a site's own among them."""
    levels = {name: value for name, value in row.items() if name not in _NO_FACTORS}
    levels |= row.get("x_factors") or {}
    if levels.get("message_size_bytes") is not None:
        levels.pop("message_size", None)  # the same in words
    return {
        name: f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in levels.items()
        if value is not None
    }


def figures_of(reader: Reader, campaign: str, origin: str) -> list[Figure]:
    """Return the figures of a campaign's complete runs, ordered by configuration as people count.

    Only runs at the present level of their series count (fct_series_level).
    """
    rows = reader.frame(
        """
        select
            m.metric, m.unit, any_value(m.more_is_better) as more,
            list(m.value::double order by s.ordered_utc, m.run_id) filter (is_now) as "values",
            list(s.session_no::integer order by s.ordered_utc, m.run_id) filter (is_now)
                as sessions,
            count(*) filter (not is_now) as earlier,
            c as of
        from marts.fct_measurement as m
        inner join marts.fct_run_session as s using (origin, campaign, run_id)
        inner join marts.dim_configuration as c using (configuration_id)
        inner join marts.fct_series_level as l
            on l.is_current and l.unit is not distinct from m.unit
            and (l.origin, l.campaign, l.configuration_id, l.metric)
            = (m.origin, m.campaign, m.configuration_id, m.metric),
        lateral (select s.session_no >= l.first_session_no as is_now)
        where m.campaign = ? and m.origin = ? and m.is_compared and isfinite(m.value)
        group by all
        """,
        (campaign, origin),
    ).to_dicts()
    figures = [
        Figure(
            row["of"]["configuration"],
            factor_levels(row["of"]),
            row["metric"],
            row["unit"] or "",
            row["more"],
            tuple(row["values"]),
            tuple(row["sessions"]),
            row["earlier"],
        )
        for row in rows
    ]
    return sorted(figures, key=lambda item: (order_of(item.factors), item.metric))


def order_of(factors: Mapping[str, str]) -> list[tuple[float, str]]:
    """Return what configurations are sorted by: their levels, numbers as numbers."""
    names = (
        "source",
        "target",
        "network",
        "queue",
        "connection",
        "protocol",
        "machine",
        "ams",
        "tls",
        "mode",
        "cipher",
        "message_size_bytes",
        "latency_ms_oneway",
        "clients",
        "cpus",
        "file_size_mb",
    )
    return [number_of(factors.get(name, "")) for name in names] + [
        (0.0, f"{name} {level}") for name, level in sorted(factors.items())
    ]


def number_of(level: str) -> tuple[float, str]:
    """Return a level as it is sorted: numbers by size, before words; none at all comes first."""
    try:
        return float(level), ""
    except ValueError:
        return (float("inf") if level not in {"", "N"} else float("-inf")), level


def level_of(factors: Mapping[str, str], name: str) -> str:
    """Return the level of a factor; what is not stated is the default of the documents, or ''."""
    return factors.get(name) or DEFAULTS.get(name, "")


def prints_of(reader: Reader, campaign: str, origin: str) -> dict[tuple[str, str], Print]:
    """Return the printed figures of a campaign by configuration and metric."""
    rows = reader.frame(
        """
        select
            configuration, metric, document_id, table_id, verdict,
            coalesce(published_value, (published_low + published_high) / 2) as published
        from marts.fct_print_on_runs
        inner join marts.dim_configuration using (configuration_id)
        where campaign = ? and fct_print_on_runs.origin = ? and address_space is null
        order by len(assumed) desc, document_id, table_id
        """,
        (campaign, origin),
    )
    return {
        (name, metric): Print(value, document, table, verdict)
        for name, metric, document, table, verdict, value in rows.iter_rows()
        if value is not None
    }


def unit_of(figures: Sequence[Figure]) -> tuple[float, str, int]:
    """Return the unit that suits figures of a metric: its size, its label, and their digits."""
    values = sorted(abs(f.value) for f in figures)
    scale, unit = suited(values[len(values) // 2], figures[0].unit)
    metric = dictionary().get(figures[0].metric)
    return scale, unit_label(unit), (metric.digits if metric else None) or _DIGITS
