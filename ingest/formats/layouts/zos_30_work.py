"""SMF 30: accounting fields, APPC, UNIX processes, products, restarts, remote enclaves.

An accounting field is its length and a text of that length; the length in the pointer is that of
all of them. Source: IBM z/OS 3.1 Data Gatherer, SMF record type 30.
"""

from __future__ import annotations

from types import MappingProxyType

from ingest.formats.binary.layout import Field, Layout

__all__ = [
    "SMF30_ACCOUNTING",
    "SMF30_ACCOUNTING_FIELD",
    "SMF30_APPC_CUMULATIVE_RESOURCE",
    "SMF30_APPC_RESOURCE",
    "SMF30_AUTOMATIC_RESTART",
    "SMF30_MULTISYSTEM_ENCLAVE_REMOTE",
    "SMF30_UNIX_PROCESS",
    "SMF30_USAGE_DATA",
]

_SOURCE = "IBM z/OS 3.1 Data Gatherer, SMF record type 30"
_REPORTED = MappingProxyType({0: "Nothing", 1: "STCK", 2: "Binary", 3: "Floating point"})

SMF30_ACCOUNTING = Layout(
    table="smf30_accounting",
    title="Accounting fields",
    source=_SOURCE,
    length=1,
    fields=(Field("smf30acl", 0, 1, "unsigned", "length of the accounting field", unit="bytes"),),
)

SMF30_ACCOUNTING_FIELD = Field("smf30acg", 1, 1, "text", "accounting field of the job or step")

# fmt: off
SMF30_APPC_RESOURCE = Layout(
    table="smf30_appc_resource",
    title="APPC conversations",
    source=_SOURCE,
    length=40,
    fields=(
        Field("smf30dc",   0, 4, "signed",   "conversations, active and ended", unit="conversations"),
        Field("smf30dca",  4, 4, "signed",   "conversations allocated by the program", unit="conversations"),
        Field("smf30dsc",  8, 4, "signed",   "sends; may lag smf30dds", unit="calls"),
        Field("smf30dds", 12, 8, "hexfloat", "data sent; unit not documented"),
        Field("smf30drc", 20, 4, "signed",   "receives; may lag smf30ddr", unit="calls"),
        Field("smf30ddr", 24, 8, "hexfloat", "data received; unit not documented"),
        Field("smf30dac", 32, 4, "signed",   "active conversations", unit="conversations"),
        Field("smf30dtr", 36, 4, "signed",   "transaction programs started by the APPC scheduler", unit="programs"),
    ),
)

SMF30_APPC_CUMULATIVE_RESOURCE = Layout(
    table="smf30_appc_cumulative_resource",
    title="APPC conversations in all",
    source=_SOURCE,
    length=40,
    fields=(
        Field("smf30cn",   0, 4, "signed",   "conversations, total", unit="conversations"),
        Field("smf30cna",  4, 4, "signed",   "conversations allocated, total", unit="conversations"),
        Field("smf30sen",  8, 4, "signed",   "sends, total", unit="calls"),
        Field("smf30dat", 12, 8, "hexfloat", "data sent, total; unit not documented"),
        Field("smf30rec", 20, 4, "signed",   "receives, total", unit="calls"),
        Field("smf30dar", 24, 8, "hexfloat", "data received, total; unit not documented"),
        Field("smf30tac", 32, 4, "signed",   "active conversations", unit="conversations"),
        Field("smf30atr", 36, 4, "signed",   "requests handled by the transaction program", unit="requests"),
    ),
)

