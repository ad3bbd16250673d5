"""Write what every page of the dashboard shows, a text file a page: to compare before and after.

python -m scripts.page_frames WAREHOUSE FOLDER [PATH[?NAME=VALUE&...]...]; then diff -r two folders.
"""

from __future__ import annotations

import os
import re
import sys
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import polars as pl
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from app.dashboard.navigation import VIEWS
from scripts.reads import ROOT


def block_lines(block: Any) -> list[str]:
    """Return the lines of a block of a page: texts, inputs, tables and the data of charts."""
    lines: list[str] = []
    for element in block.children.values():
        if hasattr(element, "children"):
            lines += [f"[{element.label}]"] if getattr(element, "label", None) else []
            lines += block_lines(element)
        elif element.type in ("arrow_data_frame", "dataframe"):
            lines += [f"table {element.proto.columns} {list(element.proto.column_order)}",
                      _written(element.proto.arrow_data.data)]  # fmt: skip
        elif element.type == "vega_lite_chart":
            lines += ["chart", *(_written(each.data.data) for each in element.proto.datasets)]
        elif element.type == "metric":
            lines.append(f"{element.label}: {element.value}")
        elif element.type == "page_link":
            lines.append(f"link {element.proto.page} {element.proto.query_string}: "
                         f"{element.proto.label}")  # fmt: skip
        elif element.type != "html":
            value = getattr(element, "value", "")
            lines.append(f"{element.type} {getattr(element, 'label', '') or ''} {value}")
    return lines


def _written(arrow: bytes) -> str:
    return pl.read_ipc_stream(BytesIO(arrow)).head(2000).select(
        pl.all().map_batches(lambda column: column.cast(pl.String, strict=False)
                             if not column.dtype.is_nested() else column.map_elements(
                                 str, return_dtype=pl.String))
    ).write_csv()  # fmt: skip


def main(warehouse: str, folder: str, *pages: str) -> None:
    """Open the pages (default: all) and write what they show."""
    os.environ["PERFHOUSE_WAREHOUSE"] = warehouse
    into = Path(folder)
    into.mkdir(parents=True, exist_ok=True)
    for page in pages or [view.path for view in VIEWS]:
        path, _, address = page.partition("?")
        test = AppTest.from_file(str(ROOT / "app/dashboard/main.py"), default_timeout=300)
        test._page_hash = calc_hash(path)
        for name, values in parse_qs(address).items():
            test.query_params[name] = values
        test.run()
        lines = []
        for part in (test.sidebar, test.main):
            lines += block_lines(part)
        lines += [str(exception.message) for exception in test.exception]
        file = into / (re.sub(r"\W+", "-", page) + ".txt")
        file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
