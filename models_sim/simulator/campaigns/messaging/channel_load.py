"""What the channel of a transfer carries: its messages, network time, cipher and compression.

Both the records and the outputs of tools are made from this, so they agree.
"""

from __future__ import annotations

import polars as pl

from models_sim.base.cells import normalise
from models_sim.base.parameters import load
from models_sim.models.mft.families import MFT_ZOS
from models_sim.models.mft.stages import COMPRESSIONS
from models_sim.predict import predict
from models_sim.simulator.campaigns.site import AGENT, CHUNK

__all__ = ["BUFFER", "CIPHERS", "REPLY_BYTES", "channel_load", "wire_bytes"]

#: Numbers of cipher suites (IANA) by MQ's names of cipher specifications.
CIPHERS = {
    "TLS_RSA_WITH_AES_256_CBC_SHA256": 0x003D,
    "TLS_RSA_WITH_AES_128_GCM_SHA256": 0x009C,
    "TLS_RSA_WITH_AES_256_GCM_SHA384": 0x009D,
    "ECDHE_ECDSA_AES_256_CBC_SHA384": 0xC024,
    "ECDHE_RSA_AES_256_CBC_SHA384": 0xC028,
    "TLS_AES_128_GCM_SHA256": 0x1301,
    "TLS_AES_256_GCM_SHA384": 0x1302,
    "TLS_CHACHA20_POLY1305_SHA256": 0x1303,
}
#: The ciphers of document 000, section 4.
_OF_TLS = {"TLS 1.2": "TLS_RSA_WITH_AES_256_GCM_SHA384", "TLS 1.3": "TLS_AES_256_GCM_SHA384"}
BUFFER = 32_768  # bytes of a transmission buffer
REPLY_BYTES = 1400  # of an acknowledgement: invented
#: Bytes of a STATE message, and of each file in it besides its two paths; characters of a path. The
#: message grows with the files and their paths (document 000, section 7); the sizes are invented.
_STATE_BYTES, _STATE_FILE_BYTES, _PATH = 2048, 100, 44
_LAN_US, _KM_PER_MS = 900.0, 200.0  # microseconds of a channel's network, one-way km per ms


def channel_load(runs: pl.DataFrame) -> pl.DataFrame:
    """Return one row per run of a plan: what its channel carries from the source to the target.

    `count` are the data messages of a transfer, `network_us` the time of a round trip,
    `cipher_spec` and `cipher_code` the cipher specification (null, 0: none). `saved_percent` is the
    whole percentage of the messages that compression does not send, and `compression_us` the time
    per message. `replies` are the receiving agent's acknowledgements, `states` the updates of its
    STATE queue, each with a message of `state_size` bytes.
    """
    files = pl.col("files") - pl.col("failed")
    chunk = pl.col("chunk_size").fill_null(CHUNK)
    chunks = (pl.col("file_size_mb").fill_null(0) * (1 << 20) / chunk).ceil()
    count = (files * chunks).cast(pl.Int64)
    window, frame, interval = (pl.col(name).fill_null(usual) for name, usual in AGENT.items())
    cipher = pl.coalesce(
        "cipher", pl.col("tls").replace_strict(_OF_TLS, default=None, return_dtype=pl.String)
    )
    return runs.select(
        count=count,
        network_us=pl.coalesce("nettime_us", _network_us(runs) * pl.col("network_factor"))
        .round()
        .cast(pl.Int64),
        cipher_spec=cipher,
        cipher_code=cipher.replace_strict(CIPHERS, default=0, return_dtype=pl.Int64).fill_null(0),
        replies=count // window,
        states=count // (window * frame * interval),
        state_size=_STATE_BYTES
        + files.cast(pl.Int64)
        * (_STATE_FILE_BYTES + 2 * pl.col("x_path_length").cast(pl.Int64).fill_null(_PATH)),
        chunk=chunk,
        **_compression(runs),
    )


def _network_us(runs: pl.DataFrame) -> pl.Series:
    """Return the microseconds until a batch is confirmed: over a WAN those that are predicted."""
    one_way = pl.coalesce("latency_ms_oneway", pl.col("latency_km") / _KM_PER_MS, 0.0)
    cells = runs.select(
        "protocol", document=pl.lit("001"), metric=pl.lit("NETTIME"), latency_ms_oneway=one_way,
        loss_pct=pl.col("loss_pct").fill_null(0.0),
    )  # fmt: skip
    wan = 1000.0 * predict(normalise(cells))["predicted"]
    lan = runs.select(_LAN_US + 2000.0 * one_way).to_series()
    return wan.zip_with(runs["protocol"].is_not_null() & wan.is_not_null(), lan)


def wire_bytes(size: pl.Expr) -> pl.Expr:
    """Return the bytes that a channel sends for messages of `size` bytes."""
    return (size * (100 - pl.col("saved_percent")) / 100).ceil().cast(pl.Int64)


def _compression(runs: pl.DataFrame) -> dict[str, pl.Series]:
    """Return what the document states for the size of the files, or else the model's share."""
    cells = runs.select("compmsg", "file_size_mb", document=pl.lit("000"))
    stated = [
        predict(normalise(cells.with_columns(metric=pl.lit(metric))))["predicted"]
        for metric in ("compression", "compression_time")
    ]
    parameters = load(MFT_ZOS.file)
    modelled = {
        level: 100.0 * parameters[f"compression_saves_{name}"]
        for level, name in COMPRESSIONS.items()
    }
    share = stated[0].fill_null(cells["compmsg"].replace_strict(modelled, default=0.0))
    return {"saved_percent": share.round().cast(pl.Int64), "compression_us": stated[1]}
