"""The files of a campaign, in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ingest.binary.write import frame_records
from models_sim.campaign.campaign import Campaign
from models_sim.campaign.manifest import manifest
from models_sim.campaign.messaging import add_messaging
from models_sim.campaign.site import SITE
from models_sim.campaign.transfers import transfers
from models_sim.outputs import write_output
from models_sim.zos.log import Log
from models_sim.zos.write import add_records

__all__ = ["CampaignError", "write"]

ORIGIN = "ORIGIN"  # the file that says where all files of its folder come from


class CampaignError(ValueError):
    """A campaign cannot be written; the message is one line for a person."""


def write(
    campaign: Campaign, folder: Path, written: Callable[[Path], None] | None = None
) -> list[Path]:
    """Write the files of a campaign into a folder that is empty or not there; return their paths.

    `written` is told each file. Raises CampaignError where the folder is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CampaignError(f"{folder} is not empty")
    paths = []
    for name, content in _contents(campaign):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        paths.append(path)
        if written:
            written(path)
    return paths


def _contents(campaign: Campaign) -> Iterator[tuple[str, bytes]]:
    """The path of each file in the folder, and its bytes."""
    yield ORIGIN, b"simulated\n"
    yield "manifest.json", write_output("run_manifest", manifest(campaign.runs))
    yield "mft/transfers.xml", write_output("mft_xml", transfers(campaign.runs))
    log = Log(SITE.offset)
    add_records(log, SITE, campaign.frames, campaign.seed)
    add_messaging(log, campaign.runs, campaign.frames)
    for system, records in log.compose().items():
        yield f"smf/{system}.smf", b"".join(frame_records(records))
