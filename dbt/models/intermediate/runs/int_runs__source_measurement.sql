-- What each source gives: a manifest, a table of measurements, an output of a tool.
with
    reading as (

        select
            reading.*,
            load.kind,
            -- The name of its file tells one output of a tool from another of the same run.
            trim(replace(parse_filename(load.path), reading.run_id, ''), '-_. ') as file_name
        from {{ ref("int_runs__reading") }} as reading
        inner join {{ ref("stg_lake__load") }} as load using (source_id)
        where reading.run_id is not null

    ),

    told as (

        select
            *,
            if(
                min(source_id) over of_kind = max(source_id) over of_kind, kind, kind || ' ' || file_name
            ) as value_source
        from reading
        window of_kind as (partition by origin, run_id, metric, address_space, kind)

    )

select
    told.origin,
    told.run_id,
    told.metric,
    told.address_space,
    told.value_source,
    told.is_printed,
    -- Values whose units cannot be converted into each other have no mean.
    case
        when count(distinct coalesce(own.unit, told.unit)) <= 1
        then avg(told.value * case when own.unit is null then 1 else unit.factor / own.factor end)
    end as value,
    min(coalesce(own.unit, told.unit)) as unit,
    -- A value without a unit is in the metric's own; a unit that names things is a count.
    bool_and(
        coalesce(
            metric.metric is null
            or told.unit is null
            or own.unit is not null
            or (unit.standard_unit = 'count' and metric.unit in ('messages', 'files')),
            false
        )
    ) as is_unit_known,
    bool_or(told.more_is_better) as more_is_better,
    count(*) as readings,
    list(distinct told.source_id order by told.source_id) as source_ids
from told
left join {{ ref("run_unit") }} as unit on told.unit = unit.unit
left join {{ ref("run_metric") }} as metric on told.metric = metric.metric
-- Convert to the metric's own unit if the given unit allows it.
left join {{ ref("run_unit") }} as own on metric.unit = own.unit and unit.standard_unit = own.standard_unit
group by told.origin, told.run_id, told.metric, told.address_space, told.value_source, told.is_printed
