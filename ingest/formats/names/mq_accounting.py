"""The plain names of the fields of MQ's accounting records (SMF 116), view by view."""

from __future__ import annotations

from ingest.formats.names.view import View

__all__ = ["EXTENSION", "PRODUCT", "VIEWS"]

# fmt: off
# Statistics records have these sections too.
PRODUCT = (
    "source_id", "record_no", "section_no",
    ("qwhsstck", "recorded_at_utc"),
    ("qwhsiid", "instrumentation_id"),
    ("qwhsace", "agent_address"),
    ("qwhsiseq", "sequence_number"),
    ("qwhswseq", "destination_sequence_number"),
    ("qwhstime", "interval_start_local"),
    ("qwhsdurn", "interval_seconds"),
)
EXTENSION = (
    "source_id", "record_no", "section_no",
    ("qwhxqsg", "queue_sharing_group"),
    ("qwhxrel", "extended_mq_level"),
)
VIEWS = (
    View("mq__accounting_header", "smf116_header", "One row per SMF 116 record: its SMF header.", (
        "source_id", "record_no",
        ("sm116sid", "system_id"),
        ("sm116ssi", "queue_manager"),
        ("sm116stf", "record_subtype"),
        ("sm116rel", "header_mq_level"),
    )),
    View("mq__accounting_product", "smf116_qwhs", "One row per SMF 116 record that has a standard instrumentation header.", PRODUCT),
    View("mq__accounting_product_extension", "smf116_qwhx", "One row per SMF 116 record of MQ 10.0 or later: the extension of its instrumentation header.", EXTENSION),
    View("mq__channel", "smf116_qcst", "One row per channel instance in an SMF 116 subtype 10 record.", (
        "source_id", "record_no", "section_no",
        ("qcstcltm", "collected_at_utc"),
        ("qcstchnm", "channel_name"),
        ("qcstchdp", "disposition_code"),
        ("qcstchty", "channel_type_code"),
        ("qcstchst", "channel_status_code"),
        ("qcstcnnm", "connection_name"),
        ("qcststrt", "channel_started_at_utc"),
        ("qcstludt", "channel_stopped_at_utc"),
        ("qcstlmst", "last_message_at_utc"),
        ("qcstcbsz", "batch_size"),
        ("qcstnmsg", "messages"),
        ("qcstnpmg", "persistent_messages"),
        ("qcstbatc", "batches"),
        ("qcstfuba", "full_batches"),
        ("qcstbfst", "buffers_sent"),
        ("qcstbfrc", "buffers_received"),
        ("qcstcscv", "shared_conversations"),
        ("qcstnbyt", "bytes"),
        ("qcstnpby", "persistent_bytes"),
        ("qcstbyst", "bytes_sent"),
        ("qcstbyrc", "bytes_received"),
        ("qcstcpra", "compression_percent"),
        ("qcstetav", "exit_average_us"),
        ("qcstetmn", "exit_min_us"),
        ("qcstetmx", "exit_max_us"),
        ("qcstdnrt", "dns_resolution_us"),
        ("qcstntav", "nettime_average_us"),
        ("qcstntmn", "nettime_min_us"),
        ("qcstntmx", "nettime_max_us"),
        ("qcstntdt", "nettime_max_at_utc"),
        ("qcstrqmn", "remote_queue_manager_or_application"),
        ("qcstslcs", "cipher_spec_code"),
        ("qcstptrc", "put_retries"),
        ("qcstqetc", "transmission_queue_empty"),
        ("qcstcbit", "batch_interval_ms"),
        ("qcstcbdl", "batch_data_limit_kb"),
        ("qcstdspn", "dispatcher_number"),
    )),
    View("mq__correlation", "smf116_qwhc", "One row per SMF 116 record that has a correlation header: who caused the record.", (
        "source_id", "record_no", "section_no",
        ("qwhcaid", "authorization_id"),
        ("qwhccn", "connection_name"),
        ("qwhcopid", "operator_id"),
        ("qwhcatyp", "application_type_code"),
        ("hex(qwhccv)", "correlation_hex", "Correlation identifier (thread reference, transaction), in hexadecimal. Unit: none. Source: QWHCCV or WTIDCORI."),
    )),
    View("mq__task_cpu", "smf116_qwac", "One row per SMF 116 subtype 0 record: processor use and units of work of one task.", (
        "source_id", "record_no", "section_no",
        ("qwacbsc", "started_at_utc"),
        ("qwacesc", "ended_at_utc"),
        ("epoch(qwacejst) - epoch(qwacbjst)", "task_cpu_seconds", "Difference of the task's CPU clocks in the period, including the application's code, as recorded. The clocks of a channel initiator can be of different tasks. Unit: seconds. Source: QWACEJST - QWACBJST."),
        ("qwaccomm", "commits"),
        ("qwacback", "backouts"),
    )),
    View("mq__task_identification", "smf116_wtid", "One row per SMF 116 subtype 1 or 2 record: who the task is.", (
        "source_id", "record_no", "section_no",
        ("wtidatyp", "application_type_code"),
        ("wtidccn", "connection_name"),
        ("wtidopid", "operator_id"),
        ("hex(wtidcori)", "correlation_hex", "Correlation identifier (thread reference, transaction), in hexadecimal. Unit: none. Source: QWHCCV or WTIDCORI."),
        ("wtidchl", "channel_name"),
        ("wtidchlc", "channel_connection_name"),
        ("wtidtran", "user_id"),
    )),
    View("mq__task_message_manager", "smf116_qmac", "One row per SMF 116 subtype 0 record: MQI work of one task by message size.", (
        "source_id", "record_no", "section_no",
        ("qmaccput", "cpu_seconds"),
        ("qmacputa", "puts_to_99_bytes"),
        ("qmacputb", "puts_to_999_bytes"),
        ("qmacputc", "puts_to_9999_bytes"),
        ("qmacputd", "puts_over_9999_bytes"),
        ("qmacgeta", "gets_to_99_bytes"),
        ("qmacgetb", "gets_to_999_bytes"),
        ("qmacgetc", "gets_to_9999_bytes"),
        ("qmacgetd", "gets_over_9999_bytes"),
    )),
)
