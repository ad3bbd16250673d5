-- Measurements given for runs, and those that tools printed.
with run as (

    select origin, run_id, start_utc, stop_utc from {{ ref('int_runs__run') }}

),

told as (

    select
        origin,
        source_id,
        record_no,
        run_id,
        metric,
        address_space,
        value,
        unit,
        more_is_better,
        time_utc,
        false as is_printed
    from {{ ref('int_runs__given') }}

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

-- A reading names its run or has a time within it. Runs on different LPARs can share that time.
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
