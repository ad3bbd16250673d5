"""Dumps that many tests read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.pipeline.places import ROOT

SAMPLES = Path(os.environ.get("PERFHOUSE_SAMPLES", ROOT.parent / "shared/samples"))


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the real sample dumps (mq-smf/, peer-csv/); skips if it is missing."""
    if not (SAMPLES / "mq-smf").is_dir():
        pytest.skip(f"no sample dumps in {SAMPLES} (PERFHOUSE_SAMPLES names another folder)")
    return SAMPLES


@pytest.fixture(scope="session")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Small synthetic dumps, always the same."""
    from models_sim.simulator.mq.samples import write_samples

    return write_samples(tmp_path_factory.mktemp("dumps"), 1)
