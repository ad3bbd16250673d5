{{ config(materialized="incremental", incremental_strategy="by_run") }}

{% set by = ["origin", "run_id", "address_space"] %}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

    -- Address spaces with the same name on several systems count as one.
    summed as (

        select
            {{ by | join(", ") }},
            {% for metric, figure in cpu_metrics() if metric != "ziip_share" %}
                {% for column in figure.values() %} {{ known_sum(column) }} as {{ column }}, {% endfor %}
            {% endfor %}
            {% for name, eligible, after in [
                ("ziip_share_percent", "eligible_seconds", "after_offload_seconds"),
                ("ziip_share_percent_low", "eligible_seconds_low", "after_offload_seconds_high"),
                ("ziip_share_percent_high", "eligible_seconds_high", "after_offload_seconds_low"),
            ] %}
                {{ ziip_share(known_sum(eligible), known_sum(after)) }} as {{ name }}
                {{- "," if not loop.last }}
            {% endfor %}
        from {{ runs(ref("fct_run_address_space")) }}
        group by {{ by | join(", ") }}

    ),

    derived as (select {{ by | join(", ") }}, {{ metric_rows(cpu_metrics()) }} from summed),

    derived_value as (select derived.* from derived where value is not null),

    given as (

        select {{ by | join(", ") }}, metric, {{ figure_columns(exact("value")) }}, unit, more_is_better
        from {{ runs(ref("int_runs__measurement")) }}
        anti join derived_value using (origin, run_id, metric)
        where address_space is not null

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

select {{ measurement_columns("run", "measured", ["measured.address_space"]) }}
from measured
inner join run using (origin, run_id)
left join {{ runs(ref("fct_run_price")) }} as price using (origin, run_id)
