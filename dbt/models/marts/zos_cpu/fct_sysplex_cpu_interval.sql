{{ config(materialized='table') }}

with cpu as (

    select
        origin,
        sysplex,
        system_id,
        source_id,
        record_no,
        interval_start_utc,
        interval_seconds,
        utc_offset_minutes,
        -- Systems of a sysplex start their intervals within a second or two of each other.
        date_trunc('minute', interval_start_utc + interval 30 seconds) as interval_minute,
        max(processor_seconds) filter (where processor_type = 'CP') as cp_seconds,
        max(processor_seconds) filter (where processor_type = 'zIIP') as ziip_seconds,
        max(class_seconds) filter (where processor_type = 'CP') as captured_cp_seconds,
        max(class_seconds) filter (where processor_type = 'zIIP') as captured_ziip_seconds
    from {{ ref('fct_cpu_reconciliation') }}
    where sysplex <> ''
    group by all

),

summed as (

    select
        origin,
        sysplex,
        interval_minute,
        first(source_id order by system_id) as source_id,
        first(record_no order by system_id) as record_no,
        min(interval_start_utc) as interval_start_utc,
        max(interval_seconds) as interval_seconds,
        case when min(utc_offset_minutes) = max(utc_offset_minutes) then min(utc_offset_minutes) end
            as utc_offset_minutes,
        count(cp_seconds) as systems,
        sum(cp_seconds) as cp_seconds,
        sum(ziip_seconds) as ziip_seconds,
        sum(captured_cp_seconds) as captured_cp_seconds,
        sum(captured_ziip_seconds) as captured_ziip_seconds,
        list({'source_id': source_id, 'record_no': record_no} order by system_id) as source_records
    from cpu
    group by origin, sysplex, interval_minute

),

-- Idle CPU: the lowest CPU use per second of any interval in which all systems reported.
compared as (

    select
        *,
        most_systems as systems_known,
        min(case when systems = most_systems then cp_seconds / interval_seconds end) over sysplex
            as least_cp_rate,
        min(case when systems = most_systems then ziip_seconds / interval_seconds end) over sysplex
            as least_ziip_rate
    from (
        select *, max(systems) over (partition by origin, sysplex) as most_systems from summed
    )
    window sysplex as (partition by origin, sysplex)

)

select
    origin,
    source_id,
    record_no,
    sysplex,
    interval_start_utc,
    interval_start_utc
    + to_microseconds(cast(round(1e6 * interval_seconds) as bigint)) as interval_end_utc,
    interval_seconds,
    utc_offset_minutes,

    -- systems
    systems,
    systems_known,
    systems = systems_known as complete,

    -- CPU
    cp_seconds,
    ziip_seconds,
    captured_cp_seconds,
    captured_ziip_seconds,

    -- idle and above idle
    least_cp_rate * interval_seconds as idle_cp_seconds,
    least_ziip_rate * interval_seconds as idle_ziip_seconds,
    case when systems = systems_known then cp_seconds - least_cp_rate * interval_seconds end
        as above_idle_cp_seconds,
    case when systems = systems_known then ziip_seconds - least_ziip_rate * interval_seconds end
        as above_idle_ziip_seconds,
    source_records
from compared
