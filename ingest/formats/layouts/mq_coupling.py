"""The five fields in which accounting counts coupling facility requests of each type."""

from __future__ import annotations

from ingest.formats.binary.layout import Field

__all__ = ["CF_REQUESTS", "CF_VERBS", "cf_fields"]

# Indexes of an array: the request types (others are unused) and, in WQ, the MQI verbs.
CF_REQUESTS = (
    "Lock",
    "Unlock",
    "Write list control",
    "Signal by XCF",
    "Signal by CF",
    "Read",
    "Write",
    "Start monitor",
    "Stop monitor",
    "Read list",
    "New",
    "Move",
    "Move entry",
    "Delete",
)
CF_VERBS = ("MQOPEN", "MQCLOSE", "MQGET", "MQPUT", "MQPUT1")


def cf_fields(
    prefix: str, offset: int, *, shape: tuple[int, ...], strides: tuple[int, ...]
) -> tuple[Field, ...]:
    """Return the fields of coupling facility requests at `offset`, by request type (and verb).

    Every name begins with `prefix`; the last axis of `shape` is the request type.
    """

    def count(name: str, at: int, note: str) -> Field:
        return Field(
            f"{prefix}_{name}", offset + at, 4, "unsigned", note, "requests", shape, strides
        )

    def time(name: str, at: int, note: str) -> Field:
        return Field(
            f"{prefix}_{name}", offset + at, 4, "ticks", note, shape=shape, strides=strides
        )

    return (
        count("cfcount", 0, "coupling facility requests, by type"),
        count("cfsyncn", 4, "requests that ran synchronously"),
        time("cfsyncet", 8, "elapsed time of the synchronous requests"),
        count("cfasyncn", 12, "requests that ran asynchronously"),
        time("cfasyncet", 16, "elapsed time of the asynchronous requests"),
    )
