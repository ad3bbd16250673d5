"""Write the files of a campaign into a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import polars as pl

from ingest.formats.binary.write import frame_records
from models_sim.simulator.campaigns.campaign import Campaign, CampaignError
from models_sim.simulator.campaigns.manifest import manifest
from models_sim.simulator.campaigns.messaging.audit import audit_records
from models_sim.simulator.campaigns.messaging.work import add_messaging
from models_sim.simulator.campaigns.reports import reports
from models_sim.simulator.campaigns.scenarios import SCENARIOS, Production
from models_sim.simulator.campaigns.scenarios.changes import TRUTH_FILE
from models_sim.simulator.campaigns.site import SITE, SOURCE, site_of
from models_sim.simulator.campaigns.systems.frames import intervals
from models_sim.simulator.campaigns.transfers import transfers
from models_sim.simulator.log import Log
from models_sim.simulator.outputs.rmf import write_reports
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import Sysplex
from models_sim.simulator.zos.write import add_records, records_of

__all__ = ["ORIGIN", "CampaignError", "contents", "production_files", "run_outputs", "write",
           "write_files"]  # fmt: skip

#: The file with the origin of all files in its folder.
ORIGIN = "ORIGIN"


def write(
    campaign: Campaign, folder: Path, written: Callable[[Path], None] | None = None
) -> list[Path]:
    """Write the files of a campaign into an empty or new folder; return their paths.

    `written` is called with each path. Raise CampaignError if the folder is not empty.
    """
    return write_files(contents(campaign), folder, written)


def write_files(
    files: Iterable[tuple[str, bytes]],
    folder: Path,
    written: Callable[[Path], None] | None = None,
) -> list[Path]:
    """Write files, given by their path in an empty or new folder; see `write`."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CampaignError(f"{folder} is not empty")
    paths = []
    for name, content in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        paths.append(path)
        if written:
            written(path)
    return paths


def contents(campaign: Campaign) -> Iterator[tuple[str, bytes]]:
    """Yield the path of each file in the folder, and its bytes."""
    yield ORIGIN, b"simulated\n"
    scenario = SCENARIOS[campaign.scenario]
    if scenario.truth and _is_whole(campaign):
        yield TRUTH_FILE, scenario.truth(campaign.seed).encode()
    if scenario.production:
        yield from production_files(scenario.production(campaign.seed), campaign.seed)
    if not campaign.runs.height:
        return
    yield "manifest.json", manifest(campaign.runs)
    if moved := transfers(campaign.runs):
        yield "mft/transfers.xml", moved
    yield from run_outputs(campaign)
    if not campaign.frames["interval"].height:
        return
    log = Log(SITE.offset)
    parts = list(_by_site(campaign))
    for site, frames in parts:
        add_records(log, site, frames, campaign.seed)
    add_messaging(log, campaign.runs, campaign.frames)
    audits = audit_records(campaign.runs, campaign.seed)
    if audits:
        yield f"smf/{SOURCE}-AMS.smf", b"".join(frame_records(audits))
    for system, records in log.compose().items():
        yield f"smf/{system}.smf", b"".join(frame_records(records))
    for name, printed in reports(parts, campaign.seed):
        yield f"rmf/{name}.txt", write_reports(printed)


def _is_whole(campaign: Campaign) -> bool:
    """Whether it has more than one session: the changes in a night are those of its campaign."""
    runs = campaign.runs
    return "session" in runs.columns and runs["session"].n_unique() > 1


def run_outputs(campaign: Campaign) -> Iterator[tuple[str, bytes]]:
    """Yield the outputs of tools by path; each run has its own folder."""
    outputs = SCENARIOS[campaign.scenario].outputs
    for run in campaign.runs.iter_slices(1):
        for name, content in outputs(run).items():
            yield f"bench/{run['run_id'].item()}/{name}", content


def production_files(work: Production, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield the dumps and reports of work that is not a run."""
    for system, (header, *records, trailer) in records_of(work.site, work.frames, seed).items():
        both = sorted([*records, *work.records.get(system, ())], key=_header_time)
        yield f"smf/{system}.smf", b"".join(frame_records([header, *both, trailer]))
    for name, printed in reports([(work.site, work.frames)], seed):
        yield f"rmf/{name}.txt", write_reports(printed)


def _header_time(record: bytes) -> tuple[bytes, bytes]:
    """Return date and time from a record's header, after its descriptor word."""
    return record[10:14], record[6:10]


def _by_site(campaign: Campaign) -> Iterator[tuple[Sysplex, Frames]]:
    """Yield the frames of each site's intervals.

    A quiet interval belongs to the previous run's site.
    """
    runs = campaign.runs.select("run_no", "machine", "cpus")
    spans = intervals(campaign.runs).join(runs, on="run_no", how="left")
    spans = spans.sort("interval").select("interval", pl.col("machine", "cpus").forward_fill())
    sites = spans.select("machine", "cpus").unique(maintain_order=True).rows()
    if len(sites) == 1:
        yield site_of(*sites[0]), campaign.frames
        return
    for machine, cpus in sites:
        mine = (pl.col("machine") == machine) & pl.col("cpus").eq_missing(cpus)
        mine_only = spans.filter(mine).select("interval")
        yield (
            site_of(machine, cpus),
            {
                name: frame.join(mine_only, on="interval", how="semi", maintain_order="left")
                for name, frame in campaign.frames.items()
            },
        )
