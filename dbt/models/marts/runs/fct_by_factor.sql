{#- Comparisons of one factor's levels, like the documents' tables of chunk size, compression,
    protocol and distance. -#}
{% set metrics = [
    "rate",
    "transfer_time",
    "cost_per_GB",
    "cost_per_GB_after_offload",
    "transactions_per_second",
    "cost_per_transaction",
    "cost_per_transaction_after_offload",
    "cost_per_GB_of_workload",
    "cost_per_GB_of_workload_after_offload",
    "cost_per_transaction_of_workload",
    "cost_per_transaction_of_workload_after_offload",
    "NETTIME",
    "compression",
    "compression_time",
    "response_time",
] %}
{#- In place of one end of a path, where the other is known. -#}
{% set ends = {
    "source": "if(target is null, null, '...')",
    "target": "if(source is null, null, '...')",
} %}
{% set key = ["origin", "campaign", "document_id", "section", "git_revision", "metric"] %}

with
    mean as (

        select
            {{ key | join(", ") }},
            {% for name, _ in run_factors() %} "{{ name }}", {% endfor %}
            x_factors,
            machine,
            mq_level,
            any_value(unit) as unit,
            bool_or(more_is_better) as more_is_better,
            avg(value) as value,
            count(*) as figures,
            list(value order by value) as
        values, {{ first_record(["order_no"]) }}
        from {{ ref("fct_figure") }}
        where metric in ('{{ metrics | join("', '") }}') and address_space is null
        group by all

    ),

    -- One row per mean and factor for which it has a level.
    level as (

        select *
        from
            (
                select
                    *,
                    unnest(
                        list_concat(
                            [
                                {% for name, _ in run_factors() %}
                                    struct_pack(
                                        factor := '{{ name }}', level := cast("{{ name }}" as varchar)
                                    ),
                                {% endfor %}
                            ],
                            list_transform(
                                map_entries(x_factors),
                                lambda own:struct_pack(factor := own.key, level := own.value)
                            )
                        ),
                        recursive := true
                    )
                from mean
            )
        where level is not null

    ),

    -- What else it was measured with: all factors but that one.
    other as (

        select
            * replace (
                {% for name, _ in run_factors() %}
                    if(factor = '{{ name }}', {{ ends.get(name, "null") }}, "{{ name }}") as "{{ name }}",
                {% endfor %}
                map_from_entries(
                    list_filter(map_entries(x_factors), lambda own:own.key <> factor)
                ) as x_factors
            )
        from level

    ),

    named as (

        select
            *,
            md5(
                concat_ws(
                    '|',
                    {%- for name, _ in run_factors() %}
                        coalesce(cast("{{ name }}" as varchar), ''),
                    {%- endfor %}
                    coalesce(machine, ''),
                    coalesce(mq_level, ''),
                    cast(x_factors as varchar)
                )
            ) as others_id,
            {{ configuration_text() }} as configuration
        from other

    )

select
    -- ids
    origin,
    {{ first_record(["value", "level"]) }},
    campaign,
    document_id,
    section,
    git_revision,
    factor,
    others_id,
    any_value(configuration) as configuration,
    metric,

    -- levels side by side, and the best one
    any_value(unit) as unit,
    bool_or(more_is_better) as more_is_better,
    list(
        struct_pack(level := level, value := value, figures := figures)
        order by try_cast(level as double), level
    ) as by_level,
    list(values order by try_cast(level as double), level) as values_by_level,
    count(*) as levels,
    if(bool_or(more_is_better), arg_max(level, (value, level)), arg_min(level, (value, level))) as best_level,
    if(bool_or(more_is_better), max(value), min(value)) as best_value,
    {{ percent("max(value) - min(value)", "min(value)") }} as spread_percent_of_least
from named
group by origin, campaign, document_id, section, git_revision, factor, others_id, metric
having count(*) > 1
