"""Write what Managed File Transfer logs about transfers: XML messages, and the logger's text.

ingest/formats/bench/mft.py describes the forms. Messages come in the order of `record_no` (any
rising numbers), and each item belongs to the message with its `record_no`. Moments have
milliseconds in XML and whole seconds in the text, both in UTC. A completed message has no elapsed
time, because that follows from its time and its start. Items without a first index count from 0.
"""

from __future__ import annotations

import polars as pl

from models_sim.simulator.outputs.text import (
    Tables,
    block,
    joined,
    rows_of,
    xml_attribute,
    xml_element,
    xml_text,
)

__all__ = ["WRITERS", "write_text", "write_xml"]

_AGENT = ("agent", "queue_manager", "system")
TRANSFER = (
    "record_no", "transfer_id", "message", "action", "time_utc", "agent_role",
    *(f"{side}_{name}" for side in ("source", "destination") for name in _AGENT), "user_id",
    "job_name", "schedule_id", "start_utc", "actual_start_utc", "elapsed_seconds", "files",
    "first_index", "bytes_sent", "result_code", "supplement", "retries", "file_failures",
    "file_warnings",
)  # fmt: skip
_SIDE = ("", "_type", "_bytes", "_checksum_method", "_checksum")
ITEM = (
    "record_no", "transfer_id", "message", "action", "time_utc", "mode",
    *(f"{side}{name}" for side in ("source", "destination") for name in _SIDE),
    "source_disposition", "destination_exist", "transferred_bytes", "result_code", "supplement",
)  # fmt: skip
_EVENTS = {"started": "TSTR", "progress": "TPRO", "completed": "TCOM", "cancelled": "TCAN",
           "deleted": "TDEL"}  # fmt: skip
_XSI = ' xmlns:xsi="https://www.w3.org/2001/XMLSchema-instance"'
_SCHEMAS = {"transfer": "TransferLog", "status": "TransferStatus", "schedule": "ScheduleLog"}


def write_xml(tables: Tables) -> bytes:
    """Return the messages of bench_mft_transfer with the items of bench_mft_item."""
    items = rows_of(tables, "bench_mft_item", ITEM)
    sets = joined(items, "record_no", _item(), "").with_columns(
        size=items.group_by("record_no", maintain_order=True).len()["len"]
    )
    # Without items the key has no type.
    sets = sets.with_columns(pl.col("record_no").cast(pl.Int64))
    messages = rows_of(tables, "bench_mft_transfer", TRANSFER).sort("record_no")
    texts = messages.join(sets, on="record_no", how="left", maintain_order="left").select(
        _message()
    )
    return "".join(texts.to_series()).encode()


def _message() -> pl.Expr:
    is_schedule = pl.col("message") == "schedule"
    name = pl.when(is_schedule).then(pl.lit("schedulelog")).otherwise(pl.lit("transaction"))
    version = pl.when(is_schedule).then(pl.lit("1.00")).otherwise(pl.lit("4.00"))
    schema = pl.concat_str(pl.col("message").replace_strict(_SCHEMAS), pl.lit(".xsd"))
    action = block(
        "\n    <action", xml_attribute("time", _moment("time_utc")), ">",
        xml_text(pl.col("action")), "</action>",
    )  # fmt: skip
    originator = _line("originator", xml_element("userID", pl.col("user_id")))
    return block(
        '<?xml version="1.0" encoding="UTF-8"?>\n<',
        name,
        _XSI,
        xml_attribute("version", version),
        xml_attribute("ID", pl.col("transfer_id")),
        xml_attribute("agentRole", pl.col("agent_role")),
        xml_attribute("xsi:noNamespaceSchemaLocation", schema),
        ">",
        pl.when(is_schedule).then(originator),
        pl.when(pl.col("message") != "status").then(action),
        _agent("source"),
        _agent("destination"),
        pl.when(~is_schedule).then(originator),
        _status("\n    "),
        _transfer_set(),
        _line("job", xml_element("name", pl.col("job_name"))),
        pl.concat_str(
            pl.lit("\n    <scheduleLog"),
            xml_attribute("ID", pl.col("schedule_id")),
            pl.lit("/>"),
        ),
        _line("statistics", _statistics()),
        "\n</",
        name,
        ">\n",
    )


