"""Whether the changes in the campaign `nightly` are found, when, and with the right cause.

Five seeds, judged every third night (see scoring). The figures are also written to
docs/developers/regressions-figures.md, unless --quick (every twelfth night of the first seed only).
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from models_sim.simulator.campaigns.scenarios.nightly import CONFIGURATIONS, NIGHTS
from tests.bench.scoring import has_passed, page_of, scored_seeds, totals

PAGE = Path(__file__).parents[2] / "docs" / "developers" / "regressions-figures.md"
CAMPAIGN, EVERY = "nightly", 3  # nights: a check is one of so many
HEAD = [
    "# Figures of the regressions",
    "",
    "Written by `python -m tests.bench regressions`; [regressions.md](../regressions.md) has the",
    "rules, tests/bench/scoring.py how a report is compared with the truth. The campaign",
    f"`{CAMPAIGN}` is **simulated**: {NIGHTS} nights of {len(CONFIGURATIONS)} configurations with",
    "1 % noise between runs, and the changes below. Every third night was judged. Lasting changes",
    "for the worse of at least twice the noise have to be found. `what` is the metric that people",
    "look at; a report may name another one that changed more, such as the wait that caused it.",
]


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures, and whether all was found once and nothing else."""
    scored = scored_seeds(console, folder, CAMPAIGN, every=EVERY, quick=quick)
    page = page_of(HEAD, scored)
    console.print(page, markup=False, highlight=False)
    if not quick:
        PAGE.write_text(page)
    return totals(scored), quick or has_passed(scored)
