-- What is given of a run, and what tools printed of it.
with run as (

    select origin, run_id, start_utc, stop_utc from {{ ref('int_runs__run') }}

),

load as (

    select
        source_id,
        origin,
        regexp_extract(path, '[^/]+$') as file,
        regexp_extract(path, '([^/]+)/[^/]+$', 1) as folder
    from {{ ref('stg_lake__load') }}

),

-- A file belongs to the run that its name begins with, or its folder is named by.
file_run as (

    select
        load.source_id,
        max(run.run_id) as run_id
    from (
        select
            source_id,
            origin,
            unnest([split_part(file, '.', 1), regexp_replace(file, '\.[^.]*$', ''), folder])
                as run_id
        from load
    ) as load
    inner join run using (origin, run_id)
    group by load.source_id

),

told as (

    select
        source_id,
        run_id,
        metric,
        address_space,
        value,
        unit,
        more_is_better,
        time_utc
    from {{ ref('stg_bench__measurement') }}

    union all

    select
        figure.source_id,
        file_run.run_id,
        figure.metric,
        null as address_space,
        figure.value,
        figure.unit,
        null as more_is_better,
        figure.time_utc
    from {{ ref('stg_bench__figure') }} as figure
    left join file_run using (source_id)

),

given as (

    select
        told.*,
        load.origin
    from told
    inner join load using (source_id)

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
