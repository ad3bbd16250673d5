"""Documented values of codes in MQ's records.

The values are those of MQI constants (IBM MQ 10.0, "Constants": MQQT, MQIT, MQQSGD, MQCHLD, MQCHT,
MQCHS, MQMON) and of QWHCATYP in the accounting header. One-byte codes are stored unsigned: 255 is
-1, 253 is -3.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = [
    "CHANNEL_DISPOSITIONS",
    "CHANNEL_STATES",
    "CHANNEL_TYPES",
    "CONNECTION_TYPES",
    "INDEX_TYPES",
    "MONITORING_LEVELS",
    "QSG_DISPOSITIONS",
    "QUEUE_TYPES",
]

Codes = Mapping[int, str]

CONNECTION_TYPES: Codes = MappingProxyType(
    {
        1: "CICS",
        2: "Batch or TSO",
        3: "IMS control region",
        4: "IMS MPP or BMP",
        5: "Command server",
        6: "Channel initiator",
        7: "RRS batch",
    }
)
QUEUE_TYPES: Codes = MappingProxyType(
    {1: "Local", 2: "Model", 3: "Alias", 6: "Remote", 7: "Cluster", 8: "Topic", 1001: "All"}
)
INDEX_TYPES: Codes = MappingProxyType(
    {
        0: "None",
        1: "Message id",
        2: "Correlation id",
        4: "Message token",
        5: "Group id",
    }
)
QSG_DISPOSITIONS: Codes = MappingProxyType(
    {
        -1: "All",
        0: "Queue manager",
        1: "Copy",
        2: "Shared",
        3: "Group",
        4: "Private",
        6: "Live",
    }
)
CHANNEL_DISPOSITIONS: Codes = MappingProxyType(
    {1: "Default", 2: "Shared", 4: "Private", 5: "Fixed shared", 255: "All"}
)
CHANNEL_TYPES: Codes = MappingProxyType(
    {
        1: "Sender",
        2: "Server",
        3: "Receiver",
        4: "Requester",
        5: "All",
        6: "Client connection",
        7: "Server connection",
        8: "Cluster receiver",
        9: "Cluster sender",
        10: "MQTT",
        11: "AMQP",
    }
)
CHANNEL_STATES: Codes = MappingProxyType(
    {
        0: "Inactive",
        1: "Binding",
        2: "Starting",
        3: "Running",
        4: "Stopping",
        5: "Retrying",
        6: "Stopped",
        7: "Requesting",
        8: "Paused",
        9: "Disconnected",
        13: "Initializing",
        14: "Switching",
    }
)
MONITORING_LEVELS: Codes = MappingProxyType(
    {0: "Off", 1: "On", 17: "Low", 33: "Medium", 65: "High", 253: "Queue manager", 255: "None"}
)
