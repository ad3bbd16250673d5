"""The audit record of Advanced Message Security: SMF 180, or the type that the site chose.

Source: IBM MQ 10.0 for z/OS, AMS SMF record (sample CSQ0KSMF). Pointers in the header are doublets
(offset and length) from the start of the record; those in the data section count from the start of
that section.
"""

from __future__ import annotations

from types import MappingProxyType

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.record import EntryList, VariablePart

__all__ = [
    "RECIPIENTS",
    "SMF180_DATA",
    "SMF180_HEADER",
    "SMF180_PARTS",
    "SMF180_PRODUCT",
    "SMF180_RECIPIENT",
]

_SOURCE = "IBM MQ 10.0 for z/OS, AMS SMF record, sample CSQ0KSMF"

# fmt: off
SMF180_HEADER = Layout(
    table="smf180_header",
    title="SMF 180 header",
    source=_SOURCE,
    length=60,
    fields=(
        Field("smflen",      0, 2, "unsigned", "record length", unit="bytes"),
        Field("smfseg",      2, 2, "unsigned", "segment descriptor"),
        Field("smfrecflg",   4, 1, "unsigned", "system indicator flags"),
        Field("smfrecrty",   5, 1, "unsigned", "record type, 180 unless the site changed it"),
        Field("smfrectme",   6, 4, "time",     "when SMF took the record, local time of day"),
        Field("smfrecdte",  10, 4, "date",     "when SMF took the record, local date"),
        Field("smfrecsid",  14, 4, "text",     "z/OS system"),
        Field("smfrecssid", 18, 4, "text",     "subsystem"),
        Field("smfrecsty",  22, 2, "unsigned", "record subtype"),
    ),
)

SMF180_PRODUCT = Layout(
    table="smf180_product",
    title="Product",
    source=_SOURCE,
    length=64,
    fields=(
        Field("smfb4ver",  0,  1, "unsigned", "product version"),
        Field("smfb4rel",  1,  1, "unsigned", "product release"),
        Field("smfb4mod",  2,  1, "unsigned", "product modification level"),
        Field("smfb4fmi",  4,  8, "text",     "product FMID"),
        Field("smfb4mvs", 12, 34, "text",     "operating system"),
    ),
)
# fmt: on

ACTIONS = MappingProxyType({1: "Open", 2: "Get", 3: "Put", 4: "Put1", 5: "Close"})
AUDIT_CODES = MappingProxyType(
    {
        0: "OK",
        1: "Get: quality of protection differs",
        2: "Get: security",
        3: "Get: decryption",
        4: "Get: mapping of the sender",
        5: "Get: authorisation of the sender",
        6: "Get: header",
        7: "Get: environment",
        8: "Get: size differs",
        9: "Get: encryption differs",
        10: "Get: conversion",
        11: "Get: adding a dynamic queue",
        12: "Get: MQ error",
        32: "Put: building the message",
        33: "Put: environment",
        34: "Put: encryption",
        35: "Put: MQ error",
    }
)
DECISIONS = MappingProxyType({2: "Granted", 4: "Denied"})
PROTECTIONS = MappingProxyType({1: "None", 2: "Integrity", 3: "Privacy", 4: "Confidentiality"})
SIGNATURES = MappingProxyType(
    {1: "MD2", 2: "MD5", 3: "SHA-1", 4: "SHA-224", 5: "SHA-256", 6: "SHA-384", 7: "SHA-512"}
)
ENCRYPTIONS = MappingProxyType({1: "3DES", 2: "DES", 3: "RC2", 4: "AES128", 5: "AES256"})


def _doublet(prefix: str, offset: int, what: str) -> tuple[Field, Field]:
    return (
        Field(f"{prefix}_offset", offset, 4, "unsigned", f"offset of the {what}", unit="bytes"),
        Field(f"{prefix}_length", offset + 4, 4, "unsigned", f"length of the {what}", unit="bytes"),
    )


# fmt: off
SMF180_DATA = Layout(
    table="smf180_data",
    title="Protected message or queue access",
    source=_SOURCE,
    length=136,
    fields=(
        Field("rb41jbn",   0, 8, "text",     "job"),
        Field("rb41usr",   8, 8, "text",     "user id"),
        Field("rb41sys",  16, 8, "text",     "system"),
        Field("rb41plx",  24, 8, "text",     "sysplex"),
        Field("rb41act",  32, 4, "unsigned", "action", codes=ACTIONS),
        Field("rb41rsn",  36, 4, "unsigned", "MQ reason code"),
        Field("rb41aud",  40, 4, "unsigned", "audit code", codes=AUDIT_CODES),
        Field("rb41dec",  44, 4, "unsigned", "access decision", codes=DECISIONS),
        Field("rb41pop",  48, 1, "unsigned", "quality of protection", codes=PROTECTIONS),
        Field("rb41sga",  49, 1, "unsigned", "signature algorithm", codes=SIGNATURES),
        Field("rb41enc",  50, 1, "unsigned", "encryption algorithm", codes=ENCRYPTIONS),
        *_doublet("rb41ob", 52, "object name"),
        *_doublet("rb41qn", 60, "queue name"),
        *_doublet("rb41qm", 68, "queue manager name"),
        *_doublet("rb41op", 76, "operation codes"),
        *_doublet("rb41id", 84, "sender's identity"),
        Field("rb41nrc",  92, 4, "unsigned", "recipients", unit="recipients"),
        *_doublet("rb41rc", 96, "recipient list"),
        *_doublet("rb41ms", 104, "message id"),
        Field("rb41fmt", 112, 8, "text",     "message format name"),
        Field("rb41kru", 120, 4, "unsigned", "reuses of the key", unit="reuses"),
    ),
)
# fmt: on


SMF180_PARTS = (
    VariablePart("object_name", "rb41ob", "text", "object name"),
    VariablePart("queue_name", "rb41qn", "text", "queue name"),
    VariablePart("queue_manager_name", "rb41qm", "text", "queue manager name"),
    VariablePart("operation_codes", "rb41op", "text", "operation codes; meanings undocumented"),
    VariablePart("sender_identity", "rb41id", "text", "distinguished name of the sender"),
    VariablePart("message_id", "rb41ms", "bytes", "message id; empty when the action has none"),
)

# fmt: off
# The fixed part of an entry; the name, `rb41rcre` bytes long, follows it.
SMF180_RECIPIENT = Layout(
    table="smf180_recipient",
    title="Recipient of a protected message",
    source=_SOURCE,
    length=4,
    fields=(
        Field("rb41rcre", 0, 4, "unsigned", "length of the name with its final NUL", unit="bytes"),
    ),
)
# fmt: on

RECIPIENTS = EntryList(
    prefix="rb41rc",
    count="rb41nrc",
    layout=SMF180_RECIPIENT,
    text=Field("rb41rcrp", 4, 1, "text", "distinguished name of a recipient"),
)
