with
    queue_manager as (

        select distinct
            origin,
            system_id,
            queue_manager,
            interval_start_utc as mq_interval_start_utc,
            interval_end_utc as mq_interval_end_utc,
            interval_seconds as mq_interval_seconds
        from {{ days(ref("int_mq__record"), around=1) }}
        where record_type = 115 and usable and interval_seconds > 0

    ),

    queue_manager_hour as (

        select *, {{ hours_of("mq_interval_start_utc", "mq_interval_end_utc") }} as hour from queue_manager

    ),

    interval_hour as (

        select *, {{ hours_of("interval_start_utc", "interval_end_utc") }} as hour
        from {{ days(ref("int_zos_cpu__interval"), around=1) }}

    ),

    common as (

        select distinct
            one.* exclude (hour),
            mq.queue_manager,
            mq.mq_interval_start_utc,
            mq.mq_interval_end_utc,
            mq.mq_interval_seconds,
            epoch(
                least(one.interval_end_utc, mq.mq_interval_end_utc)
                - greatest(one.interval_start_utc, mq.mq_interval_start_utc)
            ) as common_seconds
        from interval_hour as one
        inner join queue_manager_hour as mq using (origin, system_id, hour)
        where
            one.interval_start_utc < mq.mq_interval_end_utc
            and one.interval_end_utc > mq.mq_interval_start_utc

    )

select
    {{ rmf_record_columns("common") }},
    {{ interval_columns("common") }},
    queue_manager,
    mq_interval_start_utc,
    mq_interval_end_utc,
    mq_interval_seconds,
    common_seconds,
    common_seconds / interval_seconds as rmf_share,
    common_seconds / mq_interval_seconds as mq_share
from common
-- MQ records do not name the sysplex. Where two sysplexes have the system, the owner is unknown.
window
    mq_interval as (partition by origin, system_id, queue_manager, mq_interval_start_utc, mq_interval_end_utc)
qualify min(sysplex) over mq_interval = max(sysplex) over mq_interval
