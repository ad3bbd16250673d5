"""Reports: choose one, read it here, or download it.

Code of its own: it makes documents and hands them out.
"""

from __future__ import annotations

import shlex

import polars as pl
import streamlit as st

from app.dashboard import components, filters, session
from app.dashboard.no_runs import no_runs
from app.reports.cache import cached_report
from app.reports.document import Document, ReportError
from app.reports.pdf import browser, pdf
from app.reports.presets import Option, Preset, Value, choices, presets
from app.reports.writing import zip_report
from app.results.queries import catalogue, runs
from app.results.reader import Reader

_HEIGHT = 1100  # pixels: about a page
_NONE = "choose one"


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header("Reports", "Written from the marts when you ask; nothing in them is fixed.")
    if not catalogue.any_load(reader):
        components.empty("Nothing is loaded yet, so there is nothing to report on.")
        return
    try:
        by_name = {preset.name: preset for preset in presets()}
        name = filters.choice("Report", [_NONE, *by_name], "report")
        if name == _NONE:
            _list(list(by_name.values()))
            return
        preset = by_name[name]
        components.note(preset.purpose)
        options = _options(reader, preset)
        if options is None:
            return
        document, page = cached_report(reader, preset, options)
    except ReportError as error:
        components.problem(str(error))
        return
    _downloads(document, page, preset, options)
    # A report has no scripts, and its own policy lets it load nothing.
    st.iframe(page, height=_HEIGHT, alt=f"Report: {document.title}")


def _list(known: list[Preset]) -> None:
    components.table(
        pl.DataFrame(
            {
                "report": [preset.name for preset in known],
                "purpose": [preset.purpose for preset in known],
                "options": [", ".join(o.name for o in preset.options) for preset in known],
            }
        ),
        "reports",
        columns={
            "report": "Report",
            "purpose": ("What it is for", 760),
            "options": "Options",
        },
    )


def _options(reader: Reader, preset: Preset) -> dict[str, Value] | None:
    """Draw a widget for each option; return what they are set to, or None without a choice."""
    values: dict[str, Value] = {}
    if not preset.options:
        return values
    with st.grid(min(len(preset.options), 3), min_column_width=240, gap="small"):
        for option in preset.options:
            offered = choices(reader, preset, option, values)
            if option.choices is not None and not offered:
                if runs.campaigns(reader).is_empty():
                    no_runs(reader, "This report is about runs or their records.")
                else:
                    needs = f" It needs {option.needs}." if option.needs else ""
                    components.empty(f"Nothing that is loaded suits this report.{needs}")
                return None
            values[option.name] = _option(option, offered)
    return values


def _option(option: Option, offered: list[str]) -> Value:
    if offered:
        return filters.choice(option.label, offered, option.name, is_free=option.is_free)
    if isinstance(option.default, int | float):
        return filters.amount(option.label, float(option.default), option.name)
    return filters.text(option.label, str(option.default or ""), option.name)


def _downloads(document: Document, page: str, preset: Preset, options: dict[str, Value]) -> None:
    stem = "-".join([preset.name, *(str(v) for v in options.values() if v)])[:60]
    stem = "".join(c if c.isalnum() or c in "-_." else "-" for c in stem)
    with st.container(horizontal=True):
        st.download_button(
            "HTML", page, f"{stem}.html", "text/html", icon=":material/download:",
            on_click="ignore",
        )  # fmt: skip
        if browser() is not None:
            st.download_button(
                "PDF", lambda: pdf(page), f"{stem}.pdf", "application/pdf",
                icon=":material/picture_as_pdf:", on_click="ignore",
            )  # fmt: skip
        st.download_button(
            "Markdown", lambda: zip_report(document, stem), f"{stem}.zip", "application/zip",
            icon=":material/download:", on_click="ignore",
            help="The text, and its charts as SVG, in one ZIP file",
        )  # fmt: skip
    if browser() is None:
        components.note(
            "PDF needs Chromium or Chrome on this server; any browser prints the HTML as well."
        )
    with st.expander("The same by command"):
        components.code(command(preset.name, f"{stem}.pdf", options))


def command(name: str, out: str, options: dict[str, Value]) -> str:
    """Return the shell command, without `perfhouse`, that writes a report with these options."""
    given = [
        f"--{option}={value}" if option in _FLAGS else f"--set={option}={value}"
        for option, value in options.items()
        if value not in {None, ""}
    ]
    return shlex.join(["report", name, "--out", out, *given])


_FLAGS = {"campaign", "origin", "run", "baseline", "candidate"}


if __name__ == "__main__":
    draw(session.reader())
