"""Accounting of threads: SMF 116 subtype 0, and the task's identity in subtypes 1 and 2.

The notes on QWAC, except its CPU clocks, follow the block of that name in Db2, from which MQ took
it; MQ leaves most of them zero.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.layouts.mq_codes import CONNECTION_TYPES

__all__ = ["QMAC", "QWAC", "WTID"]

# fmt: off
QWAC = Layout(
    table="smf116_qwac",
    title="Thread clocks",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qwac",
    length=176,
    fields=(
        Field("qwacbsc",    0,  8, "stck",     "start of the period that the record covers"),
        Field("qwacesc",    8,  8, "stck",     "end of the period that the record covers"),
        Field("qwacbjst",  16,  8, "tod",      "home CPU clock at the start (TCB)"),
        Field("qwacejst",  24,  8, "tod",      "home CPU clock at the end (TCB)"),
        Field("qwacbsrb",  32,  8, "tod",      "SRB clock at the start"),
        Field("qwacesrb",  40,  8, "tod",      "SRB clock at the end"),
        Field("qwacrinv",  48,  4, "unsigned", "reason for the record"),
        Field("qwacnid",   52, 16, "bytes",    "network id of the unit of work"),
        Field("qwaccomm",  68,  4, "unsigned", "commits", unit="commits"),
        Field("qwacback",  72,  4, "unsigned", "backouts", unit="backouts"),
        Field("qwacasc",   76,  8, "tod",      "elapsed time inside the subsystem"),
        Field("qwacajst",  84,  8, "tod",      "CPU time inside the subsystem (TCB)"),
        Field("qwacasrb",  92,  8, "tod",      "SRB time inside the subsystem"),
        Field("qwacawti", 100,  8, "tod",      "wait for I/O"),
        Field("qwacawtl", 108,  8, "tod",      "wait for locks and latches"),
        Field("qwacarna", 116,  4, "unsigned", "entries and exits", unit="events"),
        Field("qwacarne", 120,  4, "unsigned", "waits for I/O", unit="waits"),
        Field("qwacawtr", 124,  8, "tod",      "wait for others' reads"),
        Field("qwacawtw", 132,  8, "tod",      "wait for others' writes"),
        Field("qwacawte", 140,  8, "tod",      "wait for service tasks"),
        Field("qwacalog", 148,  8, "tod",      "wait for log quiesce or archive"),
        Field("qwacarnl", 156,  4, "unsigned", "waits for locks and latches", unit="waits"),
        Field("qwacarnr", 160,  4, "unsigned", "waits for others' reads", unit="waits"),
        Field("qwacarnw", 164,  4, "unsigned", "waits for others' writes", unit="waits"),
        Field("qwacarns", 168,  4, "unsigned", "waits for service tasks", unit="waits"),
        Field("qwacalct", 172,  4, "unsigned", "waits for log quiesce or archive", unit="waits"),
    ),
)

QMAC = Layout(
    table="smf116_qmac",
    title="Message manager accounting",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qmac",
    length=48,
    fields=(
        Field("qmacid",    0, 2, "unsigned", "block id, X'D414'"),
        Field("qmacll",    2, 2, "unsigned", "block length", unit="bytes"),
        Field("qmaceyec",  4, 4, "text",     "eyecatcher"),
        Field("qmaccput",  8, 8, "tod",      "CPU time of MQI calls"),
        Field("qmacputa", 16, 4, "unsigned", "MQPUT calls with a message of 0 to 99 bytes", unit="calls"),
        Field("qmacputb", 20, 4, "unsigned", "MQPUT calls with a message of 100 to 999 bytes", unit="calls"),
        Field("qmacputc", 24, 4, "unsigned", "MQPUT calls with a message of 1,000 to 9,999 bytes", unit="calls"),
        Field("qmacputd", 28, 4, "unsigned", "MQPUT calls with a message of 10,000 or more bytes", unit="calls"),
        Field("qmacgeta", 32, 4, "unsigned", "MQGET calls with a message of 0 to 99 bytes", unit="calls"),
        Field("qmacgetb", 36, 4, "unsigned", "MQGET calls with a message of 100 to 999 bytes", unit="calls"),
        Field("qmacgetc", 40, 4, "unsigned", "MQGET calls with a message of 1,000 to 9,999 bytes", unit="calls"),
        Field("qmacgetd", 44, 4, "unsigned", "MQGET calls with a message of 10,000 or more bytes", unit="calls"),
    ),
    eyecatcher="QMAC",
)

WTID = Layout(
    table="smf116_wtid",
    title="Task identification",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure wtid",
    length=208,
    fields=(
        Field("wtidshex",   0,  2, "unsigned", "block id"),
        Field("wtidlen",    2,  2, "unsigned", "block length", unit="bytes"),
        Field("wtideyec",   4,  4, "text",     "eyecatcher"),
        Field("wtidatyp",   8,  4, "signed",   "code of the application type", codes=CONNECTION_TYPES),
        Field("wtidccn",   12,  8, "text",     "connection name: the job, CICS or IMS region, or channel initiator"),
        Field("wtidopid",  20,  8, "text",     "user ID of the operator or of the transaction"),
        Field("wtidnid",   28, 16, "bytes",    "network id"),
        Field("wtidcori",  44, 12, "bytes",    "correlator; its form depends on wtidatyp"),
        Field("wtiduowi",  56, 24, "bytes",    "unit-of-work id"),
        Field("wtidacct",  80, 22, "bytes",    "z/OS accounting token"),
        Field("wtidchl",  102, 20, "text",     "channel; empty if the task is not a channel"),
        Field("wtidchlc", 122, 48, "text",     "connection name of the channel (host and port); empty if the task is not a channel"),
        Field("wtidctxt", 170, 16, "bytes",    "context token"),
        Field("wtidtran", 186,  8, "text",     "MVS user ID of the task"),
        Field("wtidcfwd", 196,  4, "unsigned", "address of the next WTID block"),
        Field("wtidcbwd", 200,  4, "unsigned", "address of the previous WTID block"),
        Field("wtidwtas", 204,  4, "unsigned", "address of the task's WTAS block"),
    ),
    eyecatcher="WTID",
)
# fmt: on
