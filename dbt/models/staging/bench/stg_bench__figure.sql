{#- What tools print that the published figures have too: (table, metric, value, unit, condition). -#}
{% set printed = [
    ("bench_ioping", "response_time", "avg_us", "us", "true"),
    ("bench_mqsc_chstatus", "NETTIME", "nettime_us_short / 1000", "ms", "true"),
    ("bench_mqsc_chstatus", "compression", "comprate_pct_short", "%", "true"),
    ("bench_mqsc_chstatus", "compression_time", "comptime_us_short", "us", "true"),
    ("bench_amqsrua", "log_write_latency", "value", "us", "metric = 'Log - write latency'"),
    ("bench_amqsrua", "log_write_size", "value", "B", "metric = 'Log - write size'"),
    (
        "bench_amqsrua", "log_physical_rate", "rate_per_second", "B/s",
        "metric = 'Log - physical bytes written'",
    ),
    (
        "bench_amqsrua", "log_logical_rate", "rate_per_second", "B/s",
        "metric = 'Log - logical bytes written'",
    ),
] %}

with harness as (

    -- the processes of a driver work at the same time
    select
        source_id,
        min(record_no) as record_no,
        sum(iterations) as iterations,
        sum(rate_per_second) as rate_per_second
    from {{ source('bench', 'bench_harness') }}
    where kind = 'total'
    group by source_id

),

printed as (

    {% for table, metric, value, unit, condition in printed %}
    select
        source_id,
        record_no,
        '{{ metric }}' as metric,
        {{ value }} as value,
        '{{ unit }}' as unit,
        {{ "time_utc" if table == "bench_amqsrua" else "cast(null as timestamp)" }} as time_utc
    from {{ source('bench', table) }}
    where {{ condition }}

    union all

    {% endfor %}
    {% for metric, value, unit in [
        ("transactions", "iterations", "count"),
        ("transactions_per_second", "rate_per_second", "1/s"),
    ] %}
    select
        source_id,
        record_no,
        '{{ metric }}' as metric,
        {{ value }} as value,
        '{{ unit }}' as unit,
        null as time_utc
    from harness
    {{ "union all" if not loop.last }}
    {% endfor %}

)

select * from printed
where value is not null
