-- Given values take precedence over values that tools printed.
with reading as (

    select *
    from {{ ref('int_runs__reading') }}
    where run_id is not null
    qualify
        rank() over (partition by origin, run_id, metric, address_space order by is_printed) = 1

)

select
    reading.origin,
    reading.run_id,
    reading.metric,
    reading.address_space,
    avg(reading.value * case when own.unit is null then 1 else unit.factor / own.factor end)
        as value,
    coalesce(any_value(own.unit), any_value(reading.unit)) as unit,
    bool_or(reading.more_is_better) as more_is_better,
    bool_or(reading.is_printed) as is_printed,
    count(*) as readings,
    list(distinct reading.source_id order by reading.source_id) as source_ids
from reading
left join {{ ref('published_unit') }} as unit on reading.unit = unit.unit
left join {{ ref('run_metric') }} as metric on reading.metric = metric.metric
-- Convert to the metric's own unit if the given unit allows it.
left join {{ ref('published_unit') }} as own
    on metric.unit = own.unit and unit.standard_unit = own.standard_unit
group by reading.origin, reading.run_id, reading.metric, reading.address_space
