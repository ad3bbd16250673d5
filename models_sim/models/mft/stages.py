"""Managed File Transfer on z/OS as stages: how long a transfer takes and how much CPU it costs.

A transfer moves a set of files of one size. Its stages work at the same time, each on its own
chunk: the source agent opens and reads, channel and network carry, the target agent creates,
converts (text) and writes. With perfect overlap only the slowest would count; with none, their sum.
The p-norm lies in between:

    elapsed = start + ((read^q + write^q)^(p/q) + network^p + channel^p)^(1/p)

Compression takes time in the channels, which work side by side, and sends fewer bytes. Each stage
takes (time per file) * files + (time per MB) * MB. `start` is spent once per transfer,
so small volumes are slower than file size alone explains (document 003 gives the file sets).

The CPU per GB is the sum of what each end spends per transfer, per file and per GB, plus what
options add per GB. The systems also use a little CPU for each second that they are online (document
000, section 3).

All functions are vectorised over rows. Times are in seconds, sizes in MB of 2^20 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.base.family import Floats

#: ln(file size in MB) and ln(volume of one measurement in MB): document 003, file sets.
_FILE_SETS = np.log([[1.0, 10.0, 100.0, 1024.0], [1024.0, 2000.0, 10000.0, 10240.0]])

MB_PER_GB = 1024.0

#: The name of each kind of end in the parameters.
ENDS = {"z/OS": "dataset", "USS": "uss", "xLinux": "linux"}
NETWORKS = {"1Gb": "1gb", "10Gb": "10gb"}  # those that were measured
QUEUES = {"Shared - Db2": "db2", "Shared - SMDS": "smds"}
COMPRESSIONS = {"RLE": "rle", "ZLIBHIGH": "zlibhigh", "ZLIBFAST": "zlibfast"}
TLS = {"TLS 1.2": "tls12", "TLS 1.3": "tls13"}
AMS = {"Integrity": "integrity", "Privacy": "privacy", "Confidentiality": "confidentiality"}


#: MB per second of 1 Gb per second.
WIRE = 1e9 / 8.0 / 2.0**20


def volume(size: Floats) -> Floats:
    """Return the MB that one transfer of files of `size` MB moves: log-linear between file sets.

    It is at least one file.
    """
    return np.maximum(np.exp(np.interp(np.log(size), *_FILE_SETS)), size)


def gigabits(network: pl.Expr) -> pl.Expr:
    """Return the gigabits per second of a network such as `10Gb` or `100Mb`; null if it is none."""
    number = network.str.extract(r"^(\d+(?:\.\d+)?) ?[MGT]b$").cast(pl.Float64, strict=False)
    unit = network.str.extract(r"([MGT])b$").replace_strict(
        {"M": 1e-3, "G": 1.0, "T": 1e3}, return_dtype=pl.Float64
    )
    return pl.when(number > 0).then(number * unit)


class Rows(NamedTuple):
    """Cells as arrays, one element per row: the input of the mechanism.

    The dictionaries hold 1 or 0 by the parameter name of a factor's level. A level without a name
    is the usual setting and costs nothing.
    """

    size: Floats
    moved: Floats
    files: Floats
    text: Floats
    no_zhpf: Floats
    no_getter: Floats
    jit_slow: Floats
    source: dict[str, Floats]
    target: dict[str, Floats]
    gigabits: Floats
    channels: Floats
    queue: dict[str, Floats]
    tls: dict[str, Floats]
    ams: dict[str, Floats]
    compmsg: dict[str, Floats]


def encode(cells: pl.DataFrame) -> Rows:
    """Return the factors of the cells; every row must have a `file_size_mb`."""
    size = cells["file_size_mb"].cast(pl.Float64).to_numpy()
    moved = volume(size)
    text = _is(cells, "mode", "text")
    return Rows(
        size=size,
        moved=moved,
        files=moved / size,
        text=text,
        no_zhpf=_is(cells, "zhpf", "N"),
        no_getter=_is(cells, "p2wg", "N"),
        jit_slow=text * _is(cells, "target", "xLinux") * (1.0 - _in_fast_state(cells)),
        source=_levels(cells, "source", ENDS),
        target=_levels(cells, "target", ENDS),
        gigabits=cells.select(gigabits(pl.col("network"))).to_series().to_numpy(),
        channels=cells["channels"].fill_null(1).cast(pl.Float64).to_numpy()
        if "channels" in cells.columns
        else np.ones(cells.height),
        queue=_levels(cells, "queue", QUEUES),
        tls=_levels(cells, "tls", TLS),
        ams=_levels(cells, "ams", AMS),
        compmsg=_levels(cells, "compmsg", COMPRESSIONS),
    )


def _is(cells: pl.DataFrame, column: str, value: str) -> Floats:
    return (cells[column] == value).fill_null(value=False).to_numpy().astype(np.float64)


def _levels(cells: pl.DataFrame, column: str, names: Mapping[str, str]) -> dict[str, Floats]:
    return {name: _is(cells, column, level) for level, name in names.items()}


def _sum(levels: Mapping[str, Floats], prefix: str, p: Mapping[str, float]) -> Floats:
    """Return each row's parameter `<prefix>_<level>`, or 0 if the row has no named level."""
    parts = [mask * p[f"{prefix}_{name}"] for name, mask in levels.items() if mask.any()]
    return np.asarray(sum(parts, start=np.zeros_like(next(iter(levels.values())))))


