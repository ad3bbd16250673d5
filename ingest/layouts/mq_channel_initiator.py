"""Statistics of the channel initiator (SMF 115 subtype 231) and channels (SMF 116 subtype 10).

Task sections have no eyecatcher. The DNS section holds no valid data if its task did nothing.
"""

from __future__ import annotations

from ingest.binary.layout import Field, Layout
from ingest.layouts.mq_codes import (
    CHANNEL_DISPOSITIONS,
    CHANNEL_STATES,
    CHANNEL_TYPES,
    MONITORING_LEVELS,
)

__all__ = ["QCCT", "QCST", "QCT_ADP", "QCT_DNS", "QCT_DSP", "QCT_SSL"]

# fmt: off
QCCT = Layout(
    table="smf115_qcct",
    title="Channel initiator",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qcct",
    length=64,
    fields=(
        Field("qcctid",    0, 2, "unsigned", "block id, X'E741'"),
        Field("qcctll",    2, 2, "unsigned", "block length", unit="bytes"),
        Field("qccteyec",  4, 4, "text",     "eyecatcher"),
        Field("qcctjobn",  8, 8, "text",     "job of the channel initiator"),
        Field("qcctqsgn", 16, 4, "text",     "queue-sharing group"),
        Field("qcctnocc", 20, 4, "unsigned", "most current channels", unit="channels"),
        Field("qcctmxcc", 24, 4, "unsigned", "current channels allowed (MAXCHL)", unit="channels"),
        Field("qcctnoac", 28, 4, "unsigned", "most active channels", unit="channels"),
        Field("qcctmxac", 32, 4, "unsigned", "active channels allowed (ACTCHL)", unit="channels"),
        Field("qcctmxtp", 36, 4, "unsigned", "TCP/IP channels allowed (TCPCHL)", unit="channels"),
        Field("qcctmxlu", 40, 4, "unsigned", "LU 6.2 channels allowed (LU62CHL)", unit="channels"),
        Field("qcctstus", 44, 4, "unsigned", "extended private storage in use", unit="MB"),
        Field("qcctstab", 48, 8, "unsigned", "storage in use above the bar; unit not established"),
        Field("qcctslim", 56, 8, "unsigned", "limit of storage above the bar; unit not established"),
    ),
    eyecatcher="QCCT",
)

QCT_DSP = Layout(
    table="smf115_qct_dsp",
    title="Dispatcher tasks",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qct_dsp",
    length=36,
    fields=(
        Field("qcttskn",  0, 4, "unsigned", "task number, the address of its TCB"),
        Field("qctreqn",  4, 4, "unsigned", "requests", unit="requests"),
        Field("qctcptm",  8, 8, "tod",      "CPU time of the task"),
        Field("qcteltm", 16, 8, "tod",      "elapsed time of the requests"),
        Field("qctwttm", 24, 8, "tod",      "wait time of the task"),
        Field("qctchln", 32, 4, "unsigned", "channels on this dispatcher", unit="channels"),
    ),
)

QCT_ADP = Layout(
    table="smf115_qct_adp",
    title="Adapter tasks",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qct_adp",
    length=32,
    fields=(
        Field("qcttskn",  0, 4, "unsigned", "task number, the address of its TCB"),
        Field("qctreqn",  4, 4, "unsigned", "requests", unit="requests"),
        Field("qctcptm",  8, 8, "tod",      "CPU time of the task"),
        Field("qcteltm", 16, 8, "tod",      "elapsed time of the requests"),
        Field("qctwttm", 24, 8, "tod",      "wait time of the task"),
    ),
)

QCT_SSL = Layout(
    table="smf115_qct_ssl",
    title="TLS tasks",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qct_ssl",
    length=48,
    fields=(
        Field("qcttskn",  0, 4, "unsigned", "task number, the address of its TCB"),
        Field("qctreqn",  4, 4, "unsigned", "requests", unit="requests"),
        Field("qctcptm",  8, 8, "tod",      "CPU time of the task"),
        Field("qcteltm", 16, 8, "tod",      "elapsed time of the requests"),
        Field("qctwttm", 24, 8, "tod",      "wait time of the task"),
        Field("qctlstm", 32, 8, "stck",     "when the longest request was, UTC"),
        Field("qctlsdu", 40, 8, "tod",      "the longest request"),
    ),
)

QCT_DNS = Layout(
    table="smf115_qct_dns",
    title="DNS task",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qct_dns",
    length=48,
    fields=(
        Field("qcttskn",  0, 4, "unsigned", "task number, the address of its TCB"),
        Field("qctreqn",  4, 4, "unsigned", "requests", unit="requests"),
        Field("qctcptm",  8, 8, "tod",      "CPU time of the task"),
        Field("qcteltm", 16, 8, "tod",      "elapsed time of the requests"),
        Field("qctwttm", 24, 8, "tod",      "wait time of the task"),
        Field("qctlgtm", 32, 8, "stck",     "when the longest request was, UTC"),
        Field("qctlgdu", 40, 8, "tod",      "the longest request"),
    ),
)

