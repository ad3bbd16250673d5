"""What documents 000 and 003 say beside the tables of Appendix C: one run for each statement.

Compression, TLS and AMS; distance; message-to-file; the JIT of the agent on Linux; the settings of
agents; block sizes; put to waiting getter; the paths with the highest rates.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.predict import predict
from models_sim.simulator.campaigns.messaging.channels import status
from models_sim.simulator.campaigns.scenarios.definition import (
    USUAL,
    Outputs,
    Scenario,
    noise_of,
    with_labels,
)
from models_sim.simulator.campaigns.scenarios.mft_zos import DISTANCE, KM_PER_MS, SIZES
from models_sim.simulator.campaigns.site import AGENT, CHUNK
from models_sim.simulator.outputs import tools

__all__ = ["SCENARIO"]

_BETWEEN: dict[str, Any] = {"source": "z/OS", "target": "z/OS", "file_size_mb": 1024}
_TEXT: dict[str, Any] = {"source": "USS", "target": "xLinux", "mode": "text", "file_size_mb": 1024}
_GB = 1024  # messages of 1 MB that a queue is loaded with: document 000, section 4
#: The displays of `top` in document 000, section 3: the earlier and the later one of a run.
_TOP = {"default": ("top-371",), "scorching": ("top-427", "top-432")}
_CORES, _MEMORY_MIB = 12, 32.0 * 1024  # of the partner: document 000, Appendix A


def _rows() -> list[dict[str, Any]]:
    fast = _BETWEEN | {"network": "10Gb"}
    rows = [fast | {"compmsg": how, "file_size_mb": size} for size in SIZES
            for how in ("N", "RLE", "ZLIBHIGH", "ZLIBFAST")]  # fmt: skip
    rows += [_BETWEEN | {"tls": tls, "file_size_mb": size} for size in (100, 1024)
             for tls in ("N", "TLS 1.2", "TLS 1.3")]  # fmt: skip
    rows += [_BETWEEN | {"ams": ams} for ams in ("Integrity", "Privacy", "Confidentiality")]
    rows += [_BETWEEN | {"source": "xLinux", "queue": queue, "p2wg": p2wg}
             for queue in ("Private", "Shared - Db2") for p2wg in ("Y", "N")]  # fmt: skip
    rows += [_BETWEEN | {"source": "xLinux", "file_size_mb": 10, "mode": mode, "p2wg": p2wg}
             for mode, p2wg in (("binary", "Y"), ("binary", "N"), ("text", "N"))]  # fmt: skip
    rows += [_BETWEEN | {"file_size_mb": 10, "zhpf": zhpf} for zhpf in ("Y", "N")]
    rows += [_distant(*distance, size) for size in (10, 1024) for distance in DISTANCE]
    rows += [_of_messages(mode, location) for mode in ("binary", "text")
             for location in ("SAN", "HDD", "RAM disk", None)]  # fmt: skip
    rows += [_TEXT | {"file_size_mb": size, "jit_level": level, "label_jit": state}
             for size in (10, 100, 1024)
             for level, state in (("default", "slow"), ("scorching", None))]  # fmt: skip
    rows += [_TEXT | {"jit_level": "default", "label_jit": "fast"}]
    rows += [_TEXT | {"jit_level": level} for level in ("count=10", "veryHot")]
    rows += [_BETWEEN | {"target": "xLinux", "mode": "text", "label_jit": "fast"}]
    rows += [_BETWEEN | {"chunk_size": CHUNK} | AGENT | settings for settings in _SETTINGS]
    rows += [_BETWEEN | {"chunk_size": CHUNK, "file_size_mb": size, "x_path_length": length}
             for size, length in ((1, "44"), (1, "1000"), (1024, "44"))]  # fmt: skip
    rows += [_BETWEEN | {"source": "xLinux", "file_size_mb": 10, "block_size": size}
             for size in (27_920, 6_400)]  # fmt: skip
    rows += [{**_BETWEEN, "source": "xLinux", "mode": "text", "file_size_mb": size}
             for size in (10, 1024)]  # fmt: skip
    paths = (("z/OS", "xLinux"), ("xLinux", "z/OS"), ("USS", "xLinux"), ("USS", "USS"))
    rows += [fast | {"source": source, "target": target} for source, target in paths]
    rows += [fast | {"source": kind, "target": kind, "channels": 4} for kind in ("z/OS", "USS")]
    rows += [_BETWEEN | {"target": "xLinux"}]
    return rows


#: The agents' settings of document 000, Appendix B: the defaults, configurations 1 and 2.
_SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"agent_checkpoint_interval": 2},
    {"agent_frame_size": 10},
)


def _distant(protocol: str, km: int, loss: float, size: int) -> dict[str, Any]:
    over = {"network": "1Gb WAN-emulated", "protocol": protocol, "latency_km": km}
    far = {"latency_ms_oneway": km / KM_PER_MS, "loss_pct": loss, "file_size_mb": size}
    return _BETWEEN | over | far


def _of_messages(mode: str, storage: str | None) -> dict[str, Any]:
    """Return a run of message-to-file to xLinux, or without `storage` to USS."""
    target = "xLinux" if storage else "USS"
    return {"source": "queue", "target": target, "target_storage": storage, "mode": mode,
            "file_size_mb": _GB, "message_size_bytes": 1 << 20}  # fmt: skip


def _runs(_: np.random.Generator) -> pl.DataFrame:
    frame = pl.DataFrame([USUAL | row for row in _rows()], infer_schema_length=None)
    return with_labels(frame.with_columns(repetition=pl.lit(1)))


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return the status of the sender, and `top` on the partner where the document shows it."""
    made = {}
    if run["source"].item() != "xLinux":
        made["chstatus.txt"] = status(run, noise_of(run))
    level, size, state = run.select("jit_level", "file_size_mb", "label_jit").row(0)
    if level in _TOP and size == _GB and (level, state) != ("default", "fast"):
        made["top.txt"] = tools.top(_displays(run, _TOP[level]))
    return made


