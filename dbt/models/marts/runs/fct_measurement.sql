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
{% for metric, column, _, _ in resource_figures() %} {% do metrics.append((metric, column)) %} {% endfor %}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

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

        select origin, run_id, 'ramp_seconds' as metric, ramp_seconds as value
        from run

        union all by name

        select
            origin, run_id, 'cpu_per_' || verb as metric, {{ average_us("cpu_seconds", "events") }} as value
        from {{ resources_used(["origin", "run_id"]) }}
        where verb is not null

        union all by name

        select
            origin,
            run_id,
            case resource when 'AMS' then 'ams_accesses' else 'crypto_operations' end as metric,
            events as value
        from {{ resources_used(["origin", "run_id"]) }}
        where resource in ('AMS', 'crypto')

    ),

    derived_value as (

        select derived.*
        from derived
        where value is not null

        union all by name

        select team.origin, team.run_id, team.metric, team.value
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

        select origin, run_id, metric, value, unit, more_is_better
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

select {{ measurement_columns("run", "measured", network_money=network_money("measured.metric")) }}
from measured
inner join run using (origin, run_id)
left join {{ runs(ref("fct_run_price")) }} as price using (origin, run_id)