QCST = Layout(
    table="smf116_qcst",
    title="Channels",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qcst",
    length=340,
    fields=(
        Field("qcstid",     0,  2, "unsigned", "block id, X'E74A'"),
        Field("qcstll",     2,  2, "unsigned", "block length", unit="bytes"),
        Field("qcsteyec",   4,  4, "text",     "eyecatcher"),
        Field("qcstcltm",   8,  8, "stck",     "when the data was collected, UTC"),
        Field("qcstchnm",  16, 20, "text",     "channel"),
        Field("qcstchdp",  36,  1, "unsigned", "disposition", codes=CHANNEL_DISPOSITIONS),
        Field("qcstchty",  37,  1, "unsigned", "channel type", codes=CHANNEL_TYPES),
        Field("qcstchst",  38,  1, "unsigned", "channel state", codes=CHANNEL_STATES),
        Field("qcststcl",  39,  1, "unsigned", "STATCHL level in effect", codes=MONITORING_LEVELS),
        Field("qcstcnnm",  40, 48, "text",     "connection name"),
        Field("qcststrt",  88,  8, "stck",     "when the channel started, UTC"),
        Field("qcstludt",  96,  8, "stck",     "when the channel stopped, UTC"),
        Field("qcstlmst", 104,  8, "stck",     "last message or MQI call, UTC"),
        Field("qcstcbsz", 112,  4, "unsigned", "batch size (BATCHSZ)", unit="messages"),
        Field("qcstnmsg", 116,  4, "unsigned", "messages, or a client's MQI calls", unit="messages"),
        Field("qcstnpmg", 120,  4, "unsigned", "persistent messages", unit="messages"),
        Field("qcstbatc", 124,  4, "unsigned", "batches", unit="batches"),
        Field("qcstfuba", 128,  4, "unsigned", "full batches", unit="batches"),
        Field("qcstbfst", 132,  4, "unsigned", "transmission buffers sent", unit="buffers"),
        Field("qcstbfrc", 136,  4, "unsigned", "transmission buffers received", unit="buffers"),
        Field("qcstcscv", 140,  4, "unsigned", "conversations that share the channel instance", unit="conversations"),
        Field("qcstnbyt", 144,  8, "unsigned", "bytes of message data", unit="bytes"),
        Field("qcstnpby", 152,  8, "unsigned", "bytes of persistent message data", unit="bytes"),
        Field("qcstbyst", 160,  8, "unsigned", "bytes sent, with control data", unit="bytes"),
        Field("qcstbyrc", 168,  8, "unsigned", "bytes received, with control data", unit="bytes"),
        Field("qcstcpra", 176,  4, "unsigned", "compression rate", unit="percent"),
        Field("qcstetav", 180,  4, "ticks",    "exit time, mean"),
        Field("qcstetmn", 184,  4, "ticks",    "exit time, shortest; X'8FFFFFFF' when none"),
        Field("qcstetmx", 188,  4, "ticks",    "exit time, longest"),
        Field("qcstetdt", 192,  8, "stck",     "when the longest exit was, UTC"),
        Field("qcstdnrt", 200,  4, "ticks",    "time of DNS resolution"),
        Field("qcstntav", 204,  4, "ticks",    "network time, mean"),
        Field("qcstntmn", 208,  4, "ticks",    "network time, shortest; X'8FFFFFFF' when none"),
        Field("qcstntmx", 212,  4, "ticks",    "network time, longest"),
        Field("qcstntdt", 216,  8, "stck",     "when the longest network time was, UTC"),
        Field("qcstrqmn", 224, 48, "text",     "remote queue manager or application"),
        Field("qcstslsn", 272,  8, "bytes",    "serial number of the partner's certificate"),
        Field("qcstslcn", 280, 16, "text",     "common name of the issuer of that certificate (SSLCERTI)"),
        Field("qcstslcs", 296,  4, "unsigned", "number of the cipher suite"),
        Field("qcstptrc", 300,  4, "unsigned", "put retries", unit="retries"),
        Field("qcstqetc", 304,  4, "unsigned", "transmission queue found empty", unit="events"),
        Field("qcstcbit", 308,  4, "unsigned", "batch interval (BATCHINT)", unit="ms"),
        Field("qcstcbdl", 312,  4, "unsigned", "batch data limit (BATCHLIM)", unit="KB"),
        Field("qcstdspn", 316,  2, "unsigned", "dispatcher number"),
        Field("qcstrpid", 324,  4, "text",     "product at the other end"),
        Field("qcstrver", 328,  8, "text",     "version of the product at the other end"),
    ),
    eyecatcher="QCST",
)
# fmt: on