def _agent(side: str) -> pl.Expr:
    system = pl.concat_str(
        pl.lit(">\n        <systemInfo"),
        xml_attribute("name", pl.col(f"{side}_system")),
        pl.lit(f"/>\n    </{side}Agent>"),
    )
    return block(
        f"\n    <{side}Agent",
        xml_attribute("agent", pl.col(f"{side}_agent")),
        xml_attribute("QMgr", pl.col(f"{side}_queue_manager")),
        pl.coalesce(system, pl.lit("/>")),
    )


def _line(name: str, inside: pl.Expr) -> pl.Expr:
    """Return an element on its own line; null if it has no content."""
    return pl.concat_str(pl.lit(f"\n    <{name}>"), inside, pl.lit(f"</{name}>"))


def _status(indent: str) -> pl.Expr:
    """Return the status of a message or an item; null if it has none."""
    supplement = xml_element("supplement", pl.col("supplement"))
    status = block(
        f"{indent}<status",
        xml_attribute("resultCode", pl.col("result_code")),
        pl.coalesce(pl.concat_str(pl.lit(">"), supplement, pl.lit("</status>")), pl.lit("/>")),
    )
    said = pl.col("result_code").is_not_null() | pl.col("supplement").is_not_null()
    return pl.when(said).then(status)


def _statistics() -> pl.Expr:
    inside = block(
        xml_element("actualStartTime", _moment("actual_start_utc")),
        xml_element("retryCount", pl.col("retries")),
        xml_element("numFileFailures", pl.col("file_failures")),
        xml_element("numFileWarnings", pl.col("file_warnings")),
    )
    return pl.when(inside != "").then(inside)


def _transfer_set() -> pl.Expr:
    is_status = pl.col("message") == "status"
    status = block(
        xml_attribute("time", _moment("time_utc")),
        ">\n        <stats",
        xml_attribute("bytes", pl.col("bytes_sent")),
        xml_attribute("seconds", pl.col("elapsed_seconds").cast(pl.Float64).round(3)),
        xml_attribute("currentItem", pl.col("first_index").cast(pl.Int64) + 1),
        xml_attribute("totalItems", pl.col("files")),
        "/>",
    )
    log = block(
        xml_attribute("index", pl.col("first_index")),
        xml_attribute("size", pl.col("size")),
        xml_attribute("startTime", _moment("start_utc")),
        xml_attribute("total", pl.col("files")),
        xml_attribute("bytesSent", pl.col("bytes_sent")),
        pl.when(pl.col("text").is_not_null()).then(pl.lit(">")),
    )
    is_empty = pl.col("text").is_null() & ~is_status
    closing = pl.when(is_empty).then(pl.lit("/>")).otherwise(pl.lit("\n    </transferSet>"))
    return block(
        "\n    <transferSet",
        pl.when(is_status).then(status).otherwise(log),
        pl.col("text"),
        closing,
    )


def _item() -> pl.Expr:
    """Return one file of a transfer: `current` in a status message, otherwise `item`."""
    is_status = pl.col("message") == "status"
    is_schedule = pl.col("message") == "schedule"
    method = pl.when(is_schedule & pl.col("source_checksum").is_null()).then(
        pl.col("source_checksum_method")
    )
    name = pl.when(is_status).then(pl.lit("current")).otherwise(pl.lit("item"))
    return block(
        "\n        <",
        name,
        xml_attribute("mode", pl.col("mode")),
        xml_attribute("checksumMethod", method),
        xml_attribute("transferred", pl.col("transferred_bytes")),
        pl.when(is_status).then(xml_attribute("size", pl.col("source_bytes"))),
        ">",
        _end("source", "disposition", method.is_null()),
        _end("destination", "exist", pl.lit(True)),
        _status("\n            "),
        "\n        </",
        name,
        ">",
    )


