"""Five seeds of nights with changes that the seed draws, judged every third night (see scoring).

The figures are also written to docs/developers/nightly-figures.md, unless --quick (every twelfth
night of the first seed only).
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from models_sim.simulator.campaigns.scenarios.nightly import CONFIGURATIONS, NIGHTS
from tests.bench.scoring import has_passed, page_of, scored_seeds, totals

PAGE = Path(__file__).parents[2] / "docs" / "developers" / "nightly-figures.md"
CAMPAIGN, EVERY = "nightly-mixed", 3  # nights: a check is one of so many
HEAD = [
    "# Figures of drawn changes",
    "",
    "Written by `python -m tests.bench nightly`; [regressions.md](../regressions.md) has the",
    "rules, tests/bench/scoring.py how a report is compared with the truth. The scenario",
    f"`{CAMPAIGN}` is **simulated**: {NIGHTS} nights of {len(CONFIGURATIONS)} configurations with",
    "1 % noise between runs, and changes that the seed draws. Every third night was judged. What",
    "has to be found is in the TRUTH.json of each campaign.",
]


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures, and whether all was found once and nothing else."""
    scored = scored_seeds(console, folder, CAMPAIGN, every=EVERY, quick=quick)
    page = page_of(HEAD, scored)
    console.print(page, markup=False, highlight=False)
    if not quick:
        PAGE.write_text(page)
    return totals(scored), quick or has_passed(scored)
