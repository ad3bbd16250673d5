{{ config(materialized="incremental", incremental_strategy="by_day") }}

{#- Metrics of runs that tools print, as (output, metric, value, unit, condition);
    ioping names its metrics itself. -#}
{% set memory = "kind = 'Mem' and measure = " %}
{% set both = "kind = 'Total' and measure = " %}
{% set swap = "kind = 'Swap' and measure = " %}
{% set pools = "buffer_size = 'TOTAL' and storage = 'ALL SOURCES'" %}
{% set limit = "limit_name = 'FIXED MAXIMUM USED' and since_event = " %}
{% set printed = [
    ("ioping", none, "average_us", "us", none),
    ("channel_status", "NETTIME", "nettime_us / 1000", "ms", none),
    ("channel_status", "batch_size_achieved", "batch_size_achieved", "messages", none),
    ("channel_status", "compression", "compression_percent", "%", none),
    ("channel_status", "compression_time", "compression_us", "us", none),
    ("channel_status", "secret_key_resets", "secret_key_resets", "count", none),
    ("queue_status", "queue_depth", "depth", "messages", none),
    ("queue_status", "oldest_message_age", "oldest_message_seconds", "s", none),
    ("queue_status", "queue_time", "queue_time_us", "us", none),
    ("resource_usage", "amqsrua_log_write_latency", "value", "us", "usage = 'Log - write latency'"),
    ("resource_usage", "amqsrua_log_write_size", "value", "B", "usage = 'Log - write size'"),
    (
        "resource_usage",
        "amqsrua_log_physical_bytes",
        "value",
        "B",
        "usage = 'Log - physical bytes written'",
    ),
    (
        "resource_usage",
        "amqsrua_log_logical_bytes",
        "value",
        "B",
        "usage = 'Log - logical bytes written'",
    ),
    (
        "resource_usage",
        "amqsrua_log_physical_rate",
        "rate_per_second",
        "B/s",
        "usage = 'Log - physical bytes written'",
    ),
    (
        "resource_usage",
        "amqsrua_log_logical_rate",
        "rate_per_second",
        "B/s",
        "usage = 'Log - logical bytes written'",
    ),
    ("harness", "transactions", "iterations", "count", none),
    ("harness", "transactions_per_second", "rate_per_second", "1/s", none),
    ("host", "host_cpu_busy", "busy_percent", "%", none),
    ("host", "host_load_average", "load_average", "count", none),
    ("memory", "host_memory_used", "bytes / 1048576", "MB", memory ~ "'used'"),
    ("memory", "host_memory_available", "bytes / 1048576", "MB", memory ~ "'available'"),
    ("memory", "host_memory_total", "bytes / 1048576", "MB", memory ~ "'total'"),
    ("memory", "host_memory_free", "bytes / 1048576", "MB", memory ~ "'free'"),
    ("memory", "host_memory_shared", "bytes / 1048576", "MB", memory ~ "'shared'"),
    ("memory", "host_memory_cache", "bytes / 1048576", "MB", memory ~ "'buff/cache'"),
    ("memory", "host_memory_and_swap_total", "bytes / 1048576", "MB", both ~ "'total'"),
    ("memory", "host_memory_and_swap_used", "bytes / 1048576", "MB", both ~ "'used'"),
    ("memory", "host_memory_and_swap_free", "bytes / 1048576", "MB", both ~ "'free'"),
    ("memory", "host_swap_total", "bytes / 1048576", "MB", swap ~ "'total'"),
    ("memory", "host_swap_used", "bytes / 1048576", "MB", swap ~ "'used'"),
    ("memory", "host_swap_free", "bytes / 1048576", "MB", swap ~ "'free'"),
    ("container", "container_cpu", "cpu_percent", "%", none),
    ("container", "container_memory", "memory_bytes / 1048576", "MB", none),
    ("docker_space", "docker_space", "size_bytes / 1048576", "MB", none),
    ("docker_volume", "docker_volume_space", "size_bytes / 1048576", "MB", none),
    ("directory", "directory_size", "bytes / 1048576", "MB", none),
    ("csm_pool", "csm_in_use", "in_use_bytes / 1024", "KB", pools),
    ("csm_pool", "csm_free", "(total_bytes - in_use_bytes) / 1024", "KB", pools),
    ("csm_pool", "csm_total", "total_bytes / 1024", "KB", pools),
    ("csm_limit", "csm_fixed_max", "bytes / 1048576", "MB", "limit_name = 'FIXED MAXIMUM'"),
    ("csm_limit", "csm_fixed_current", "bytes / 1024", "KB", "limit_name = 'FIXED CURRENT'"),
    ("csm_limit", "csm_fixed_max_used_last", "bytes / 1024", "KB", limit ~ "'LAST DISPLAY CSM'"),
    ("csm_limit", "csm_fixed_max_used_ipl", "bytes / 1024", "KB", limit ~ "'IPL'"),
    ("message", "mq_error_messages", "mq_errors", "count", none),
    ("message", "csm_shortage_messages", "csm_shortages", "count", none),
    ("message", "structure_failure_messages", "structure_failures", "count", none),
] %}
{% for name, value, unit in [
    ("cpu", "cpu_percent", "%"),
    ("cpu_seconds", "cpu_seconds", "s"),
    ("memory", "memory_percent", "%"),
    ("virtual", "virtual_bytes / 1024", "KB"),
    ("resident", "resident_bytes / 1024", "KB"),
    ("shared", "shared_bytes / 1024", "KB"),
    ("priority", "priority", "count"),
    ("nice", "nice", "count"),
] %}
    {% do printed.extend(
        [
            ("java", "java_" ~ name, value, unit, "display = 1"),
            ("java", "java_" ~ name ~ "_later", value, unit, "display > 1"),
        ]
    ) %}
{% endfor %}
{% set own = [
    "java",
    "harness",
    "ioping",
    "queue_status",
    "host",
    "container",
    "docker_space",
    "docker_volume",
    "directory",
    "message",
] %}

-- The processes of a driver run in parallel, so their rates add up.
with
    harness as (

        select
            source_id,
            min(record_no) as record_no,
            sum(iterations) as iterations,
            sum(rate_per_second) as rate_per_second
        from {{ source("staging", "bench__harness") }}
        where rate_kind = 'total'
        group by source_id

    ),

    -- Requests of different sizes take different times.
    ioping as (

        select
            *,
            concat_ws(
                '_',
                'response_time',
                case when request_bytes >= 1024 then round(request_bytes / 1024)::bigint || 'KB' end
            ) as metric
        from {{ source("staging", "bench__ioping") }}

    ),

    -- The fullest and slowest queue is what an operator looks for.
    queue_status as (

        select
            source_id,
            min(record_no) as record_no,
            max(depth) as depth,
            max(oldest_message_seconds) as oldest_message_seconds,
            max(queue_time_us) as queue_time_us
        from {{ source("staging", "bench__queue_status") }}
        group by source_id

    ),

    -- The first of several displays may show the time since the host started.
    host as (

        select *
        from {{ source("staging", "bench__host") }}
        qualify display > 1 or count(*) over (partition by source_id) = 1

    ),

    -- The busiest Java program of each display: of a host of Managed File Transfer, its agent.
    java as (

        select *
        from {{ ref("stg_bench__host_process") }}
        where is_java
        qualify row_number() over (partition by source_id, display order by cpu_percent desc, record_no) = 1

    ),

    container as (

        select
            source_id,
            min(record_no) as record_no,
            sum(cpu_percent) as cpu_percent,
            sum(memory_bytes) as memory_bytes
        from {{ source("staging", "bench__container") }}
        group by source_id, sample

    ),

    docker_space as (

        select source_id, min(record_no) as record_no, sum(size_bytes) as size_bytes
        from {{ source("staging", "bench__docker_space") }}
        group by source_id

    ),

    -- Images share layers, so only volumes can be added up.
    docker_volume as (

        select source_id, min(record_no) as record_no, sum(size_bytes) as size_bytes
        from {{ source("staging", "bench__docker_object") }}
        where object_kind = 'volume'
        group by source_id

    ),

    -- A directory contains those below it, so the largest one is the whole.
    directory as (

        select
            source_id,
            arg_max(record_no, (bytes, record_no)) filter (where bytes is not null) as record_no,
            max(bytes) as bytes
        from {{ source("staging", "bench__directory") }}
        group by source_id

    ),

    -- None found does not mean zero: an excerpt may leave messages out.
    message as (

        select
            source_id,
            min(record_no) as record_no,
            nullif(count(*) filter (where is_mq_error), 0) as mq_errors,
            nullif(count(*) filter (where is_csm_shortage), 0) as csm_shortages,
            nullif(count(*) filter (where is_structure_failure), 0) as structure_failures
        from {{ ref("stg_bench__message") }}
        where is_mq_error or is_csm_shortage or is_structure_failure
        group by source_id

    ),

    printed as (

        {% for output, metric, value, unit, condition in printed %}
            select
                source_id,
                record_no,
                {{ "'" ~ metric ~ "'" if metric else "metric" }} as metric,
                {{ value }} as value,
                '{{ unit }}' as unit,
                {{ "time_utc" if output == "resource_usage" else "cast(null as timestamp) as time_utc" }}
            from {{ output if output in own else source("staging", "bench__" ~ output) }}
            {% if condition %} where {{ condition }} {% endif %} {{ "union all" if not loop.last }}
        {% endfor %}

    )

select *
from printed
where value is not null
