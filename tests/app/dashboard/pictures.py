"""Pictures of all pages for docs: `python -m tests.app.dashboard.pictures WAREHOUSE [FOLDER]`.

WAREHOUSE is a published file. Each page becomes FOLDER/NAME.png (default: docs/pages).
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from app.dashboard.navigation import VIEWS
from tests.serving import CHROMIUM_OPTIONS, ROOT, SETTLED, serving

WIDTH, HEIGHT = 1280, 1000  # pixels
MOST_BYTES = 120_000
#: What a page shows instead of its defaults, where another choice tells more.
_NIGHTLY = "campaign=nightly"
_SYSTEM = "systems=PLEX1/SY1"  # of the bundled data, as the queue manager
_QUEUE_MANAGER = "qm=SYN1/SYQ1"
CHOSEN = {
    "comparison": "preset=001%20cost8000",
    "cost": _NIGHTLY,
    "runs": _NIGHTLY,
    "run": "run=nightly-20260302T031500",
    "noise": _NIGHTLY,
    **dict.fromkeys(("system-health", "lpars", "workload", "address-spaces", "coupling-facility",
                     "storage", "crypto-and-hardware"), _SYSTEM),
    **dict.fromkeys(("mq-health", "queue-manager", "logs-and-page-sets", "shared-queues", "queues",
                     "channel-initiator", "tasks-and-queues"), _QUEUE_MANAGER),
    "reports": "report=nightly",
    "hosts": "campaign=zcx",
}  # fmt: skip
_COLOURS = (256, 128, 64, 32, 16)
_DRAWN = """() => [...document.querySelectorAll('[data-testid=stVegaLiteChart]')]
    .every(chart => chart.querySelector('svg, canvas'))"""


def small(png: bytes) -> bytes:
    """Return a picture with as many colours as fit into MOST_BYTES, at least 16."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    for colours in _COLOURS:
        reduced = io.BytesIO()
        # the dither of a plain background would take most of the room
        few = picture.quantize(colours, dither=Image.Dither.NONE)
        few.save(reduced, "png", optimize=True)
        if reduced.tell() <= MOST_BYTES:
            break
    return reduced.getvalue()


def write(file: Path, folder: Path) -> None:
    """Write a picture of each page of the dashboard on a published file."""
    folder.mkdir(parents=True, exist_ok=True)
    browser = os.environ.get("PERFHOUSE_CHROMIUM") or shutil.which("chromium")
    with serving(file) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=CHROMIUM_OPTIONS)
        tab = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        tab.set_default_timeout(120_000)
        for view in VIEWS:
            tab.goto(f"{address}/{view.path}?{CHOSEN.get(view.path, '')}".rstrip("?"))
            tab.wait_for_selector("h1")
            tab.wait_for_timeout(300)
            tab.wait_for_function(SETTLED)
            tab.wait_for_function(_DRAWN)
            tab.wait_for_timeout(1000)  # tables are drawn when they have their fonts
            written = folder / f"{view.path}.png"
            written.write_bytes(small(tab.screenshot()))
            print(f"{written}  {written.stat().st_size:,} bytes")
        chromium.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("warehouse", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs" / "pages")
    given = parser.parse_args()
    write(given.warehouse.resolve(), given.folder)
