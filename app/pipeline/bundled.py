"""The bundled inputs: the published figures, and files that the simulator writes.

The simulated files are written once, into a folder named after a digest of the code that writes
them, so that files of an earlier version are never reused.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from app.pipeline.digest import digest_of
from app.pipeline.places import FILES, ROOT, home

__all__ = [
    "CAMPAIGNS",
    "PUBLISHED",
    "SAMPLES_SEED",
    "bundled_inputs",
    "published_figures",
    "samples",
]

#: "no": builds load no published figures.
PUBLISHED = "PERFHOUSE_PUBLISHED"

SAMPLES_SEED = 1
CAMPAIGNS = ("smoke", "z16", "zcx")
_WRITTEN_BY = (
    "ingest/formats/binary",
    "ingest/formats/layouts",
    "models_sim/base",
    "models_sim/models",
    "models_sim/predict.py",
    "models_sim/simulator",
)


def published_figures() -> list[Path]:
    """Return the files of published figures that every warehouse has, unless a site says no."""
    if os.environ.get(PUBLISHED, "").lower() == "no":
        return []
    return sorted((FILES / "data/published").glob("*.csv"))


def bundled_inputs() -> list[tuple[str, str]]:
    """Return (pattern, origin) of the published figures and of the simulated files."""
    return [(f"{FILES}/data/published/*.csv", "measured"), (str(samples()), "simulated")]


def samples() -> Path:
    """Return the folder of the simulated files: dumps of MQ and z/OS, and a folder per campaign.

    They are written if they are missing, and appear all at once.
    """
    from models_sim.simulator.campaigns import simulate, write
    from models_sim.simulator.mq.samples import write_samples
    from models_sim.simulator.zos.write import write_zos_samples

    parent = home() / "samples"
    folder = parent / digest_of(ROOT / module for module in _WRITTEN_BY)
    if folder.exists():
        return folder
    parent.mkdir(parents=True, exist_ok=True)
    earlier = [path for path in parent.iterdir() if not path.name.startswith("draft-")]
    with tempfile.TemporaryDirectory(prefix="draft-", dir=parent) as draft:
        written = Path(draft) / "written"
        write_samples(written, SAMPLES_SEED)
        write_zos_samples(written, SAMPLES_SEED)
        for name in CAMPAIGNS:
            write(simulate(name, SAMPLES_SEED), written / name)
        try:
            written.rename(folder)
        except OSError:  # another process was faster
            if not folder.exists():
                raise
    for path in earlier:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return folder
