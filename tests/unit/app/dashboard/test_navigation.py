"""The menu and the theme."""

import itertools
import subprocess
import sys
import tomllib

import numpy as np
import pytest

from app.charts.style import COLORS
from app.dashboard.navigation import VIEWS
from app.results.pages import files, page_of
from tests.kit.dashboard import MAIN

LONGEST_DECLARED = 30  # lines
THEME = tomllib.loads((MAIN.parent / ".streamlit" / "config.toml").read_text())["theme"]


def test_every_view_is_in_the_navigation():
    scripts = {file for file in (MAIN.parent / "views").glob("*.py") if file.stem != "__init__"}
    assert scripts
    declared = {file for file in files() if page_of(file).owner not in ("run", "campaign")}
    assert {view.script for view in VIEWS} == scripts | declared


def test_titles_and_paths_are_unique():
    assert len({view.title for view in VIEWS}) == len(VIEWS)
    assert len({view.path for view in VIEWS}) == len(VIEWS)


def linear(colour):
    """Return the linear RGB of #rrggbb."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Return the contrast ratio of WCAG 2."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    dark, light = sorted([linear(one) @ weights, linear(other) @ weights])
    return (light + 0.05) / (dark + 0.05)


def oklab(rgb):
    to_lms = np.array(
        [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
         [0.0883024619, 0.2817188376, 0.6299787005]]
    )  # fmt: skip
    to_lab = np.array(
        [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
         [0.0259040371, 0.7827717662, -0.8086757660]]
    )  # fmt: skip
    return to_lab @ np.cbrt(to_lms @ np.clip(rgb, 0, 1))


# Machado, Oliveira and Fernandes (2009), severity 1.0; linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
}  # fmt: skip


def test_documents_and_pages_have_the_same_colours():
    assert THEME["light"]["chartCategoricalColors"] == list(COLORS)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_series_stand_out_from_the_background(mode):
    background = THEME[mode]["backgroundColor"]
    colours = THEME[mode]["chartCategoricalColors"]
    assert len(colours) == 8
    assert min(contrast(colour, background) for colour in colours) >= 2.95
    assert contrast(THEME[mode]["textColor"], background) >= 7


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_series_can_be_told_apart_with_colour_blindness(mode, sight):
    seen = [
        oklab(SIGHT[sight] @ linear(colour)) for colour in THEME[mode]["chartCategoricalColors"]
    ]
    apart = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
    assert apart >= 0.06  # OKLab; 0.02 is just visible side by side


def test_a_view_that_is_not_declared_says_why_it_has_code_of_its_own():
    scripts = {view.script for view in VIEWS if not view.is_declared}
    own = {file for file in scripts if file.read_text().count("\n") > LONGEST_DECLARED}
    assert len(own) < len(VIEWS) * 2 / 3
    assert {file for file in own if "\nCode of its own: " not in file.read_text()} == set()


def test_pages_can_be_imported_before_anybody_opens_one():
    script = (
        "import sys; from app.dashboard.serve import _import_pages; _import_pages();"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    warned = done.stderr.splitlines()  # of what needs a page; caches need the server
    assert [line for line in warned if "No runtime found" not in line] == []
    pages = {f"app.dashboard.views.{v.script.stem}" for v in VIEWS if not v.is_declared}
    drawing = {"altair", "duckdb", "pandas", "polars"}
    assert pages | drawing <= set(done.stdout.split())
