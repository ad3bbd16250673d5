"""The plain names of the fields of outputs of benchmark tools, view by view."""

from __future__ import annotations

from ingest.formats.names.view import View

__all__ = ["VIEWS"]

# fmt: off
VIEWS = (
    View("bench__channel_status", "bench_mqsc_chstatus", "One row per channel instance that DISPLAY CHSTATUS shows, with short-term averages.", (
        "source_id", "record_no", "queue_manager",
        ("channel", "channel_name"),
        "channel_type", "status", "message_compression", "messages", "batches",
        ("key_resets", "secret_key_resets"),
        ("batch_size", "batch_size_agreed"),
        ("xbatchsz_short", "batch_size_achieved"),
        ("nettime_us_short", "nettime_us"),
        ("comptime_us_short", "compression_us"),
        ("comprate_pct_short", "compression_percent"),
    )),
    View("bench__container", "bench_docker_stats", "One row per container and table that docker stats prints.", (
        "source_id", "record_no",
        ("name", "container_name"),
        "sample",
        ("cpu_pct", "cpu_percent"),
        "memory_bytes",
    )),
    View("bench__csm_limit", "bench_csm_limit", "One row per amount that DISPLAY CSM shows of the communications storage manager.", (
        "source_id", "record_no", "system_id",
        ("name", "limit_name"),
        ("since", "since_event"),
        "bytes",
    )),
    View("bench__csm_pool", "bench_csm_pool", "One row per pool that DISPLAY CSM shows of the communications storage manager.", (
        "source_id", "record_no", "system_id", "buffer_size",
        ("source", "storage"),
        "in_use_bytes", "total_bytes",
    )),
    View("bench__directory", "bench_du", "One row per directory that du prints.", (
        "source_id", "record_no", "path", "bytes",
    )),
    View("bench__docker_object", "bench_docker_object", "One row per image, container, volume or cache that docker system df -v prints.", (
        "source_id", "record_no",
        ("kind", "object_kind"),
        "size_bytes",
    )),
    View("bench__docker_space", "bench_docker_df", "One row per type of object that docker system df prints.", (
        "source_id", "record_no",
        ("type", "object_type"),
        "size_bytes", "reclaimable_bytes",
    )),
    View("bench__harness", "bench_harness", "One row per rate that a performance harness prints.", (
        "source_id", "record_no", "harness",
        ("kind", "rate_kind"),
        "process_id", "rate_per_second", "iterations", "seconds", "threads", "processes",
    )),
    View("bench__host", "bench_top", "One row per display of top: how busy a Linux host was.", (
        "source_id", "record_no",
        ("iteration", "display"),
        ("load_average_1min", "load_average"),
        ("100 - cpu_id_pct", "busy_percent", "CPU time that is not idle, of all CPUs, in percent. In the first display of a file, since the host started or since the program started: it depends on the release"),
    )),
    View("bench__ioping", "bench_ioping", "One row per set of statistics that ioping prints.", (
        "source_id", "record_no", "target", "file_system", "device", "requests",
        ("bytes / nullif(requests, 0)", "request_bytes", "Size of a request, in bytes; NULL in releases that do not print what was transferred"),
        ("min_us", "least_us"),
        ("avg_us", "average_us"),
        ("max_us", "greatest_us"),
        ("mdev_us", "deviation_us"),
    )),
    View("bench__measurement", "bench_measurement", "One row per measurement that a manifest or a measurement file gives.", (
        "source_id", "record_no", "run_id",
        ("metric", "metric", "What is measured; dim_metric has the formula. Unit: none. Source: dim_metric, or as given."),
        ("unit", "unit", "Unit of the value. Unit: none. Source: dim_metric, or as given."),
        ("nullif(address_space, 'total')", "address_space", "Address space that the value belongs to; NULL for the whole run"),
        ("value", "value", "The value. Unit: that in the column unit. Source: dim_metric.formula, or a given measurement."),
        ("more_is_better", "more_is_better", "Whether a higher value is better; NULL if neither is. Unit: none. Source: dim_metric, or as given."),
        "time_utc",
    )),
    View("bench__memory", "bench_free", "One row per figure that free prints of the memory of a Linux host.", (
        "source_id", "record_no", "kind", "measure", "bytes",
    )),
    View("bench__queue_status", "bench_mqsc_qstatus", "One row per queue that DISPLAY QSTATUS shows.", (
        "source_id", "record_no", "queue_manager",
        ("queue", "queue_name"),
        "depth",
        ("oldest_message_s", "oldest_message_seconds"),
        ("qtime_us_short", "queue_time_us"),
    )),
    View("bench__resource_usage", "bench_amqsrua", "One row per metric of a publication of resource usage that amqsrua prints.", (
        "source_id", "record_no",
        ("object", "object_name"),
        ("metric", "usage"),
        "unit", "value", "rate_per_second", "interval_seconds", "time_utc",
    )),
    View("bench__run", "bench_run", "One row per run that a manifest declares.", (
        "source_id",
        ("record_no", "record_no", "Position of the run in its manifest, from 1. Unit: count. Source: the loader."),
        ("run_id", "run_id", "Name of the run. Unit: none. Source: the manifest: run_id."),
        ("campaign", "campaign", "Campaign that the run belongs to. Unit: none. Source: the manifest: campaign."),
        "time_zone",
        ("repetition", "repetition", "Number of the repetition of one configuration in its manifest, from 1. Unit: count. Source: the manifest: repetition."),
        ("utc_offset_minutes", "utc_offset_minutes", "Local time of the start minus UTC. Unit: minutes. Source: the manifest: start and time_zone."),
        ("start_utc", "start_utc", "Start of the run. Unit: timestamp, UTC. Source: the manifest: start."),
        ("stop_utc", "stop_utc", "Stop of the run. Unit: timestamp, UTC. Source: the manifest: stop."),
        ("steady_start_utc", "steady_start_utc", "Start of the steady state; NULL if none is declared. Unit: timestamp, UTC. Source: the manifest: steady_start."),
        ("steady_stop_utc", "steady_stop_utc", "Stop of the steady state; NULL if none is declared. Unit: timestamp, UTC. Source: the manifest: steady_stop."),
        "start_local",
    )),
    View("bench__run_factor", "bench_run_factor", "One row per run and factor of its configuration.", (
        "source_id",
        ("record_no", "record_no", "Position of the run in its manifest, from 1. Unit: count. Source: the loader."),
        ("run_id", "run_id", "Name of the run. Unit: none. Source: the manifest: run_id."),
        "factor",
        ("value", "level"),
        ("number", "level_number"),
    )),
    View("bench__run_label", "bench_run_label", "One row per run and label.", (
        "source_id",
        ("record_no", "record_no", "Position of the run in its manifest, from 1. Unit: count. Source: the loader."),
        ("run_id", "run_id", "Name of the run. Unit: none. Source: the manifest: run_id."),
        "label",
        ("value", "label_value"),
    )),
    View("bench__run_scope", "bench_run_scope", "One row per run and system object that it used.", (
        "source_id",
        ("record_no", "record_no", "Position of the run in its manifest, from 1. Unit: count. Source: the loader."),
        ("run_id", "run_id", "Name of the run. Unit: none. Source: the manifest: run_id."),
        ("kind", "object_kind"),
        ("name", "object_name"),
    )),
    View("bench__transfer", "bench_mft_transfer", "One row per message that MFT logs of a transfer or a schedule.", (
        "source_id", "record_no", "transfer_id", "message", "action", "agent_role", "source_agent",
        "source_queue_manager", "destination_agent", "destination_queue_manager",
        "elapsed_seconds", "files", "bytes_sent", "result_code", "file_failures", "time_utc",
        "start_utc", "actual_start_utc",
    )),
    View("bench__transfer_item", "bench_mft_item", "One row per file that a message of MFT reports.", (
        "source_id", "record_no", "transfer_id", "message", "action",
        ("source", "source_name"),
        ("destination", "destination_name"),
        "item_index", "source_bytes", "destination_bytes", "result_code",
    )),
)
