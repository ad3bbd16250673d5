"""The modelled systems as a person asks about them: factors with their choices, and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from models_sim.predict import predict

__all__ = ["SYSTEMS", "Factor", "Figure", "Setting", "System", "ask", "sweep"]

Setting = str | float


class Factor(NamedTuple):
    """A column of a cell (see base.cells), how a page calls it, and what it may be set to.

    The first choice is the usual one. Choices that are numbers may lie in between, too.
    """

    name: str
    label: str
    choices: tuple[Setting, ...]
    unit: str = ""

    @property
    def is_number(self) -> bool:
        """Whether it is a quantity."""
        return not isinstance(self.choices[0], str)


class Figure(NamedTuple):
    """A metric of a system, how a page calls it, its unit, and what else its cell says."""

    label: str
    metric: str
    unit: str
    says: Mapping[str, Setting] = {}


class System(NamedTuple):
    """A modelled system: the document that measured it, its factors and its figures."""

    name: str
    document: str
    factors: tuple[Factor, ...]
    figures: tuple[Figure, ...]
    says: Mapping[str, Setting] = {}

    @property
    def usual(self) -> dict[str, Setting]:
        """The usual setting of each factor."""
        return {factor.name: factor.choices[0] for factor in self.factors}


_YES_NO = ("N", "Y")
_SIZE = Factor("file_size_mb", "File size", (100.0, 0.1, 1.0, 10.0, 1024.0, 10_240.0), "MB")
_MACHINE = ("z15", "z13", "z14", "z16")
_MFT = (
    Factor("mode", "Mode", ("binary", "text")),
    _SIZE,
    Factor("queue", "Queues", ("Private", "Shared - Db2", "Shared - SMDS")),
    Factor("tls", "TLS", ("N", "TLS 1.2", "TLS 1.3")),
    Factor("ams", "AMS", ("N", "Integrity", "Privacy", "Confidentiality")),
    Factor("compmsg", "Compression", ("N", "RLE", "ZLIBFAST", "ZLIBHIGH")),
    Factor("zhpf", "zHPF", ("Y", "N")),
    Factor("p2wg", "Put to waiting getter", ("Y", "N")),
    Factor("batchint", "BATCHINT", (0.0, 1000.0), "ms"),
    Factor("machine", "Machine", _MACHINE),
)
_MFT_FIGURES = (
    Figure("Rate", "rate", "MB/s"),
    Figure("Cost per GB", "cost_per_GB", "CPU s/GB"),
    Figure("Cost per GB after offload", "cost_per_GB", "CPU s/GB", {"ziip_offload": "Y"}),
    Figure("zIIP share", "ziip_share", "%"),
)
_ENDS = ("z/OS", "USS", "xLinux")
_SPACES = ("MSTR", "CHIN", "TCPIP", "Server application", "zCX")

SYSTEMS = (
    System(
        "MFT on z/OS",
        "000",
        (
            Factor("source", "From", ("xLinux", *_ENDS[:2])),
            Factor("target", "To", _ENDS),
            Factor("network", "Network", ("1Gb", "100Mb", "2Gb", "10Gb", "25Gb", "40Gb", "100Gb")),
            Factor("channels", "Channels", (1.0, 2.0, 3.0, 4.0, 8.0)),
            *_MFT,
        ),
        _MFT_FIGURES,
    ),
    System(
        "MFT over distance",
        "000",
        (
            Factor("source", "From", ("z/OS", "USS", "xLinux")),
            Factor("target", "To", _ENDS),
            Factor("protocol", "Protocol", ("TCP", "FASP")),
            Factor("latency_ms_oneway", "Latency, one way", (25.0, 0.0, 5.0, 40.0, 50.0), "ms"),
            Factor("loss_pct", "Loss", (0.0, 0.1, 0.5), "%"),
            *_MFT,
        ),
        _MFT_FIGURES,
        {"network": "1Gb WAN-emulated"},
    ),
    System(
        "MFT on Linux",
        "002",
        (
            Factor("connection", "Connection", ("bindings", "client")),
            Factor("transfer", "Transfers at once", ("single", "multi")),
            Factor("mode", "Mode", ("binary", "text")),
            Factor("md5", "MD5", _YES_NO),
            Factor("chunk_size", "Chunk size", (262_144.0, 65_536.0, 131_072.0, 524_288.0), "B"),
            Factor("file_size_mb", "File size", (100.0, 1.0, 10.0), "MB"),
        ),
        (
            Figure("Rate", "rate", "Mb/s"),
            Figure("Transfer time", "transfer_time", "s"),
            Figure("CPU of the source agent's machine", "Agent1-CPU", "%"),
            Figure("CPU of the target agent's machine", "Agent2-CPU", "%"),
            Figure("CPU of the queue manager's machine", "AgentQ-CPU", "%"),
            Figure("CPU of the coordination machine", "Coord-CPU", "%"),
        ),
        {"source": "Linux", "target": "Linux"},
    ),
    System(
        "Clients of MQ on z/OS",
        "001",
        (
            Factor("connection", "Connection", ("direct", "zCX")),
            Factor("ziip_offload", "zIIP takes what it can", _YES_NO),
        ),
        (
            Figure("CPU per transaction", "cost_per_transaction", "CPU us",
                   {"address_space": "total"}),
            *(Figure(f"of it {space}", "cost_per_transaction", "CPU us", {"address_space": space})
              for space in _SPACES),
        ),
        {"message_size_bytes": 4096},
    ),
    System(
        "Channels over distance",
        "001",
        (
            Factor("protocol", "Protocol", ("TCP", "FASP")),
            Factor("latency_ms_oneway", "Latency, one way", (25.0, 0.0, 5.0, 40.0, 50.0), "ms"),
            Factor("loss_pct", "Loss", (0.0, 0.1, 0.5), "%"),
        ),
        (Figure("NETTIME", "NETTIME", "ms"),),
        {"message_size_bytes": 32_768},
    ),
    System(
        "From one machine to another",
        "004",
        (
            Factor("machine", "Machine", ("z16", "z13", "z14", "z15")),
            Factor("compared_with", "Instead of", ("z15", "z13", "z14")),
            Factor("cpus", "CPs", (16.0, 3.0, 32.0)),
            Factor("rni", "Relative nest intensity", ("average", "low", "high")),
        ),
        (Figure("Expected improvement", "expected_improvement", "%"),),
    ),
    System(
        "TLS channels on z16",
        "004",
        (
            Factor("cipher", "Cipher", (
                "ECDHE_RSA_AES_256_CBC_SHA384", "ECDHE_ECDSA_AES_256_CBC_SHA384",
                "TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_256_CBC_SHA256",
            )),
            Factor("machine", "Machine", ("z16", "z15")),
        ),
        (
            Figure("Secret key negotiation", "secret_key_negotiation_cost", "CPU ms"),
            Figure("Start of a channel", "start_cost", "CPU ms"),
            Figure("Channels started", "channels_started", "1/s"),
        ),
    ),
    System(
        "Peak of non-persistent messages",
        "004",
        (
            Factor("machine", "Machine", ("z16", "z15")),
            Factor("cpus", "CPs", (16.0, 4.0, 8.0, 28.0, 32.0)),
            Factor("message_size_bytes", "Message size", (2048.0, 1024.0, 16_384.0, 65_536.0), "B"),
        ),
        (Figure("Messages", "peak_messages", "million/s"),),
    ),
)  # fmt: skip


def ask(system: System, settings: Mapping[str, Setting]) -> pl.DataFrame:
    """Return one row per figure of a system: label, metric, unit, and the answers of `predict`."""
    return _answer(system, [dict(settings)])


def sweep(
    system: System, settings: Mapping[str, Setting], factor: Factor, at: Sequence[Setting]
) -> pl.DataFrame:
    """Return the rows of `ask` for each setting of one factor, in a column `at`, in order."""
    rows = [dict(settings) | {factor.name: setting} for setting in at]
    moments = [setting for setting in at for _ in system.figures]
    return _answer(system, rows).with_columns(pl.Series("at", moments))


def _answer(system: System, rows: Sequence[dict[str, Setting]]) -> pl.DataFrame:
    cells = pl.DataFrame(
        [
            {"document": system.document, "metric": figure.metric, **system.says, **row,
             **figure.says, "label": figure.label, "unit": figure.unit}
            for row in rows
            for figure in system.figures
        ],
        infer_schema_length=None,
        strict=False,
    )  # fmt: skip
    return predict(cells).select(
        "label", "metric", "unit", "predicted", "low", "high", "caution", "reason"
    )
