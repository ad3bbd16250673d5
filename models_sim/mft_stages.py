"""Managed File Transfer on z/OS as stages: how long a transfer takes and what CPU it costs.

A transfer moves a set of files of one size. Its stages work at the same time, each on its own
chunk: the source agent opens and reads, the channel and the network carry, the target agent
creates, converts (text) and writes. Were they perfectly overlapped, the slowest alone would count;
were they not overlapped at all, their sum. The p-norm lies between:

    elapsed = start + ((read^q + write^q)^(p/q) + network^p + channel^p)^(1/p)

Each stage is (time per file) * files + (time per MB) * MB. `start` is once per transfer: so small
volumes are slower than file size alone explains (document 003 gives the file sets).

The CPU per GB is the sum of what each end spends per transfer, per file and per GB, and of what
options add per GB; and the systems burn a little for each second that they are online (document
000, section 3).

All functions are vectorised over rows. Times are in seconds, sizes in MB of 2^20 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.family import Floats

#: ln(file size / MB) -> ln(volume of one measurement / MB): document 003, file sets.
_FILE_SETS = np.log([[1.0, 10.0, 100.0, 1024.0], [1024.0, 2000.0, 10000.0, 10240.0]])

MB_PER_GB = 1024.0

#: What each kind of end is called in the parameters.
ENDS = {"z/OS": "dataset", "USS": "uss", "xLinux": "linux"}
NETWORKS = {"1Gb": "1gb", "10Gb": "10gb"}
QUEUES = {"Shared - Db2": "db2", "Shared - SMDS": "smds"}
COMPRESSIONS = {"RLE": "rle", "ZLIBHIGH": "zlibhigh", "ZLIBFAST": "zlibfast"}
TLS = {"TLS 1.2": "tls12", "TLS 1.3": "tls13"}
AMS = ("Integrity", "Privacy", "Confidentiality")


def volume(size: Floats) -> Floats:
    """MB moved by one transfer of files of `size` MB; between the file sets log-linear."""
    return np.exp(np.interp(np.log(size), *_FILE_SETS))


def pick(column: pl.Series, names: Mapping[str, str], values: Mapping[str, float]) -> Floats:
    """The parameter of each row's factor level: `values[names[level]]`, 0 for any other level."""
    table = {level: values[name] for level, name in names.items()}
    return (
        column.replace_strict(table, default=0.0, return_dtype=pl.Float64)
        .fill_null(0.0)
        .to_numpy()
        .astype(np.float64)
    )


def p_norm(power: float, *stages: Floats) -> Floats:
    """(sum of stage^power)^(1/power), computed without overflow."""
    largest = np.maximum.reduce(stages)
    safe = np.where(largest > 0, largest, 1.0)
    total = np.sum([(stage / safe) ** power for stage in stages], axis=0)
    return np.asarray(largest * total ** (1.0 / power))


def jit_is_fast(cells: pl.DataFrame) -> NDArray[np.bool_]:
    """Whether the partner's JIT reached its fast state: document 000, Appendix C, text to xLinux.

    Only z/OS data sets over the 1 Gb network with private queues and zHPF were measured fast.
    """
    at = (
        (cells["source"] == "z/OS")
        & (cells["network"] == "1Gb")
        & (cells["queue"] == "Private")
        & (cells["zhpf"] == "Y")
    )
    return at.fill_null(value=False).to_numpy()


def _named(prefix: str, names: Mapping[str, str], p: Mapping[str, float]) -> dict[str, float]:
    return {name: p[f"{prefix}_{name}"] for name in names.values()}


def _is(cells: pl.DataFrame, column: str, value: str) -> NDArray[np.bool_]:
    return (cells[column] == value).fill_null(value=False).to_numpy()


