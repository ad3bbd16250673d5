"""The whole matrix of document 000: Appendices C (binary and text), D (distance), E (channels)."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.scenarios.definition import USUAL, Scenario, with_labels

__all__ = ["DISTANCE", "KM_PER_MS", "SCENARIO", "SIZES", "matrix"]

SIZES = (1, 10, 100, 1024)
#: Appendix C, binary: source, target, network, and the factors that are not usual.
BINARY: tuple[tuple[str, str, str, dict[str, object]], ...] = (
    ("xLinux", "z/OS", "1Gb", {}),
    ("z/OS", "xLinux", "1Gb", {}),
    ("xLinux", "USS", "1Gb", {}),
    ("USS", "xLinux", "1Gb", {}),
    ("z/OS", "z/OS", "1Gb", {}),
    ("z/OS", "z/OS", "1Gb", {"batchint": 1000}),
    ("USS", "USS", "1Gb", {}),
    ("xLinux", "z/OS", "10Gb", {}),
    ("z/OS", "xLinux", "10Gb", {}),
    ("z/OS", "z/OS", "10Gb", {}),
    ("USS", "USS", "10Gb", {}),
    ("USS", "xLinux", "10Gb", {}),
    ("z/OS", "z/OS", "1Gb", {"tls": "TLS 1.2"}),
    ("z/OS", "z/OS", "1Gb", {"tls": "TLS 1.3"}),
    ("xLinux", "z/OS", "1Gb", {"zhpf": "N"}),
    ("z/OS", "xLinux", "1Gb", {"zhpf": "N"}),
    ("z/OS", "z/OS", "1Gb", {"zhpf": "N"}),
    ("z/OS", "z/OS", "1Gb", {"ams": "Integrity"}),
    ("z/OS", "z/OS", "1Gb", {"ams": "Privacy"}),
    ("z/OS", "z/OS", "1Gb", {"ams": "Confidentiality"}),
    ("xLinux", "z/OS", "1Gb", {"queue": "Shared - Db2"}),
    ("xLinux", "z/OS", "1Gb", {"queue": "Shared - SMDS"}),
    ("z/OS", "xLinux", "1Gb", {"queue": "Shared - Db2"}),
    ("z/OS", "xLinux", "1Gb", {"queue": "Shared - SMDS"}),
    ("xLinux", "z/OS", "1Gb", {"p2wg": "N"}),
    ("xLinux", "z/OS", "1Gb", {"queue": "Shared - Db2", "p2wg": "N"}),
    ("xLinux", "z/OS", "1Gb", {"queue": "Shared - SMDS", "p2wg": "N"}),
    ("z/OS", "z/OS", "10Gb", {"compmsg": "RLE"}),
    ("z/OS", "z/OS", "10Gb", {"compmsg": "ZLIBHIGH"}),
    ("z/OS", "z/OS", "10Gb", {"compmsg": "ZLIBFAST"}),
)
#: Appendix C, text.
TEXT: tuple[tuple[str, str, str, dict[str, object]], ...] = (
    ("xLinux", "z/OS", "1Gb", {}),
    ("z/OS", "xLinux", "1Gb", {}),
    ("xLinux", "USS", "1Gb", {}),
    ("USS", "xLinux", "1Gb", {}),
    ("xLinux", "z/OS", "10Gb", {}),
    ("z/OS", "xLinux", "10Gb", {}),
    ("USS", "xLinux", "10Gb", {}),
    ("xLinux", "z/OS", "1Gb", {"zhpf": "N"}),
    ("z/OS", "xLinux", "1Gb", {"zhpf": "N"}),
    ("xLinux", "z/OS", "1Gb", {"queue": "Shared - Db2"}),
    ("xLinux", "z/OS", "1Gb", {"queue": "Shared - SMDS"}),
    ("z/OS", "xLinux", "1Gb", {"queue": "Shared - Db2"}),
    ("z/OS", "xLinux", "1Gb", {"queue": "Shared - SMDS"}),
    ("xLinux", "z/OS", "1Gb", {"p2wg": "N"}),
    ("xLinux", "z/OS", "1Gb", {"queue": "Shared - Db2", "p2wg": "N"}),
    ("xLinux", "z/OS", "1Gb", {"queue": "Shared - SMDS", "p2wg": "N"}),
)
#: Appendix D: protocol, distance (km) and loss (%), between data sets.
DISTANCE = (
    ("TCP", 0, 0.0),
    ("TCP", 1000, 0.0),
    ("TCP", 5000, 0.0),
    ("TCP", 8000, 0.1),
    ("TCP", 10000, 0.5),
    ("FASP", 0, 0.0),
    ("FASP", 1000, 0.0),
    ("FASP", 5000, 0.0),
    ("FASP", 8000, 0.1),
    ("FASP", 10000, 0.5),
)
#: Appendix E: kind of files, number of channels; 10 Gb.
CHANNELS = tuple((kind, number) for kind in ("z/OS", "USS") for number in (1, 2, 3, 4))
KM_PER_MS = 200.0  # one way: document 000, section 5
_REPETITIONS = 3  # of Appendix C; the others take long, or are many


def matrix() -> pl.DataFrame:
    """Return one row per configuration and file size: its factors, and its number of runs."""
    rows: list[dict[str, object]] = []
    for mode, table in (("binary", BINARY), ("text", TEXT)):
        for source, target, network, unusual in table:
            ends: dict[str, object] = {"source": source, "target": target}
            ends |= {"network": network, "mode": mode}
            rows.append(USUAL | ends | unusual | {"repetitions": _REPETITIONS})
    between: dict[str, object] = {"source": "z/OS", "target": "z/OS", "repetitions": 1}
    for protocol, km, loss in DISTANCE:
        over: dict[str, object] = {
            "network": "1Gb WAN-emulated",
            "protocol": protocol,
            "latency_km": km,
        }
        far = {"latency_ms_oneway": km / KM_PER_MS, "loss_pct": loss}
        rows.append(USUAL | between | over | far)
    for kind, channels in CHANNELS:
        of_kind = {"source": kind, "target": kind, "network": "10Gb", "channels": channels}
        rows.append(USUAL | between | of_kind)
    sizes = pl.DataFrame({"file_size_mb": SIZES})
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame.join(sizes, how="cross", maintain_order="left_right")


def _runs(_: np.random.Generator) -> pl.DataFrame:
    """Return all first repetitions, then all second ones, and so on, like a night's work."""
    configurations = matrix()
    repeated = configurations.select(
        pl.exclude("repetitions"), repetition=pl.int_ranges(1, pl.col("repetitions") + 1)
    ).explode("repetition")
    return with_labels(repeated.sort("repetition", maintain_order=True))


SCENARIO = Scenario(
    "mft-zos",
    "document 000's Appendices C, D and E: every configuration and file size",
    datetime(2026, 1, 14, 14),
    _runs,
)
