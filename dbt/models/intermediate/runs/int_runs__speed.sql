{{ config(materialized="table") }}

-- CPU seconds of two speeds are not the same work. A configuration has the speed of its first run;
-- runs at another one are a configuration of their own, so that nothing compares the two.
with
    recorded as (

        select origin, run_id, min(speed) as speed
        from {{ ref("int_runs__interval") }}
        group by origin, run_id
        -- Where it changes in the run, or systems differ, the run is left out of comparisons.
        having count(distinct speed) = 1

    ),

    compared as (

        select
            run.origin,
            run.run_id,
            run.configuration_id,
            recorded.speed,
            first(recorded.speed) over (
                partition by run.origin, run.configuration_id
                order by run.declared_at_utc, run.start_utc, run.source_id, run.record_no
            ) as usual_speed
        from {{ ref("int_runs__run") }} as run
        inner join recorded using (origin, run_id)

    )

select origin, run_id, left(md5(configuration_id || '|' || speed), 12) as configuration_id, speed
from compared
where speed <> usual_speed
