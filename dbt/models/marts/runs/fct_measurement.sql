{{ config(materialized="incremental", incremental_strategy="by_run") }}

{# Figures of whole runs by the mart that has them: the work, and the CPU time that it took. #}
{% set of_runs = {
    "fct_run": [("ramp_seconds", exact("ramp_seconds"))],
    "fct_run_total": cpu_metrics()
    + [("system_overhead_seconds", with_bounds("system_overhead_seconds"))],
    "fct_run_workload": workload_metrics(),
} %}
{% for metric, column in [
    ("rate", "rate_mb_per_second"),
    ("steady_rate", "steady_rate_mb_per_second"),
    ("transfer_time", "transfer_seconds"),
    ("bytes", "bytes"),
    ("files", "files"),
    ("messages", "messages"),
    ("transactions", "transactions"),
    ("transactions_per_second", "transactions_per_second"),
    ("messages_per_second", "messages_per_second"),
] %}
    {% do of_runs["fct_run_total"].append((metric, exact(column))) %}
{% endfor %}

{% set with_sysplex = [
    "fct_cf_structure_use_interval",
    "fct_crypto_operation_interval",
    "fct_processor_interval",
] %}
{% set per_system = "count(distinct system_id)" %}
{# Figures of the intervals of runs, as (mart, condition, metrics). #}
{% set of_intervals = [
    (
        "fct_channel_initiator_interval",
        none,
        [
            ("channels_current", extreme_in_run("max", "current_channels")),
            ("channels_most", extreme_in_run("max", "max_current_channels")),
            ("channel_initiator_storage", extreme_in_run("max", "storage_used_mb")),
            (
                "channel_initiator_storage_64bit",
                extreme_in_run("max", "storage_used_64bit / 1048576"),
            ),
        ],
    ),
    (
        "fct_queue_manager_interval",
        none,
        [
            (
                "queue_manager_storage_available",
                extreme_in_run("min", "storage_available_31bit / 1048576"),
            )
        ],
    ),
    (
        "fct_buffer_pool_interval",
        none,
        [("buffer_pool_size", extreme_in_run("max", "buffers / 256"))],
    ),
    (
        "fct_cf_structure_use_interval",
        "ends_with(structure_name, 'CSQ_ADMIN')",
        [("admin_structure_size", extreme_in_run("max", "size_mb"))],
    ),
    (
        "fct_channel_interval",
        "messages > 0",
        [
            (
                "channel_bytes_per_message",
                mean_in_run("greatest(bytes_sent, bytes_received)", "messages"),
            )
        ],
    ),
    (
        "fct_channel_interval",
        "compression_percent > 0",
        [("compression", mean_in_run("(bytes * compression_percent)", "bytes"))],
    ),
    (
        "fct_processor_interval",
        "processor_type = 'CP'",
        [
            ("processors_most", of_whole_intervals("max(processors_online)")),
            ("processors_least", of_whole_intervals("min(processors_online)")),
        ],
    ),
    (
        "fct_crypto_operation_interval",
        "scope = 'the machine' and not is_included and card_kind = 'CCA coprocessor'",
        [("coprocessor_operations", sum_in_run("operations", per_system))],
    ),
    (
        "fct_crypto_operation_interval",
        "scope = 'the machine' and not is_included and card_kind = 'accelerator'",
        [("accelerator_operations", sum_in_run("operations", per_system))],
    ),
] %}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

    used as (select * from {{ resources_used(["origin", "run_id"]) }}),

    derived as (

        {% for mart, figures in of_runs.items() %}
            select origin, run_id, {{ metric_rows(figures) }}
            from {{ runs(ref(mart)) }}

            union all by name

        {% endfor %}
        {% for mart, condition, figures in of_intervals %}
            select origin, run_id, {{ metric_rows(figures) }}
            from {{ intervals_of_runs(ref(mart), names_sysplex=mart in with_sysplex) }}
            {% if condition %} where {{ condition }} {% endif %}
            group by origin, run_id

            union all by name

        {% endfor %}
        -- Acknowledgements have a channel of their own, the other way.
        select
            origin,
            run_id,
            'channels_used' as metric,
            {{ figure_columns(figure("max(channels)", "max(for_certain)", "max(channels)")) }}
        from
            (
                select
                    origin,
                    run_id,
                    queue_manager,
                    channel_type,
                    count(distinct channel_name) as channels,
                    count(distinct channel_name) filter (where share >= 1) as for_certain
                from {{ intervals_of_runs(ref("fct_channel_interval"), names_sysplex=false) }}
                where messages > 0
                group by all
            )
        group by origin, run_id

        union all by name

        {{ resource_rows(["origin", "run_id"]) }}

        union all by name

        select
            origin,
            run_id,
            'elapsed_per_get' as metric,
            {{ figure_columns(of_resource(average_us("seconds$", "events^"))) }}
        from used
        where verb = 'get'

        union all by name

        select
            origin,
            run_id,
            case resource when 'AMS' then 'ams_accesses' else 'crypto_operations' end as metric,
            {{ figure_columns(of_resource("events$")) }}
        from used
        where resource in ('AMS', 'crypto')

    ),

    derived_value as (

        select derived.*, 'derived' as value_source
        from derived
        where value is not null

        union all by name

        select
            team.* exclude (unit, more_is_better, formula, left_out), 'the team''s own models' as value_source
        from {{ ref("int_runs__team_metric") }} as team
        inner join run using (origin, run_id)
        where left_out is null

    ),

    -- Use given values only where records provide none. This includes the rate that a harness prints
    -- for its working time.
    given as (

        select
            origin,
            run_id,
            metric,
            {{ figure_columns(exact("value")) }},
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