def _end(side: str, what: str, has_checksum: pl.Expr) -> pl.Expr:
    """Return where an item comes from or goes to."""
    is_queue = pl.col(f"{side}_type").eq_missing("queue")
    held = pl.when(is_queue).then(pl.lit("queue")).otherwise(pl.lit("file"))
    size = xml_attribute("size", pl.col(f"{side}_bytes"))
    checksum = block(
        "\n                <checksum",
        xml_attribute("method", pl.col(f"{side}_checksum_method")),
        ">",
        xml_text(pl.col(f"{side}_checksum")),
        "</checksum>",
    )
    has_value = pl.col(f"{side}_checksum").is_not_null()
    has_method = pl.col(f"{side}_checksum_method").is_not_null()
    # A status message has the size in a separate attribute.
    inside = size if side == "destination" else pl.when(pl.col("message") != "status").then(size)
    return block(
        f"\n            <{side}",
        xml_attribute(what, pl.col(f"{side}_{what}")),
        xml_attribute("type", pl.col(f"{side}_type")),
        ">\n                <",
        held,
        inside,
        ">",
        xml_text(pl.col(side)),
        "</",
        held,
        ">",
        pl.when(has_value | (has_method & has_checksum)).then(checksum),
        f"\n            </{side}>",
    )


def _moment(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.Datetime("us")).dt.strftime("%Y-%m-%dT%H:%M:%S%.3fZ")


# --- text of the file logger ------------------------------------------------------------------


def write_text(tables: Tables) -> bytes:
    """Return the logger's lines of transfers (started, completed, ...) and files (progress)."""
    transfers = rows_of(tables, "bench_mft_transfer", TRANSFER).select("record_no", text=_event())
    items = rows_of(tables, "bench_mft_item", ITEM).select("record_no", text=_moved())
    number = pl.col("record_no").cast(pl.Int64)
    events = pl.concat([transfers.with_columns(number), items.with_columns(number)])
    return "".join(f"{text};\n" for text in events.sort("record_no")["text"]).encode()


def _event() -> pl.Expr:
    """Return an event of a transfer: standard agents at both ends, no schedule, no metadata."""
    is_started = pl.col("action") == "started"
    agents = {
        side: [f"{side}_agent", f"{side}_queue_manager"] for side in ("source", "destination")
    }
    kind = pl.lit("STANDARD")
    started = _fields(*agents["source"], kind, *agents["destination"], "user_id", "job_name", "")
    ended = _fields(*agents["source"], kind, *agents["destination"], kind, "user_id", "job_name",
                    "supplement")  # fmt: skip
    return block(_beginning(), pl.when(is_started).then(started).otherwise(ended))


def _moved() -> pl.Expr:
    """Return an event of one file; each end's five fields for queues and data sets are empty."""
    fields = _fields(
        "source", "source_bytes", "source_type", "source_disposition", *[""] * 5,
        "destination", "destination_bytes", "destination_type", "destination_exist", *[""] * 6,
        "supplement",
    )  # fmt: skip
    return block(_beginning(), fields)


def _beginning() -> pl.Expr:
    return block(
        pl.col("time_utc").cast(pl.Datetime("us")).dt.strftime("%Y-%m-%dT%H:%M:%S"),
        ";",
        pl.col("transfer_id").str.pad_end(48),
        ";[",
        pl.col("action").replace_strict(_EVENTS),
        "];",
        pl.col("result_code").cast(pl.String).fill_null("").str.pad_end(3),
        ";",
    )


def _fields(*columns: pl.Expr | str) -> pl.Expr:
    """Return fields separated by semicolons; a name that is no column is an empty field."""
    found = [
        column if isinstance(column, pl.Expr) else pl.col(column) if column else pl.lit("")
        for column in columns
    ]
    texts = [field.cast(pl.String).fill_null("") for field in found]
    return pl.concat_str(texts, separator=";")


WRITERS = {"mft_xml": write_xml, "mft_log": write_text}
