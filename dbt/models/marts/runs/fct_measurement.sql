{{ config(materialized="incremental", incremental_strategy="by_run") }}

{% set metrics = [
    ("rate", "rate_mb_per_second"),
    ("steady_rate", "steady_rate_mb_per_second"),
    ("transfer_time", "transfer_seconds"),
    ("bytes", "bytes"),
    ("files", "files"),
    ("messages", "messages"),
    ("transactions", "transactions"),
    ("transactions_per_second", "transactions_per_second"),
    ("messages_per_second", "messages_per_second"),
    ("system_overhead_seconds", "system_overhead_seconds"),
] %}
{% for _, column, metric in workload_figures() %} {% do metrics.append((metric, column)) %} {% endfor %}

{% set with_sysplex = [
    "fct_cf_structure_use_interval",
    "fct_crypto_operation_interval",
    "fct_processor_interval",
] %}
{# Extremes of the intervals of a run: metric, value, mart, condition. #}
{% set of_intervals = [
    ("channels_current", "max(current_channels)", "fct_channel_initiator_interval", none),
    ("channels_most", "max(max_current_channels)", "fct_channel_initiator_interval", none),
    ("channel_initiator_storage", "max(storage_used_mb)", "fct_channel_initiator_interval", none),
    (
        "channel_initiator_storage_64bit",
        "max(storage_used_64bit) / 1048576",
        "fct_channel_initiator_interval",
        none,
    ),
    (
        "queue_manager_storage_available",
        "min(storage_available_31bit) / 1048576",
        "fct_queue_manager_interval",
        none,
    ),
    ("buffer_pool_size", "max(buffers) / 256", "fct_buffer_pool_interval", none),
    (
        "admin_structure_size",
        "max(size_mb)",
        "fct_cf_structure_use_interval",
        "ends_with(structure_name, 'CSQ_ADMIN')",
    ),
    (
        "channel_bytes_per_message",
        ratio("sum(share * greatest(bytes_sent, bytes_received))", "sum(share * messages)"),
        "fct_channel_interval",
        "messages > 0",
    ),
    (
        "processors_most",
        "max(processors_online)",
        "fct_processor_interval",
        "processor_type = 'CP'",
    ),
    (
        "processors_least",
        "min(processors_online)",
        "fct_processor_interval",
        "processor_type = 'CP'",
    ),
    (
        "coprocessor_operations",
        "sum(share * operations) / count(distinct system_id)",
        "fct_crypto_operation_interval",
        "scope = 'the machine' and not is_included and card_kind = 'CCA coprocessor'",
    ),
    (
        "accelerator_operations",
        "sum(share * operations) / count(distinct system_id)",
        "fct_crypto_operation_interval",
        "scope = 'the machine' and not is_included and card_kind = 'accelerator'",
    ),
] %}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

    used as (select * from {{ resources_used(["origin", "run_id"]) }}),

    derived as (

        select origin, run_id, {{ metric_rows(metrics + cpu_metrics()) }}
        from {{ runs(ref("fct_run_total")) }}

        union all by name

        select
            origin,
            run_id,
            'compression' as metric,
            {{ ratio("sum(share * bytes * compression_percent)", "sum(share * bytes)") }} as value
        from {{ intervals_of_runs(ref("fct_channel_interval"), names_sysplex=false) }}
        where compression_percent > 0
        group by origin, run_id

        union all by name

        -- Acknowledgements have a channel of their own, the other way.
        select origin, run_id, 'channels_used' as metric, max(channels) as value
        from
            (
                select origin, run_id, queue_manager, channel_type, count(distinct channel_name) as channels
                from {{ intervals_of_runs(ref("fct_channel_interval"), names_sysplex=false) }}
                where messages > 0
                group by all
            )
        group by origin, run_id

        union all by name

        select origin, run_id, 'ramp_seconds' as metric, ramp_seconds as value
        from run

        union all by name

        {% for metric, _, resource, value in resource_figures() %}
            select origin, run_id, '{{ metric }}' as metric, {{ bounded_values(value) }}
            from used
            where resource = '{{ resource }}'

            union all by name

        {% endfor %}
        select
            origin,
            run_id,
            'cpu_per_' || verb as metric,
            {{ bounded_values(average_us("cpu_seconds$", "events^")) }}
        from used
        where verb is not null

        {% for metric, value, mart, condition in of_intervals %}
            union all by name

            select origin, run_id, '{{ metric }}' as metric, {{ value }} as value
            from {{ intervals_of_runs(ref(mart), names_sysplex=mart in with_sysplex) }}
            {% if condition %} where {{ condition }} {% endif %}
            group by origin, run_id

        {% endfor %}
        union all by name

        select
            origin,
            run_id,
            'elapsed_per_get' as metric,
            {{ bounded_values(average_us("seconds$", "events^")) }}
        from used
        where verb = 'get'

        union all by name

        select
            origin,
            run_id,
            case resource when 'AMS' then 'ams_accesses' else 'crypto_operations' end as metric,
            {{ bounded_values("events$") }}
        from used
        where resource in ('AMS', 'crypto')

    ),

    derived_value as (

        select derived.*, 'derived' as value_source
        from derived
        where value is not null

        union all by name

        select team.origin, team.run_id, team.metric, team.value, 'the team''s own models' as value_source
        from {{ metrics_of_team() }} as team
        inner join run using (origin, run_id)
        -- not one named like one of ours
        inner join
            {{ ref("dim_metric") }} as metric
            on team.metric = metric.metric
            and metric.derived_from = 'the team''s own models'

    ),

    -- Use given values only where records provide none. This includes the rate that a harness prints
    -- for its working time.
    given as (

        select
            origin,
            run_id,
            metric,
            value,
            unit,
            more_is_better,
            array_to_string(value_sources, ', ') as value_source
        from {{ runs(ref("int_runs__measurement")) }}
        anti join derived_value using (origin, run_id, metric)
        where address_space is null

    ),

    measured as (

        select derived_value.*, metric.unit, metric.more_is_better, false as is_given
        from derived_value
        inner join {{ ref("dim_metric") }} as metric using (metric)

        union all by name

        select
            given.* exclude (more_is_better),
            coalesce(given.more_is_better, metric.more_is_better) as more_is_better,
            true as is_given
        from given
        inner join {{ ref("dim_metric") }} as metric using (metric)

    )

select
    {{
        measurement_columns(
            "run", "measured", ["measured.value_source"], network_money=network_money("measured.metric")
        )
    }}
from measured
inner join run using (origin, run_id)
left join {{ runs(ref("fct_run_price")) }} as price using (origin, run_id)
