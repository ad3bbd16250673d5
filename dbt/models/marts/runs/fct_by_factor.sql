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
            {{ first_record(["order_no"]) }}
        from {{ ref("fct_figure") }}
        where metric in ('{{ metrics | join("', '") }}') and address_space is null
        group by all

    ),

    -- One row per mean and factor for which it has a level.
    level as (

        {% for factor, _ in run_factors() %}
            select
                {{ key | join(", ") }},
                '{{ factor }}' as factor,
                cast("{{ factor }}" as varchar) as level,
                md5(
                    concat_ws(
                        '|'
                        {%- for other, _ in run_factors() if other != factor %}
                            , coalesce(cast("{{ other }}" as varchar), '')
                        {%- endfor %},
                        coalesce(machine, ''),
                        coalesce(mq_level, ''),
                        cast(x_factors as varchar)
                    )
                ) as others_id,
                {{ configuration_text(without=[factor]) }} as configuration,
                unit,
                more_is_better,
                value,
                figures,
                source_id,
                record_no
            from mean
            where "{{ factor }}" is not null
            union all

        {% endfor %}
        -- factors of a site's own
        select
            {{ key | join(", ") }},
            own.key as factor,
            own.value as level,
            md5(
                concat_ws(
                    '|'
                    {%- for other, _ in run_factors() %}
                        , coalesce(cast("{{ other }}" as varchar), '')
                    {%- endfor %},
                    coalesce(machine, ''),
                    coalesce(mq_level, ''),
                    cast(x_factors as varchar)
                )
            ) as others_id,
            {{ configuration_text() }} as configuration,
            unit,
            more_is_better,
            value,
            figures,
            source_id,
            record_no
        from
            (
                select
                    * replace (
                        map_from_entries(
                            list_filter(map_entries(x_factors), lambda entry:entry.key <> own.key)
                        ) as x_factors
                    )
                from (select *, unnest(map_entries(x_factors)) as own from mean)
            )

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
    list(
        struct_pack(level := level, value := value, figures := figures)
        order by try_cast(level as double), level
    ) as by_level,
    count(*) as levels,
    if(bool_or(more_is_better), arg_max(level, (value, level)), arg_min(level, (value, level))) as best_level,
    if(bool_or(more_is_better), max(value), min(value)) as best_value,
    {{ percent("max(value) - min(value)", "min(value)") }} as spread_percent_of_least
from level
group by origin, campaign, document_id, section, git_revision, factor, others_id, metric
having count(*) > 1
