"""What all tests share: a quiet environment and the place of the real sample dumps."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# The same settings as under make, also when pytest is called by itself.
for _line in (ROOT / "scripts/quiet.env").read_text().splitlines():
    if _match := re.fullmatch(r"([A-Z_]+)=(.*)", _line):
        os.environ.setdefault(*_match.groups())


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the real sample dumps (mq-smf/, peer-csv/); skips where there is none."""
    folder = Path(os.environ.get("PERFHOUSE_SAMPLES", ROOT.parent / "shared/samples"))
    if not (folder / "mq-smf").is_dir():
        pytest.skip(f"no sample dumps in {folder} (PERFHOUSE_SAMPLES names another folder)")
    return folder