def p_norm(power: float, *stages: Floats) -> Floats:
    """Return (sum of stage^power)^(1/power), computed without overflow; stages may be infinite."""
    largest = np.maximum.reduce(stages)
    safe = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    total = np.sum([(stage / safe) ** power for stage in stages], axis=0)
    return np.asarray(largest * total ** (1.0 / power))


def jit_is_fast(cells: pl.DataFrame) -> NDArray[np.bool_]:
    """Return whether the partner's JIT reached its fast state for text to xLinux.

    Document 000, Appendix C: only z/OS data sets over the 1 Gb network with private queues and zHPF
    were measured as fast.
    """
    at = (
        (cells["source"] == "z/OS")
        & (cells["network"] == "1Gb")
        & (cells["queue"] == "Private")
        & (cells["zhpf"] == "Y")
    )
    return at.fill_null(value=False).to_numpy()


def _in_fast_state(cells: pl.DataFrame) -> NDArray[np.bool_]:
    """Return the JIT state of the column `jit`, if there is one, or the measured state."""
    return (cells["jit"] == "fast").to_numpy() if "jit" in cells.columns else jit_is_fast(cells)


def saved(rows: Rows, p: Mapping[str, float]) -> Floats:
    """Return the share of the bytes that compression does not send."""
    return _sum(rows.compmsg, "compression_saves", p)


def ceiling(gigabits: Floats, p: Mapping[str, float]) -> Floats:
    """Return the MB per second that a network carries: a power law through the measured ones.

    Below the slower of them it is in proportion, so it stays below the wire.
    """
    slope = np.log10(p["network_10gb"] / p["network_1gb"])
    return np.asarray(p["network_1gb"] * gigabits ** np.where(gigabits < 1.0, 1.0, slope))


def times(rows: Rows, p: Mapping[str, float], at_once: Floats | float = 1.0) -> dict[str, Floats]:
    """Return the seconds of the agents, the network and the channel for one file set.

    `at_once`: among how many transfers at once its files are shared, each with the time of its own
    agents; network and channels are the same for all.
    """
    read = _agent_ms(rows, rows.source, "read", p)
    write = _agent_ms(rows, rows.target, "write", p)
    convert = _sum(rows.target, "convert", p)
    convert = np.where(rows.jit_slow > 0, p["convert_linux_slow"], convert)
    per_file = _sum(rows.target, "file_convert", p)
    write = write + rows.text * (rows.moved * convert + rows.files * per_file)
    agents = p_norm(p["overlap_agents"], read, write)
    sent = rows.moved * (1.0 - saved(rows, p))
    network = sent / ceiling(rows.gigabits, p)
    compress = _sum(rows.compmsg, "compression_time", p)
    per_mb = np.where(compress > 0, p["channel_inflate"] + p["channel_compress"] * compress, 0.0)
    channel = rows.moved * per_mb / 1e3 / rows.channels
    agents = (agents / 1e3 + p["start_hidden"]) / at_once
    return {"agents": np.asarray(agents), "network": network, "channel": channel}


def elapsed(rows: Rows, p: Mapping[str, float], at_once: Floats | float = 1.0) -> Floats:
    """Return the seconds that transferring one file set takes; see `times`."""
    stages = times(rows, p, at_once).values()
    return np.asarray(p["start"] / at_once + p_norm(p["overlap_network"], *stages))


