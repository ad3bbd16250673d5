"""Write what runmqsc and z/OS print for DISPLAY commands: status of channels, queues, pub/sub.

An object's attributes are the rows of bench_mqsc_attribute with its `record_no`; if there are none,
the columns of bench_mqsc_chstatus, _qstatus or _pubsub (null: not shown). Averages are whole
microseconds, and on z/OS no number exceeds 999,999,999. The form of z/OS is printed if the message
is CSQ..., or if the queue manager is named by a command prefix that begins with a special character
(!MQ1); otherwise that of runmqsc. The messages of DISPLAY CHINIT are printed by their `text`,
before the objects, beginning with CSQX830I as on z/OS.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from models_sim.simulator.outputs.text import Row, Tables, dicts, in_order

__all__ = ["WRITERS", "write"]

_KEY = ("record_no", "queue_manager")
ATTRIBUTE = (*_KEY, "message_id", "display", "object", "attribute", "value")
CHINIT = (*_KEY, "message_id", "text")
#: DISPLAY type -> table, and keyword -> column; columns of a pair end in _short and _long.
_TEXTS_AND_NUMBERS = {
    "CHSTATUS": ("bench_mqsc_chstatus", {
        "CHSTATUS": "channel", "CHLTYPE": "channel_type", "CONNAME": "connection_name",
        "STATUS": "status", "SUBSTATE": "substate", "RQMNAME": "remote_queue_manager",
        "XMITQ": "transmission_queue", "MONCHL": "monitoring", "SSLCIPH": "cipher",
        "SSLKEYDA": "last_key_reset_date", "SSLKEYTI": "last_key_reset_time",
        "SSLRKEYS": "key_resets",
        "COMPMSG": "message_compression", "MSGS": "messages", "BATCHES": "batches",
        "BATCHSZ": "batch_size", "BYTSSENT": "bytes_sent", "BYTSRCVD": "bytes_received",
        "BUFSSENT": "buffers_sent", "BUFSRCVD": "buffers_received", "CURSHCNV": "conversations",
    }),
    "QSTATUS": ("bench_mqsc_qstatus", {
        "QSTATUS": "queue", "CURDEPTH": "depth", "IPPROCS": "input_handles",
        "OPPROCS": "output_handles", "MSGAGE": "oldest_message_s", "UNCOM": "uncommitted",
        "MONQ": "monitoring", "LPUTDATE": "last_put_date", "LPUTTIME": "last_put_time",
        "LGETDATE": "last_get_date", "LGETTIME": "last_get_time",
    }),
    "PUBSUB": ("bench_mqsc_pubsub", {
        "QMNAME": "partner", "TYPE": "type", "STATUS": "status", "SUBCOUNT": "subscriptions",
        "TPCOUNT": "topic_nodes",
    }),
}  # fmt: skip
_PAIRS = {
    "CHSTATUS": {"NETTIME": "nettime_us", "XBATCHSZ": "xbatchsz", "XQTIME": "xqtime_us",
                 "EXITTIME": "exittime_us", "COMPTIME": "comptime_us", "COMPRATE": "comprate_pct"},
    "QSTATUS": {"QTIME": "qtime_us"},
    "PUBSUB": {},
}  # fmt: skip
#: DISPLAY type -> message and words of runmqsc, and the first keyword if z/OS has another.
_DISTRIBUTED = {
    "CHSTATUS": ("AMQ8417", "Channel Status", "CHANNEL"),
    "QSTATUS": ("AMQ8450", "queue status", "QUEUE"),
    "PUBSUB": ("AMQ8723", "pub/sub status", "QMNAME"),
}
_GREATEST_ON_ZOS = 999_999_999
_COLUMN = 40  # characters for the first of two attributes in a line of runmqsc

Attribute = tuple[str, str | None]


def write(tables: Tables) -> bytes:
    """Return the objects and CHINIT messages of the bench_mqsc tables."""
    printed: list[str] = []
    chinit = dicts(tables, "bench_mqsc_chinit", CHINIT)
    for _, found in groupby(chinit, itemgetter("record_no")):
        row = next(found)
        printed.append(f"{row['message_id']} {row['queue_manager']} CSQXRDQM {row['text']}")
    said: str | None = None
    for row, attributes in _objects(tables):
        if row["message_id"].startswith("CSQ"):
            printed += _zos(row, attributes)
            continue
        if row["queue_manager"] != said:
            said = row["queue_manager"]
            printed += [f"Starting MQSC for queue manager {said}.", ""]
        printed += _distributed(row, attributes)
    return ("\n".join(printed) + "\n").encode()


def _objects(tables: Tables) -> Iterator[tuple[Row, list[Attribute]]]:
    """Yield each object in order, with its attributes."""
    listed = {
        number: list(found)
        for number, found in groupby(
            dicts(tables, "bench_mqsc_attribute", ATTRIBUTE), itemgetter("record_no")
        )
    }
    statuses = [
        row | {"display": display}
        for display, (table, columns) in _TEXTS_AND_NUMBERS.items()
        for row in dicts(tables, table, (*_KEY, *columns.values(), *_terms(display)))
        if row["record_no"] not in listed
    ]
    statuses.sort(key=itemgetter("record_no"))
    for row in in_order((rows[0] for rows in listed.values()), statuses):
        if "attribute" in row:
            rows = listed[row["record_no"]]
            yield row, [(found["attribute"], found["value"]) for found in rows]
        else:
            is_zos = not (row["queue_manager"] or "A")[0].isalnum()
            message = "CSQM201I" if is_zos else _DISTRIBUTED[row["display"]][0]
            yield row | {"message_id": message}, list(_attributes(row, is_zos))


def _terms(display: str) -> list[str]:
    return [f"{name}_{term}" for name in _PAIRS[display].values() for term in ("short", "long")]


def _attributes(row: Row, is_zos: bool) -> Iterator[Attribute]:
    """Yield the known attributes of a status."""
    display = row["display"]
    keyword = _DISTRIBUTED[display][2]
    for word, column in _TEXTS_AND_NUMBERS[display][1].items():
        if row[column] is not None:
            yield keyword if word == display and not is_zos else word, _shown(row[column], is_zos)
    for word, column in _PAIRS[display].items():
        pair = [row[f"{column}_{term}"] for term in ("short", "long")]
        if any(value is not None for value in pair):
            yield word, ",".join(_shown(value, is_zos) for value in pair)


def _shown(value: float | str | None, is_zos: bool) -> str:
    if value is None or isinstance(value, str):
        return value or " "
    return str(min(round(value), _GREATEST_ON_ZOS) if is_zos else round(value))


def _printed(attribute: Attribute) -> str:
    keyword, value = attribute
    return keyword if keyword == "CURRENT" else f"{keyword}({value or ' '})"


def _zos(row: Row, attributes: Iterable[Attribute]) -> list[str]:
    display, prefix = row["display"], row["queue_manager"]
    return [
        f"{row['message_id']} {prefix} CSQMDRTC DISPLAY {display} DETAILS",
        *map(_printed, attributes),
        f" END {display} DETAILS",
        f"CSQ9022I {prefix} CSQMDRTC ' DISPLAY {display}' NORMAL COMPLETION",
    ]


def _distributed(row: Row, attributes: Iterable[Attribute]) -> list[str]:
    """Return lines of two attributes, or of one that leaves no room for a second."""
    _, words, _ = _DISTRIBUTED.get(row["display"], ("", row["display"].capitalize(), ""))
    lines: list[str] = []
    for text in map(_printed, attributes):
        if lines and len(lines[-1]) < _COLUMN:
            lines[-1] = f"{lines[-1]:<{_COLUMN}}{text}"
        else:
            lines.append(text)
    head = f"{row['message_id']}I: Display {words} details."
    return [head, *(f"   {line}" for line in lines)]


WRITERS = {"mqsc_display": write}