def elapsed(cells: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """Seconds that the transfer of one file set takes, by the stages."""
    size = cells["file_size_mb"].cast(pl.Float64).to_numpy()
    moved = volume(size)
    files = moved / size
    text = _is(cells, "mode", "text")
    no_zhpf = np.where(_is(cells, "zhpf", "N"), p["time_zhpf_off"], 1.0)

    def end(column: str, role: str) -> Floats:
        per_file = pick(cells[column], ENDS, _named(f"file_{role}", ENDS, p)) / 1e3
        per_mb = pick(cells[column], ENDS, _named(f"mb_{role}", ENDS, p)) / 1e3
        slower = np.where(_is(cells, column, "z/OS"), no_zhpf, 1.0)
        return np.asarray(files * per_file * slower + moved * per_mb)

    convert = pick(cells["target"], ENDS, _named("convert", ENDS, p))
    slow = text & _is(cells, "target", "xLinux") & ~jit_is_fast(cells)
    convert = np.where(slow, p["convert_linux_slow"], convert) / 1e3
    write = end("target", "write") + np.where(text, moved * convert, 0.0)
    agents = p_norm(p["overlap_agents"], end("source", "read"), write)
    network = moved / pick(cells["network"], NETWORKS, _named("network", NETWORKS, p))
    compress = pick(cells["compmsg"], COMPRESSIONS, _named("compression_time", COMPRESSIONS, p))
    channel = np.where(
        compress > 0, p["channel_inflate"] + p["channel_compress"] * compress, 0.0
    ) * moved / 1e3  # fmt: skip
    stages = p_norm(p["overlap_network"], agents + p["start_hidden"], network, channel)
    return np.asarray(p["start"] + stages)


def rate(cells: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """MB a second."""
    size = cells["file_size_mb"].cast(pl.Float64).to_numpy()
    return np.asarray(volume(size) / elapsed(cells, p))


def _ams(policy: pl.Series, p: Mapping[str, float]) -> Floats:
    """CPU seconds per GB of a policy: Privacy signs, encrypts, and has a new key each message."""
    values = {
        "Integrity": p["cpu_integrity"],
        "Confidentiality": p["cpu_confidentiality"],
        "Privacy": p["cpu_integrity"] + p["cpu_confidentiality"] + p["cpu_privacy_key"],
    }
    return pick(policy, {name: name for name in values}, values)


def cost(cells: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """CPU seconds of the sysplex per GB moved."""
    size = cells["file_size_mb"].cast(pl.Float64).to_numpy()
    moved = volume(size) / MB_PER_GB  # GB
    files = volume(size) / size
    text = _is(cells, "mode", "text")
    on_zos = ~_is(cells, "source", "xLinux"), ~_is(cells, "target", "xLinux")
    ends = on_zos[0].astype(np.float64) + on_zos[1]
    data_sets = _is(cells, "source", "z/OS").astype(np.float64) + _is(cells, "target", "z/OS")
    per_file = sum(
        pick(cells[column], ENDS, _named(f"cpu_file_{role}", ENDS, p))
        for column, role in (("source", "read"), ("target", "write"))
    )
    per_gb = sum(
        pick(cells[column], ENDS, _named(f"cpu_gb_{role}", ENDS, p))
        for column, role in (("source", "read"), ("target", "write"))
    )
    per_gb = per_gb + np.where(text, pick(cells["target"], ENDS, _named("cpu_convert", ENDS, p)), 0)
    no_zhpf = np.where(_is(cells, "zhpf", "N"), data_sets, 0.0)
    shared = pick(cells["queue"], QUEUES, _named("cpu_queue", QUEUES, p))
    per_gb = (
        per_gb
        + no_zhpf * p["cpu_zhpf_off"]
        + np.where(on_zos[1], 1.0, p["cpu_queue_sender"]) * shared
        + np.where(_is(cells, "p2wg", "N"), p["cpu_no_waiting_getter"], 0.0)
        + pick(cells["tls"], TLS, _named("cpu", TLS, p))
        + _ams(cells["ams"], p)
    )
    compress = pick(cells["compmsg"], COMPRESSIONS, _named("compression_time", COMPRESSIONS, p))
    per_gb = per_gb + np.where(compress > 0, p["cpu_inflate"] + p["cpu_compress"] * compress, 0.0)
    online = p["cpu_online"] * elapsed(cells, p)
    convert = np.where(text, pick(cells["target"], ENDS, _named("cpu_file_convert", ENDS, p)), 0.0)
    start = np.where(ends > 1, p["cpu_start_two"], p["cpu_start_one"])
    total = start + files * (per_file + convert) / 1e3 + online
    return np.asarray(total / moved + per_gb)