SMF30_UNIX_PROCESS = Layout(
    table="smf30_unix_process",
    title="UNIX process",
    source=_SOURCE,
    length=96,
    fields=(
        Field("smf30opi",  0, 4, "unsigned", "process id"),
        Field("smf30opg",  4, 4, "unsigned", "process group id"),
        Field("smf30oui",  8, 4, "unsigned", "user id (UID)"),
        Field("smf30oug", 12, 4, "unsigned", "user's group id (GID)"),
        Field("smf30osi", 16, 4, "unsigned", "session id"),
        Field("smf30osc", 20, 4, "ticks",    "CPU time in system calls", tick_us=10000),
        Field("smf30ost", 24, 4, "unsigned", "system calls", unit="calls"),
        Field("smf30odr", 28, 4, "unsigned", "blocks read from directories", unit="blocks"),
        Field("smf30ofr", 32, 4, "unsigned", "blocks read from files", unit="blocks"),
        Field("smf30ofw", 36, 4, "unsigned", "blocks written to files", unit="blocks"),
        Field("smf30opr", 40, 4, "unsigned", "blocks read from pipes", unit="blocks"),
        Field("smf30opw", 44, 4, "unsigned", "blocks written to pipes", unit="blocks"),
        Field("smf30oll", 56, 4, "unsigned", "path look-ups of the logical file system", unit="calls"),
        Field("smf30olp", 60, 4, "unsigned", "path look-ups of the physical file system", unit="calls"),
        Field("smf30ogl", 64, 4, "unsigned", "path generations of the logical file system", unit="calls"),
        Field("smf30ogp", 68, 4, "unsigned", "path generations of the physical file system", unit="calls"),
        Field("smf30opp", 72, 4, "unsigned", "process id of the parent"),
        Field("smf30osy", 92, 4, "unsigned", "calls of sync()", unit="calls"),
    ),
)

SMF30_USAGE_DATA = Layout(
    table="smf30_usage_data",
    title="Use of a product",
    source=_SOURCE,
    length=74,
    fields=(
        Field("smf30upo",  0, 16, "text",     "product owner"),
        Field("smf30upn", 16, 16, "text",     "product"),
        Field("smf30upv", 32,  8, "text",     "product version"),
        Field("smf30upq", 40,  8, "text",     "product qualifier"),
        Field("smf30upi", 48,  8, "text",     "product id"),
        Field("smf30uct", 56,  4, "ticks",    "TCB CPU time reported by the product", tick_us=10000),
        Field("smf30ucs", 60,  4, "ticks",    "SRB CPU time reported by the product", tick_us=10000),
        Field("smf30urd", 64,  8, "bytes",    "other data reported by the product, in the format of smf30udf"),
        Field("smf30udf", 72,  1, "unsigned", "format of smf30urd", codes=_REPORTED),
        Field("smf30uun", 73,  1, "bit",      "an unauthorised caller asked to register", bit=0),
    ),
)

SMF30_AUTOMATIC_RESTART = Layout(
    table="smf30_automatic_restart",
    title="Automatic restart",
    source=_SOURCE,
    length=80,
    fields=(
        Field("smf30rnm",  0, 16, "text", "element"),
        Field("smf30rtp", 16,  8, "text", "type of the element"),
        Field("smf30rrg", 24, 16, "text", "restart group"),
        Field("smf30rsn", 40,  8, "text", "system on which the element was first started; blank at its first start"),
        Field("smf30rgt", 48,  4, "time", "when the element registered, local time of day"),
        Field("smf30rgd", 52,  4, "date", "when the element registered, local date"),
        Field("smf30rwt", 56,  4, "time", "when the element began to wait for its predecessors, local time of day"),
        Field("smf30rwd", 60,  4, "date", "when the element began to wait for its predecessors, local date; null: it did not"),
        Field("smf30ryt", 64,  4, "time", "when the element was ready, local time of day"),
        Field("smf30ryd", 68,  4, "date", "when the element was ready, local date; null: not yet"),
        Field("smf30rtt", 72,  4, "time", "when the element deregistered, local time of day"),
        Field("smf30rtd", 76,  4, "date", "when the element deregistered, local date; null: not yet"),
    ),
)

SMF30_MULTISYSTEM_ENCLAVE_REMOTE = Layout(
    table="smf30_multisystem_enclave_remote",
    title="Enclaves on a remote system",
    source=_SOURCE,
    length=20,
    fields=(
        Field("smf30mrs",  0, 8, "text",   "remote system"),
        Field("smf30mra",  8, 4, "signed", "CPU time of one service unit on the remote system", unit="1/16 us"),
        Field("smf30mrd", 12, 4, "ticks",  "CPU time of dependent enclaves on the remote system", tick_us=10000),
        Field("smf30mri", 16, 4, "ticks",  "CPU time of independent enclaves on the remote system", tick_us=10000),
    ),
)
# fmt: on
