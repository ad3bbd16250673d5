-- Measurements given for runs, and those that tools printed.
with
    run as (select origin, run_id, start_utc, stop_utc from {{ ref("int_runs__run") }}),

    -- The CPU of a host also counts as that of its role in the transfers.
    printed as (

        select *
        from {{ ref("int_runs__printed") }}

        union all

        select busy.* replace (role.metric as metric)
        from {{ ref("int_runs__printed") }} as busy
        inner join {{ ref("int_runs__host_role") }} as role using (source_id)
        where busy.metric = 'host_cpu_busy'

    ),

    -- A manifest's values belong to the run that it declares, or to no run if that is refused, because
    -- its run_id may be another run's. Values in separate files are matched by run_id.
    declared as (select source_id, record_no, run_id, refused from {{ ref("int_runs__declared") }}),

    reading as (

        select
            given.origin,
            given.source_id,
            given.record_no,
            coalesce(declared.run_id, given.run_id) as run_id,
            given.metric,
            given.address_space,
            given.value,
            given.unit,
            given.more_is_better,
            given.time_utc,
            false as is_printed
        from {{ ref("int_runs__given") }} as given
        left join declared using (source_id, record_no)
        where declared.refused is null

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
        from printed
        inner join {{ ref("int_runs__output") }} as output using (source_id)

    ),

    run_hour as (select *, {{ hours_of("start_utc", "stop_utc") }} as hour from run)

-- A reading names its run or was taken during it. Runs on different LPARs can overlap in time.
select reading.* replace (coalesce(named.run_id, timed.run_id) as run_id)
from reading
left join run as named on reading.origin = named.origin and reading.run_id = named.run_id
left join
    run_hour as timed
    on reading.run_id is null
    and reading.origin = timed.origin
    and date_trunc('hour', reading.time_utc) = timed.hour
    and reading.time_utc >= timed.start_utc
    and reading.time_utc < timed.stop_utc