def _agent_ms(rows: Rows, end: Mapping[str, Floats], role: str, p: Mapping[str, float]) -> Floats:
    """Return the milliseconds that one agent spends on reading or writing."""
    slower = 1.0 + rows.no_zhpf * end["dataset"] * (p["time_zhpf_off"] - 1.0)
    per_file, per_mb = _sum(end, f"file_{role}", p), _sum(end, f"mb_{role}", p)
    return np.asarray(rows.files * per_file * slower + rows.moved * per_mb)


def rate(rows: Rows, p: Mapping[str, float]) -> Floats:
    """Return MB per second."""
    return np.asarray(rows.moved / elapsed(rows, p))


def cost(rows: Rows, p: Mapping[str, float]) -> Floats:
    """Return the CPU seconds of the sysplex per GB moved."""
    per_transfer = np.where(
        rows.source["linux"] + rows.target["linux"] > 0, p["cpu_start_one"], p["cpu_start_two"]
    )
    started, filed = _queues(rows, p)
    per_file = (
        filed
        + _sum(rows.source, "cpu_file_read", p)
        + _sum(rows.target, "cpu_file_write", p)
        + rows.text * _sum(rows.target, "cpu_file_convert", p)
        + rows.no_zhpf * (rows.source["dataset"] + rows.target["dataset"]) * p["cpu_file_zhpf_off"]
    )
    per_gb = (
        _sum(rows.source, "cpu_gb_read", p)
        + _sum(rows.target, "cpu_gb_write", p)
        + rows.text * (1.0 - rows.target["linux"]) * p["cpu_convert"]
        + _options_per_gb(rows, p)
    )
    online = p["cpu_online"] * elapsed(rows, p)
    gb = rows.moved / MB_PER_GB
    per_transfer = per_transfer + started
    return np.asarray((per_transfer + rows.files * per_file / 1e3 + online) / gb + per_gb)


def _queues(rows: Rows, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    """Return what queues cost in CPU seconds per transfer and in CPU milliseconds per file.

    Messages that no getter waits for cost more per transfer on private queues. Those that one waits
    for cost more per file if the queue is shared. Both are about twice as dear with text.
    """
    twice, sends = 1.0 + rows.text, rows.target["linux"] > 0
    private = 1.0 - sum(rows.queue.values())
    filed = _sum(rows.queue, "cpu_file_queue", p) * np.where(sends, p["cpu_queue_sender"], 1.0)
    return (
        rows.no_getter * private * p["cpu_start_no_getter"] * twice,
        (1.0 - rows.no_getter) * filed * twice,
    )


def _options_per_gb(rows: Rows, p: Mapping[str, float]) -> Floats:
    """Return the CPU seconds per GB of queue type, zHPF, waiting getter, and of the channel."""
    receives = 1.0 - rows.target["linux"]
    return np.asarray(
        rows.no_zhpf * (rows.source["dataset"] + rows.target["dataset"]) * p["cpu_zhpf_off"]
        + _sum(rows.queue, "cpu_queue", p) * np.where(receives > 0, 1.0, p["cpu_queue_sender"])
        + rows.no_getter * (1.0 - rows.queue["smds"]) * p["cpu_no_waiting_getter"]
        + channel_per_gb(rows, p)
    )


def channel_per_gb(rows: Rows, p: Mapping[str, float]) -> Floats:
    """Return the CPU seconds per GB of TLS, AMS and compression: work that is not Java.

    The parameters are those of two ends on z/OS; with one end there, TLS and AMS cost half, the
    sender compresses and the receiver inflates. Every AMS policy handles the message; Integrity and
    Privacy sign it, Confidentiality and Privacy encrypt it.
    """
    sends, receives = 1.0 - rows.source["linux"], 1.0 - rows.target["linux"]
    compress = _sum(rows.compmsg, "compression_time", p)
    ams = rows.ams
    protect = (
        sum(ams.values()) * p["cpu_protect"]
        + (ams["integrity"] + ams["privacy"]) * p["cpu_sign"]
        + (ams["confidentiality"] + ams["privacy"]) * p["cpu_encrypt"]
    )
    both = (_sum(rows.tls, "cpu", p) + protect) * (sends + receives) / 2.0
    inflate = np.where(compress > 0, p["cpu_inflate"] * receives, 0.0)
    return np.asarray(both + inflate + p["cpu_compress"] * compress * sends)
