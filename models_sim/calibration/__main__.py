"""Fit the families to the published figures, and report how good the fits are.

    python -m models_sim.calibration [--family NAME]

Reads data/published and rewrites the families' parameters, docs/calibration.md,
docs/calibration/*.svg, data/calibration.json and docs/claims.md. With --family only that family
is fitted; the figures of the others stay as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from models_sim.base import parameters, published
from models_sim.calibration import claims, report
from models_sim.calibration.cross_validation import calibrate
from models_sim.calibration.fits import FITS
from models_sim.predict import FAMILIES


def main(argv: Sequence[str] | None = None) -> int:
    """Calibrate and write the reports; return the exit status."""
    names = [family.name for family in FAMILIES]
    parser = argparse.ArgumentParser(prog="calibration", description="fit the families")
    parser.add_argument("--family", choices=names, help="fit only this one (default: all)")
    wanted = parser.parse_args(argv).family
    cells = published.cells()
    measures = []
    for family in FAMILIES:
        if wanted in (None, family.name):
            start = parameters.load(family.file)
            measures.append(calibrate(family, FITS[family.name], cells, start))
            parameters.save(family.file, measures[-1].fitted)
    for measured in measures:
        report.draw(published.ROOT, measured)
    table = report.write(published.ROOT, [report.measure(measured) for measured in measures], names)
    sys.stdout.write(f"{table}\n{claims.write(published.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
