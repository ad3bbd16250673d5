"""The calibration report: figures as JSON, a page in Markdown, residual plots as SVG."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.base.family import Floats
from models_sim.calibration import blind
from models_sim.calibration.cross_validation import Calibration

_NUMBERS = Path("data") / "calibration.json"
_PAGE = Path("docs") / "calibration.md"
_PLOTS = Path("docs") / "calibration"

_INTRODUCTION = """\
# How well the models predict the published figures

Written by `make calibrate`; do not edit.

Errors are absolute, in percent of the measured figure: median / 90th percentile. *Train* is the
fit to all rows; *cross-validated* predicts each row of a printed table from a fit to the others.
Two baselines see the same folds: the nearest published row, and a log-linear regression with
interactions. *Inside* is the share of left-out figures within the 10-90 % band, *width* the median
of half the band's width. Figures that are not fitted because of an anomaly are not counted;
`data/calibration.json` lists them as `not fitted`.

Parameters of a mechanism are found by a least-squares search or stated by a document. The effects
of factor levels, spreads and linear weights are then estimated from what the mechanism leaves.
"""
_BOUNDS = """\
## What bounds the errors

- *z/OS cost*: the tail is rows whose factor level no other row has: ZLIBHIGH (36 % when left out),
  xLinux to USS over 1Gb (27 %), z/OS to xLinux over 10Gb (19 %). Common, signing and encrypting
  parts of AMS, instead of one cost per policy, brought its rows from 26 % to below 12 %.
- *Latency and loss cost*: a share of waiting time and of time online replaced a power law of the
  network time (5.6 / 14.7 %). Powers of the waiting share from 1 to 2 and other noise levels trade
  the median against the tail. A distance is left out with all its sizes, so nearest and farthest
  are extrapolated; 5000 km has an outlier (anomaly 16). PFTK's time-outs instead of a fitted
  exponent of the loss were worse (6.6 / 30 % for the rate), as only two lossy paths were measured.
- *Linux client, single*: the tail is files of 1 MB, whose times scatter from table to table (errors
  of 13 to 16 %).
- *Linux bindings, multi*: runs stall at random (anomaly 38), so no prediction can be narrow.
- *Channels 2-4 cost*: a row with another number of channels costs almost the same, which the
  nearest row uses.
- Lines with fewer than ten figures: shares inside the bands are those of a few figures.
"""


def measure(one: Calibration) -> dict[str, Any]:
    """Return the figures of one family: errors in percent by line, counts of parameters."""
    lines = one.family.lines(one.cells).to_numpy()
    rows = []
    for line in dict.fromkeys(lines):
        is_line = (lines == line) & ~one.flagged
        if not is_line.any():
            continue
        target = one.family.targets.get(str(line))
        rows.append(
            {
                "line": str(line),
                "figures": int(is_line.sum()),
                "target": list(target) if target else None,
                "train": _error(one.train[is_line]),
                "cross_validated": _error(one.cross[is_line]),
                "nearest_row": _error(one.nearest[is_line]),
                "regression": _error(one.regression[is_line]),
                "inside_percent": _share(one.inside[is_line], one.cross[is_line]),
                "band_half_width_percent": _percent(one.width[is_line]),
            }
        )
    described = [one.fitted.describe(name) for name in one.fitted]
    searched = sum(parameter.start is not None for parameter in described)
    stated = sum(bool(parameter.source) and parameter.start is None for parameter in described)
    return {
        "family": one.family.name,
        "lines": rows,
        "parameters": {
            "fitted by search": searched,
            "stated": stated,
            "estimated": len(described) - searched - stated,
        },
        "not fitted": one.cells.filter(one.flagged)["cell_id"].to_list(),
    }


def write(root: Path, measured: Sequence[Mapping[str, Any]], order: Sequence[str]) -> str:
    """Write the JSON and the page, and return the page's table.

    Families that were not measured this time keep their figures.
    """
    path = root / _NUMBERS
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    families = {family["family"]: family for family in (*entries, *measured)}
    kept = [families[name] for name in order if name in families]
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    parts = [_INTRODUCTION, _table(kept)]
    for family in kept:
        counts = ", ".join(f"{count} {kind}" for kind, count in family["parameters"].items())
        parts.append(f"## {family['family']}\n\nParameters: {counts}.\n")
        picture = _PLOTS / f"{family['family']}.svg"
        if (root / picture).exists():
            parts.append(f"![Errors when each figure is left out](calibration/{picture.name})\n")
    parts[2:2] = [_BOUNDS, blind.report(root)]
    (root / _PAGE).write_text("\n".join(parts), encoding="utf-8")
    return _table(kept)


def draw(root: Path, one: Calibration) -> None:
    """Plot the error of each left-out figure against the figure, by line; one plot per family."""
    frame = pl.DataFrame(
        {
            "measured": one.cells["value"],
            "error": 100 * (np.exp(-one.cross) - 1),
            "line": one.family.lines(one.cells),
        }
    ).filter(~one.flagged & np.isfinite(one.cross))
    if frame.is_empty():
        return
    plot = (
        alt.Chart(frame)
        .mark_circle(size=28, opacity=0.7)
        .encode(
            x=alt.X("measured:Q", scale=alt.Scale(type="log"), title="measured (unit of the line)"),
            y=alt.Y("error:Q", title="predicted - measured, %"),
            color=alt.Color("line:N", title=None, legend=alt.Legend(orient="bottom", columns=3)),
        )
        .properties(width=560, height=240)
    )
    (root / _PLOTS).mkdir(exist_ok=True)
    plot.save(str(root / _PLOTS / f"{one.family.name}.svg"))


def _share(inside: NDArray[np.bool_], cross: Floats) -> float | None:
    """Return the percentage inside the band, or None if nothing was left out."""
    return None if np.isnan(cross).any() else round(100 * float(inside.mean()), 1)


def _error(errors: Floats) -> list[float] | None:
    """Return median and 90th percentile of |predicted / measured - 1| in percent, or None."""
    if np.isnan(errors).any():
        return None
    percent = 100 * np.abs(np.exp(-errors) - 1)
    return [round(float(np.quantile(percent, q)), 2) for q in (0.5, 0.9)]


def _percent(width: Floats) -> float | None:
    finite = width[np.isfinite(width)]
    return round(100 * float(np.median(finite)), 1) if len(finite) else None


def _table(families: Sequence[Mapping[str, Any]]) -> str:
    heads = ("family", "figures", "target", "train", "cross-validated", "nearest row")
    head = "| " + " | ".join((*heads, "regression", "inside", "width")) + " |"
    lines = [head, "|---|---:|---|---|---|---|---|---:|---:|"]
    for family in families:
        for row in family["lines"]:
            pairs = ("target", "train", "cross_validated", "nearest_row", "regression")
            shown = [f"{row[key][0]:g} / {row[key][1]:g}" if row[key] else "-" for key in pairs]
            cells = (row["line"], str(row["figures"]), *shown)
            shares = (row["inside_percent"], row["band_half_width_percent"])
            last = ["-" if share is None else f"{share:g} %" for share in shares]
            lines.append("| " + " | ".join((*cells, *last)) + " |")
    return "\n".join(lines) + "\n"
