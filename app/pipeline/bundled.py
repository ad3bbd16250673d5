"""What every checkout can load: the published figures, and what the simulator makes of them.

The simulated files are made once, into a folder whose name tells the code that made them: files of
an earlier version are never taken for those of this one.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from app.pipeline.places import ROOT

__all__ = ["CAMPAIGNS", "SAMPLES_SEED", "bundled_inputs", "samples"]

PUBLISHED = ROOT / "data" / "published"
SAMPLES = ROOT / "data" / "samples"
SAMPLES_SEED = 1
CAMPAIGNS = ("smoke", "z16", "zcx")
_MADE_BY = ("models_sim", "ingest/binary", "ingest/layouts")
_CODE = {".py", ".toml"}


def bundled_inputs() -> list[tuple[str, str]]:
    """(pattern, origin) of the published figures and of the simulated files."""
    return [(f"{PUBLISHED}/*.csv", "measured"), (str(samples()), "simulated")]


def samples() -> Path:
    """The folder of the simulated files: dumps of MQ and z/OS, and a folder for each campaign.

    They are made if they are not there yet, and appear all at once.
    """
    from models_sim.simulator.campaigns import simulate, write
    from models_sim.simulator.mq.samples import write_samples
    from models_sim.simulator.zos.write import write_zos_samples

    folder = SAMPLES / _version()
    if folder.exists():
        return folder
    SAMPLES.mkdir(parents=True, exist_ok=True)
    earlier = [path for path in SAMPLES.iterdir() if not path.name.startswith("draft-")]
    with tempfile.TemporaryDirectory(prefix="draft-", dir=SAMPLES) as draft:
        made = Path(draft) / "made"
        write_samples(made, SAMPLES_SEED)
        write_zos_samples(made, SAMPLES_SEED)
        for name in CAMPAIGNS:
            write(simulate(name, SAMPLES_SEED), made / name)
        try:
            made.rename(folder)
        except OSError:  # another process was quicker
            if not folder.exists():
                raise
    for path in earlier:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return folder


def _version() -> str:
    """A name for all that the simulated files depend on."""
    digest = hashlib.sha256()
    for place in _MADE_BY:
        for file in sorted((ROOT / place).rglob("*")):
            if file.suffix in _CODE:
                digest.update(file.relative_to(ROOT).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()[:12]
