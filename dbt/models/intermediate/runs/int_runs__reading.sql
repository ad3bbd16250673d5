-- What is given of runs, and what tools printed of them.
with run as (

    select origin, run_id, start_utc, stop_utc from {{ ref('int_runs__run') }}

),

told as (

    select
        load.origin,
        given.source_id,
        given.record_no,
        given.run_id,
        given.metric,
        given.address_space,
        given.value,
        given.unit,
        given.more_is_better,
        given.time_utc,
        false as is_printed
    from {{ ref('stg_bench__measurement') }} as given
    inner join {{ ref('stg_lake__load') }} as load using (source_id)

    union all

    select
        output.origin,
        printed.source_id,
        printed.record_no,
        output.run_id,
        printed.metric,
        null as address_space,
        printed.value,
        printed.unit,
        null as more_is_better,
        printed.time_utc,
        true as is_printed
    from {{ ref('int_runs__printed') }} as printed
    inner join {{ ref('int_runs__output') }} as output using (source_id)

),

run_hour as (

    select *, {{ hours_of("start_utc", "stop_utc") }} as hour from run

)

-- A reading names its run, or a moment of it. Runs of other LPARs may have the same moment.
select told.* replace (coalesce(named.run_id, timed.run_id) as run_id)
from told
left join run as named
    on told.origin = named.origin and told.run_id = named.run_id
left join run_hour as timed
    on
        told.run_id is null
        and told.origin = timed.origin
        and date_trunc('hour', told.time_utc) = timed.hour
        and told.time_utc >= timed.start_utc
        and told.time_utc < timed.stop_utc
