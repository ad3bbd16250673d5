"""The bundled inputs: the published figures, and files that the simulator writes.

The simulated files are written once, into a folder named after a digest of the code that writes
them, so that files of an earlier version are never reused.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from app.pipeline.places import FILES, ROOT, home

__all__ = ["CAMPAIGNS", "SAMPLES_SEED", "bundled_inputs", "samples"]

SAMPLES_SEED = 1
CAMPAIGNS = ("smoke", "z16", "zcx")
_WRITTEN_BY = ("models_sim", "ingest/binary", "ingest/layouts")
_CODE = {".py", ".toml"}


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
    folder = parent / _version()
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


def _version() -> str:
    """Return a digest of everything that the simulated files depend on."""
    digest = hashlib.sha256()
    for place in _WRITTEN_BY:
        for file in sorted((ROOT / place).rglob("*")):
            if file.suffix in _CODE:
                digest.update(file.relative_to(ROOT).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()[:12]
