"""What a configuration of a modelled system would do, and how certain that is.

Code of its own: its figures are computed for the settings, not queried.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import streamlit as st

from app.charts.band import banded
from app.dashboard import components, filters, session, units
from app.results.labels import unit_label
from app.results.metrics import sensible
from app.results.queries import catalogue
from app.results.queries.nearest import nearest
from app.results.reader import Reader
from app.results.words import listed
from models_sim.systems import SYSTEMS, Factor, Setting, System, ask, sweep

_STEPS = 25  # points of a curve


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "Simulator",
        "Choose a configuration: what the models that are fitted to the published figures expect.",
    )
    if not catalogue.any_load(reader):
        components.empty("Nothing is loaded yet: there are no published figures to compare with.")
        return
    name = filters.choice("System", [system.name for system in SYSTEMS], "system")
    system = next(system for system in SYSTEMS if system.name == name)
    settings = _settings(system)
    answers = ask(system, settings)
    _tiles(answers)
    _figures(answers)
    _sweep(system, settings)
    _nearest(reader, system, settings)


def _settings(system: System) -> dict[str, Setting]:
    """Draw a widget for each factor; return what they are set to."""
    settings: dict[str, Setting] = {}
    with st.grid(6, min_column_width=170, gap="small"):
        for factor in system.factors:
            settings[factor.name] = _setting(factor)
    return settings


def _setting(factor: Factor) -> Setting:
    title = _title(factor)
    usual = factor.choices[0]
    if not factor.is_number:
        return filters.choice(title, [str(choice) for choice in factor.choices], factor.name)
    return float(filters.amount(title, float(usual), factor.name))


def _title(factor: Factor) -> str:
    return f"{factor.label}, {factor.unit}" if factor.unit else factor.label


def _tiles(answers: pl.DataFrame) -> None:
    components.tiles(
        {
            row["label"]: (
                units.quantity(row["predicted"], unit_label(row["unit"])),
                f"{units.number(row['low'])} to {units.number(row['high'])}"
                if row["predicted"] is not None
                else "",
            )
            for row in sensible(answers.head(6), ("predicted", "low", "high")).to_dicts()
        }
    )
    components.note("Below each figure: the band that holds eight of ten measurements.")
    cautions = answers.drop_nulls("caution").group_by("caution", maintain_order=True).agg("label")
    for caution, labels in cautions.iter_rows():
        components.info(f"{listed(labels)}: {caution.strip()}.", "warning")
    reasons = answers.drop_nulls("reason").group_by("reason", maintain_order=True).agg("label")
    for reason, labels in reasons.iter_rows():
        components.info(f"{listed(labels)}: no figure, {reason}.", "block")


def _figures(answers: pl.DataFrame) -> None:
    with st.expander("As a table"):
        components.table(
            answers,
            "predicted",
            columns={
                "label": "Figure",
                "predicted": components.figure("Expected"),
                "low": components.figure("10 %"),
                "high": components.figure("90 %"),
                "unit": "Unit",
                "caution": "Caution",
                "reason": "Why there is no figure",
            },
        )


def _sweep(system: System, settings: dict[str, Setting]) -> None:
    components.section("One factor", "Everything else as above.")
    labels = {factor.label: factor for factor in system.factors}
    factor = labels[filters.choice("Factor", list(labels), "sweep", default=_default(system))]
    swept = sweep(system, settings, factor, _points(factor, settings[factor.name]))
    title = _title(factor)
    with components.panels():
        for (label, unit), rows in swept.group_by("label", "unit", maintain_order=True):
            drawn = rows.drop_nulls("predicted")
            chart = None
            if not drawn.is_empty():
                order = [str(choice) for choice in factor.choices]
                chart = banded(drawn, x=title, unit=unit_label(str(unit)), order=order)
            components.panel(
                f"{label} by {factor.label.lower()}", chart, empty="The models do not say."
            )


def _default(system: System) -> str:
    numbers = [factor.label for factor in system.factors if factor.is_number]
    return (numbers or [system.factors[0].label])[0]


def _points(factor: Factor, setting: Setting) -> list[Setting]:
    """Return the settings to draw: the choices, or points between the smallest and the largest."""
    if not factor.is_number:
        return list(factor.choices)
    points = [float(choice) for choice in (*factor.choices, setting)]
    low, high = min(points), max(points)
    if factor.name in ("channels", "cpus"):
        return [float(i) for i in range(round(low), round(high) + 1)]
    if low > 0 and high / low > 30:
        return [float(x) for x in np.geomspace(low, high, _STEPS)]
    return [float(x) for x in np.linspace(low, high, _STEPS)]


def _nearest(reader: Reader, system: System, settings: dict[str, Setting]) -> None:
    metrics = tuple(dict.fromkeys(figure.metric for figure in system.figures))
    names = {factor.name: _title(factor) for factor in system.factors}
    rows = nearest(reader, system.document, metrics, settings | dict(system.says), names)
    components.section(
        "Nearest published figures", f"Of document {system.document}: those with the fewest "
        "different factors first.",
    )  # fmt: skip
    if rows.is_empty():
        components.info("No published figures of its metrics are loaded.", "menu_book")
        return
    components.table(
        rows.with_columns(differs=pl.col("differs").replace("", "nothing")),
        "nearest",
        columns={
            "metric": "Metric",
            "value": "Published",
            "unit": "Unit",
            "differs": "Differs in",
            "configuration_label": "Configuration",
            "file_size_mb": "File, MB",
            "table_id": "Table",
            "cell_id": "Cell",
        },
    )


if __name__ == "__main__":
    draw(session.reader())
