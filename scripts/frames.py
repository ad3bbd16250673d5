"""What every declared page says of every owner, to compare before and after a change.

python -m scripts.frames WAREHOUSE > before.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from app.results.answers import answers, labels, scope_of
from app.results.pages import files, page_of
from app.results.reader import Reader


def frames(reader: Reader) -> dict[str, object]:
    """Return the rows of each answer, by page, owner and title."""
    return {
        f"{file.stem}, {label}: {answer.title}": answer.frame.to_dicts()
        for file in files()
        for page in [page_of(file)]
        for label in labels(reader, page.owner)
        for answer in answers(reader, page, scope_of(reader, page.owner, label * bool(page.owner)))
    }


if __name__ == "__main__":
    json.dump(frames(Reader(Path(sys.argv[1]))), sys.stdout, indent=1, default=str)
