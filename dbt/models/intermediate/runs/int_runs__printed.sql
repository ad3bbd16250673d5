{{ config(materialized='incremental', incremental_strategy='by_day') }}

{#- Metrics of runs that tools print, as (output, metric, value, unit, condition). -#}
{% set printed = [
    ("ioping", "response_time", "average_us", "us", none),
    ("channel_status", "NETTIME", "nettime_us / 1000", "ms", none),
    ("channel_status", "batch_size_achieved", "batch_size_achieved", "messages", none),
    ("channel_status", "compression", "compression_percent", "%", none),
    ("channel_status", "compression_time", "compression_us", "us", none),
    ("resource_usage", "log_write_latency", "value", "us", "usage = 'Log - write latency'"),
    ("resource_usage", "log_write_size", "value", "B", "usage = 'Log - write size'"),
    (
        "resource_usage", "log_physical_rate", "rate_per_second", "B/s",
        "usage = 'Log - physical bytes written'",
    ),
    (
        "resource_usage", "log_logical_rate", "rate_per_second", "B/s",
        "usage = 'Log - logical bytes written'",
    ),
    ("harness", "transactions", "iterations", "count", none),
    ("harness", "transactions_per_second", "rate_per_second", "1/s", none),
] %}

-- The processes of a driver run in parallel, so their rates add up.
with harness as (

    select
        source_id,
        min(record_no) as record_no,
        sum(iterations) as iterations,
        sum(rate_per_second) as rate_per_second
    from {{ ref('stg_bench__harness') }}
    where rate_kind = 'total'
    group by source_id

),

printed as (

    {% for output, metric, value, unit, condition in printed %}
    select
        source_id,
        record_no,
        '{{ metric }}' as metric,
        {{ value }} as value,
        '{{ unit }}' as unit,
        {{ "time_utc" if output == "resource_usage" else "cast(null as timestamp) as time_utc" }}
    from {{ "harness" if output == "harness" else ref("stg_bench__" ~ output) }}
    {% if condition %}
    where {{ condition }}
    {% endif %}
    {{ "union all" if not loop.last }}
    {% endfor %}

)

select * from printed
where value is not null