def _displays(run: pl.DataFrame, tables: tuple[str, ...]) -> Iterator[tools.Display]:
    """Yield displays of `top -u mqperf` with the agent: the printed figures, spread over the run.

    The rest of a display is invented; so is the small part of the machine that others use.
    """
    begin, end = run.select("begin", "end").row(0)
    others = noise_of(run).uniform(0.2, 0.4, len(tables))
    pid = 404_574 if len(tables) == 1 else 632_991
    for number, (table, other) in enumerate(zip(tables, others, strict=True), start=1):
        printed = _printed(table)
        memory = (printed["VIRT"], printed["RES"], printed["SHR"])
        agent = tools.Process(pid, "mqperf", memory, printed["%CPU"], printed["%MEM"],
                              printed["TIME+"], "java")  # fmt: skip
        yield tools.Display(
            begin + (end - begin) * number / (len(tables) + 1),
            printed["%CPU"] / 100,
            12,
            printed["%CPU"] / _CORES + other,
            0.1,
            _MEMORY_MIB,
            (0.5, 0.1, 0.4, 0.85),
            [agent],
        )


def _printed(table: str) -> dict[str, float]:
    """Return what a display of the document says of the agent, by column."""
    columns = ("VIRT", "RES", "SHR", "%CPU", "%MEM", "TIME+")
    cells = pl.DataFrame({"document": "000", "table_id": table, "metric": columns})
    return dict(zip(columns, predict(normalise(cells))["predicted"], strict=True))


SCENARIO = Scenario(
    "mft-features",
    "documents 000 and 003: compression, TLS, distance, message-to-file, JIT, agents' settings",
    datetime(2026, 1, 28, 14),
    _runs,
    _outputs,
)
