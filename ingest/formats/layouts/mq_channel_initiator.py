"""Statistics of the channel initiator (SMF 115 subtype 231) and channels (SMF 116 subtype 10).

Task sections have no eyecatcher. The DNS section holds no valid data if its task did nothing.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.layouts.mq_codes import (
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
        Field("qcctjobn",  8, 8, "text",     "job name of the channel initiator"),
        Field("qcctqsgn", 16, 4, "text",     "queue-sharing group; empty if there is none"),
        Field("qcctnocc", 20, 4, "unsigned", "highest number of current channels (in use, active or not) at one time", unit="channels"),
        Field("qcctmxcc", 24, 4, "unsigned", "maximum number of current channels (MAXCHL)", unit="channels"),
        Field("qcctnoac", 28, 4, "unsigned", "highest number of active channels at one time", unit="channels"),
        Field("qcctmxac", 32, 4, "unsigned", "maximum number of active channels (ACTCHL)", unit="channels"),
        Field("qcctmxtp", 36, 4, "unsigned", "maximum number of TCP/IP channels (TCPCHL)", unit="channels"),
        Field("qcctmxlu", 40, 4, "unsigned", "maximum number of LU 6.2 channels (LU62CHL)", unit="channels"),
        Field("qcctstus", 44, 4, "unsigned", "storage used in the extended private region", unit="MB"),
        Field("qcctstab", 48, 8, "unsigned", "storage used above the bar, as recorded (MQ 9.3.5 and later)"),
        Field("qcctslim", 56, 8, "unsigned", "limit of storage above the bar, as recorded (MQ 9.3.5 and later)"),
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
        Field("qctreqn",  4, 4, "unsigned", "requests that the task processed", unit="requests"),
        Field("qctcptm",  8, 8, "tod",      "CPU time of the task, in and between requests"),
        Field("qcteltm", 16, 8, "tod",      "elapsed time that the task spent on requests"),
        Field("qctwttm", 24, 8, "tod",      "time that the task waited for work"),
        Field("qctchln", 32, 4, "unsigned", "channels that the dispatcher handles", unit="channels"),
    ),
)

QCT_ADP = Layout(
    table="smf115_qct_adp",
    title="Adapter tasks",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qct_adp",
    length=32,
    fields=(
        Field("qcttskn",  0, 4, "unsigned", "task number, the address of its TCB"),
        Field("qctreqn",  4, 4, "unsigned", "requests that the task processed", unit="requests"),
        Field("qctcptm",  8, 8, "tod",      "CPU time of the task, in and between requests"),
        Field("qcteltm", 16, 8, "tod",      "elapsed time that the task spent on requests"),
        Field("qctwttm", 24, 8, "tod",      "time that the task waited for work"),
    ),
)

QCT_SSL = Layout(
    table="smf115_qct_ssl",
    title="TLS tasks",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qct_ssl",
    length=48,
    fields=(
        Field("qcttskn",  0, 4, "unsigned", "task number, the address of its TCB"),
        Field("qctreqn",  4, 4, "unsigned", "requests that the task processed", unit="requests"),
        Field("qctcptm",  8, 8, "tod",      "CPU time of the task, in and between requests"),
        Field("qcteltm", 16, 8, "tod",      "elapsed time that the task spent on requests"),
        Field("qctwttm", 24, 8, "tod",      "time that the task waited for work"),
        Field("qctlstm", 32, 8, "stck",     "when the longest request occurred"),
        Field("qctlsdu", 40, 8, "tod",      "duration of the longest request"),
    ),
)

QCT_DNS = Layout(
    table="smf115_qct_dns",
    title="DNS task",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qct_dns",
    length=48,
    fields=(
        Field("qcttskn",  0, 4, "unsigned", "task number, the address of its TCB"),
        Field("qctreqn",  4, 4, "unsigned", "requests that the task processed", unit="requests"),
        Field("qctcptm",  8, 8, "tod",      "CPU time of the task, in and between requests"),
        Field("qcteltm", 16, 8, "tod",      "elapsed time that the task spent on requests"),
        Field("qctwttm", 24, 8, "tod",      "time that the task waited for work"),
        Field("qctlgtm", 32, 8, "stck",     "when the longest request occurred"),
        Field("qctlgdu", 40, 8, "tod",      "duration of the longest request"),
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
        Field("qcstchdp",  36,  1, "unsigned", "code of the channel disposition", codes=CHANNEL_DISPOSITIONS),
        Field("qcstchty",  37,  1, "unsigned", "code of the channel type", codes=CHANNEL_TYPES),
        Field("qcstchst",  38,  1, "unsigned", "code of the channel status", codes=CHANNEL_STATES),
        Field("qcststcl",  39,  1, "unsigned", "STATCHL level in effect", codes=MONITORING_LEVELS),
        Field("qcstcnnm",  40, 48, "text",     "connection name: host and port of the partner"),
        Field("qcststrt",  88,  8, "stck",     "when the channel started, to about one second"),
        Field("qcstludt",  96,  8, "stck",     "when the channel stopped, to about one second; NULL if it is running"),
        Field("qcstlmst", 104,  8, "stck",     "when the last message or MQI call occurred, to about one second"),
        Field("qcstcbsz", 112,  4, "unsigned", "batch size negotiated with the partner", unit="messages"),
        Field("qcstnmsg", 116,  4, "unsigned", "messages; MQI calls on a server-connection channel", unit="messages"),
        Field("qcstnpmg", 120,  4, "unsigned", "persistent messages", unit="messages"),
        Field("qcstbatc", 124,  4, "unsigned", "completed batches", unit="batches"),
        Field("qcstfuba", 128,  4, "unsigned", "batches that were full", unit="batches"),
        Field("qcstbfst", 132,  4, "unsigned", "transmission buffers sent", unit="buffers"),
        Field("qcstbfrc", 136,  4, "unsigned", "transmission buffers received", unit="buffers"),
        Field("qcstcscv", 140,  4, "unsigned", "conversations that share the channel instance", unit="conversations"),
        Field("qcstnbyt", 144,  8, "unsigned", "bytes of message data", unit="bytes"),
        Field("qcstnpby", 152,  8, "unsigned", "bytes of persistent message data", unit="bytes"),
        Field("qcstbyst", 160,  8, "unsigned", "bytes sent, headers and control flows included", unit="bytes"),
        Field("qcstbyrc", 168,  8, "unsigned", "bytes received, headers and control flows included", unit="bytes"),
        Field("qcstcpra", 176,  4, "unsigned", "compression rate: share of the data saved by compression", unit="percent"),
        Field("qcstetav", 180,  4, "ticks",    "average time per message in channel exits; NULL if none was measured"),
        Field("qcstetmn", 184,  4, "ticks",    "shortest time in a channel exit; NULL if none was measured"),
        Field("qcstetmx", 188,  4, "ticks",    "longest time in a channel exit; NULL if none was measured"),
        Field("qcstetdt", 192,  8, "stck",     "when the longest exit was, UTC"),
        Field("qcstdnrt", 200,  4, "ticks",    "time of the DNS lookup"),
        Field("qcstntav", 204,  4, "ticks",    "average round-trip time on the network; NULL if none was measured"),
        Field("qcstntmn", 208,  4, "ticks",    "shortest round-trip time on the network; NULL if none was measured"),
        Field("qcstntmx", 212,  4, "ticks",    "longest round-trip time on the network; NULL if none was measured"),
        Field("qcstntdt", 216,  8, "stck",     "when the longest network time was, UTC"),
        Field("qcstrqmn", 224, 48, "text",     "queue manager or application at the other end"),
        Field("qcstslsn", 272,  8, "bytes",    "serial number of the partner's certificate"),
        Field("qcstslcn", 280, 16, "text",     "common name of the issuer of that certificate (SSLCERTI)"),
        Field("qcstslcs", 296,  4, "unsigned", "code of the TLS cipher specification, 0 when there is none"),
        Field("qcstptrc", 300,  4, "unsigned", "puts that were retried", unit="puts"),
        Field("qcstqetc", 304,  4, "unsigned", "times that the transmission queue was found empty", unit="times"),
        Field("qcstcbit", 308,  4, "unsigned", "batch interval (BATCHINT)", unit="milliseconds"),
        Field("qcstcbdl", 312,  4, "unsigned", "batch data limit (BATCHLIM)", unit="KB"),
        Field("qcstdspn", 316,  2, "unsigned", "dispatcher that handles the channel"),
        Field("qcstrpid", 324,  4, "text",     "product at the other end"),
        Field("qcstrver", 328,  8, "text",     "version of the product at the other end"),
    ),
    eyecatcher="QCST",
)
# fmt: on
