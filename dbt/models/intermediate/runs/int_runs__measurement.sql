-- Given values take precedence over values that tools printed.
with
    reading as (

        select *
        from {{ ref("int_runs__reading") }}
        where run_id is not null
        qualify rank() over (partition by origin, run_id, metric, address_space order by is_printed) = 1

    )

select
    reading.origin,
    reading.run_id,
    reading.metric,
    reading.address_space,
    -- Values whose units cannot be converted into each other have no mean.
    case
        when count(distinct coalesce(own.unit, reading.unit)) <= 1
        then avg(reading.value * case when own.unit is null then 1 else unit.factor / own.factor end)
    end as value,
    min(coalesce(own.unit, reading.unit)) as unit,
    -- A value without a unit is in the metric's own; a unit that names things is a count.
    bool_and(
        coalesce(
            metric.metric is null
            or reading.unit is null
            or own.unit is not null
            or (unit.standard_unit = 'count' and metric.unit in ('messages', 'files')),
            false
        )
    ) as is_unit_known,
    bool_or(reading.more_is_better) as more_is_better,
    bool_or(reading.is_printed) as is_printed,
    count(*) as readings,
    list(distinct reading.source_id order by reading.source_id) as source_ids
from reading
left join {{ ref("run_unit") }} as unit on reading.unit = unit.unit
left join {{ ref("run_metric") }} as metric on reading.metric = metric.metric
-- Convert to the metric's own unit if the given unit allows it.
left join {{ ref("run_unit") }} as own on metric.unit = own.unit and unit.standard_unit = own.standard_unit
group by reading.origin, reading.run_id, reading.metric, reading.address_space
