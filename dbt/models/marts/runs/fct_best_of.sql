-- Of the levels of one factor, all others alike, the one that did best: the mean of complete runs.
{% set factors = ["chunk_size", "channels", "compmsg", "batchint", "queue", "connection"] %}

with measured as (

    select
        measurement.origin,
        measurement.campaign,
        measurement.git_revision,
        measurement.metric,
        measurement.unit,
        measurement.more_is_better,
        measurement.configuration_id,
        avg(measurement.value) as value,
        count(*) as runs,
        arg_min(measurement.source_id, measurement.start_utc) as source_id,
        arg_min(measurement.record_no, measurement.start_utc) as record_no
    from {{ ref('fct_measurement') }} as measurement
    where
        measurement.is_complete
        and measurement.system_id is null
        and measurement.address_space is null
        and measurement.metric in ('rate', 'transfer_time', 'cost_per_GB')
    group by all

),

level as (

    {% for factor in factors %}
    select
        configuration_id,
        '{{ factor }}' as factor,
        cast("{{ factor }}" as varchar) as level,
        md5(concat_ws(
            '|'
            {%- for other, _ in run_factors() if other != factor %},
            coalesce(cast("{{ other }}" as varchar), '')
            {%- endfor %},
            coalesce(machine, ''), coalesce(mq_level, ''), cast(x_factors as varchar)
        )) as others_id,
        configuration
    from {{ ref('dim_configuration') }}
    where "{{ factor }}" is not null
    {{ "union all" if not loop.last }}
    {% endfor %}

)

select
    -- ids
    measured.origin,
    arg_min(measured.source_id, measured.value) as source_id,
    arg_min(measured.record_no, measured.value) as record_no,
    measured.campaign,
    measured.git_revision,
    level.factor,
    level.others_id,
    measured.metric,

    -- the best level, and how far the others are from it
    any_value(measured.unit) as unit,
    if(
        any_value(measured.more_is_better),
        arg_max(level.configuration, measured.value),
        arg_min(level.configuration, measured.value)
    ) as best_configuration,
    if(
        any_value(measured.more_is_better),
        arg_max(level.level, measured.value),
        arg_min(level.level, measured.value)
    ) as best_level,
    if(any_value(measured.more_is_better), max(measured.value), min(measured.value)) as best_value,
    count(*) as levels,
    {{ percent("max(measured.value) - min(measured.value)", "min(measured.value)") }}
        as spread_percent_of_least,
    list({'level': level.level, 'value': measured.value} order by level.level) as by_level
from measured
inner join level using (configuration_id)
group by
    measured.origin, measured.campaign, measured.git_revision, level.factor, level.others_id,
    measured.metric
having count(*) > 1
