{{ config(materialized='table') }}

with given as (

    select
        measurement.*,
        load.origin
    from {{ ref('stg_bench__measurement') }} as measurement
    inner join {{ ref('stg_lake__load') }} as load using (source_id)

),

run as (

    select origin, run_id, start_utc, stop_utc from {{ ref('int_runs__run') }}

),

-- A measurement names its run, or a moment of it.
placed as (

    select given.*
    from given
    inner join run using (origin, run_id)

    union all

    select given.* replace (run.run_id as run_id)
    from given
    inner join (
        select *, {{ hours_of("start_utc", "stop_utc") }} as hour from run
    ) as run
        on
            given.origin = run.origin
            and date_trunc('hour', given.time_utc) = run.hour
            and given.time_utc >= run.start_utc
            and given.time_utc < run.stop_utc
    where given.run_id is null

)

select
    placed.origin,
    placed.run_id,
    placed.metric,
    placed.address_space,
    avg(placed.value * case when own.unit is null then 1 else unit.factor / own.factor end)
        as value,
    coalesce(any_value(own.unit), any_value(placed.unit)) as unit,
    bool_or(placed.more_is_better) as more_is_better,
    count(*) as readings,
    list(distinct placed.source_id order by placed.source_id) as source_ids
from placed
left join {{ ref('published_unit') }} as unit on placed.unit = unit.unit
left join {{ ref('run_metric') }} as metric on placed.metric = metric.metric
-- the metric's own unit, where the given one can be turned into it
left join {{ ref('published_unit') }} as own
    on metric.unit = own.unit and unit.standard_unit = own.standard_unit
group by placed.origin, placed.run_id, placed.metric, placed.address_space
