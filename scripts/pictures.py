"""Pictures of all pages for docs: `python -m scripts.pictures WAREHOUSE [FOLDER]`.

WAREHOUSE is a published file, in the data folder if pages are to show commands without its path.
Each page becomes FOLDER/NAME.webp (default: docs/pages), and in the
dark theme and on a phone FOLDER/dark/NAME.webp and FOLDER/phone/NAME.webp.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from app.dashboard.navigation import VIEWS
from app.pipeline.places import ROOT
from scripts.serving import CHROMIUM_OPTIONS, SETTLED, serving

MOST_BYTES = 60_000
#: How a browser shows the pages, by the folder of their pictures.
SCREENS: dict[str, dict[str, Any]] = {
    "": {"viewport": {"width": 1440, "height": 1000}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1440, "height": 1000}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light",
              "is_mobile": True, "has_touch": True, "device_scale_factor": 1.5,
              "user_agent": "Mozilla/5.0 (Linux; Android 14) Chrome/140.0 Mobile Safari/537.36"},
}  # fmt: skip
#: What a page shows instead of its defaults, where another choice tells more.
_NIGHTLY = "campaign=nightly"
_SYSTEM = "systems=PLEX1/SY1"  # of the bundled data, as the queue manager
_QUEUE_MANAGER = "qm=SYN1/SYQ1"
CHOSEN = {
    "cost": _NIGHTLY,
    "runs": _NIGHTLY,
    "run": "run=nightly-20260302T031500",
    "noise": _NIGHTLY,
    **dict.fromkeys(("system-health", "lpars", "workload", "address-spaces", "coupling-facility",
                     "storage", "crypto-and-hardware"), _SYSTEM),
    **dict.fromkeys(("mq-health", "queue-manager", "logs-and-page-sets", "shared-queues", "queues",
                     "channel-initiator", "tasks-and-queues"), _QUEUE_MANAGER),
    "reports": "report=nightly",
}  # fmt: skip
_QUALITIES = (80, 60, 40, 20)
_DRAWN = """() => [...document.querySelectorAll('[data-testid=stVegaLiteChart]')]
    .every(chart => chart.querySelector('svg, canvas'))"""


def small(png: bytes) -> bytes:
    """Return a picture as WebP, as good as fits into MOST_BYTES."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    for quality in _QUALITIES:
        reduced = io.BytesIO()
        picture.save(reduced, "webp", quality=quality, method=6)
        if reduced.tell() <= MOST_BYTES:
            break
    return reduced.getvalue()


def write(file: Path, folder: Path, paths: Sequence[str] = ()) -> None:
    """Write pictures of these pages of the dashboard (none: of all) on a published file."""
    browser = os.environ.get("PERFHOUSE_CHROMIUM") or shutil.which("chromium")
    with serving(file) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=CHROMIUM_OPTIONS)
        for name, screen in SCREENS.items():
            (folder / name).mkdir(parents=True, exist_ok=True)
            tab = chromium.new_page(**screen)
            tab.set_default_timeout(120_000)
            for view in VIEWS:
                if paths and view.path not in paths:
                    continue
                tab.goto(f"{address}/{view.path}?{CHOSEN.get(view.path, '')}".rstrip("?"))
                tab.wait_for_selector("h1")
                tab.wait_for_timeout(300)
                tab.wait_for_function(SETTLED)
                tab.wait_for_function(_DRAWN)
                tab.wait_for_timeout(1000)  # tables are drawn when they have their fonts
                written = folder / name / f"{view.path}.webp"
                written.write_bytes(small(tab.screenshot()))
                print(f"{written}  {written.stat().st_size:,} bytes", flush=True)
            tab.close()
        chromium.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("warehouse", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs" / "pages")
    parser.add_argument("--pages", nargs="*", default=(), metavar="PATH", help="only these")
    given = parser.parse_args()
    write(given.warehouse.resolve(), given.folder, given.pages)
