{{ config(materialized="table") }}

with
    cpu as (

        select
            origin,
            sysplex,
            system_id,
            source_id,
            record_no,
            interval_start_utc,
            interval_end_utc,
            interval_seconds,
            utc_offset_minutes,
            max(processor_seconds) filter (where processor_type = 'CP') as cp_seconds,
            max(processor_seconds) filter (where processor_type = 'zIIP') as ziip_seconds,
            max(class_seconds) filter (where processor_type = 'CP') as captured_cp_seconds,
            max(class_seconds) filter (where processor_type = 'zIIP') as captured_ziip_seconds,
            bool_or(processor_type = 'zIIP' and processor_seconds is null) as ziip_unknown
        from {{ ref("fct_cpu_reconciliation") }}
        where sysplex <> ''
        group by all

    ),

    rolling as (

        select origin, sysplex, system_id, interval_start_utc, four_hour_average_msu
        from {{ ref("fct_lpar_capacity_interval") }}

    ),

    cpu_hour as (select *, {{ hours_of("interval_start_utc", "interval_end_utc") }} as hour from cpu),

    -- A sysplex takes the intervals of the system with the longest ones. Systems start their intervals
    -- within a second or two of each other.
    shorter as (

        select distinct one.origin, one.sysplex, one.system_id, one.interval_start_utc
        from cpu_hour as one
        inner join cpu_hour as longer using (origin, sysplex, hour)
        where
            one.interval_start_utc + interval 2 second < longer.interval_end_utc
            and one.interval_end_utc - interval 2 second > longer.interval_start_utc
            and (- round(one.interval_seconds), one.system_id)
            > (- round(longer.interval_seconds), longer.system_id)

    ),

    lead_interval as (

        select
            origin,
            sysplex,
            interval_start_utc,
            interval_end_utc,
            interval_seconds,
            hour,
            source_id,
            record_no
        from cpu_hour
        anti join shorter using (origin, sysplex, system_id, interval_start_utc)

    ),

    -- An interval that lies in several of them is split by time.
    part as (

        select distinct
            lead_interval.* exclude (hour),
            cpu.system_id,
            cpu.utc_offset_minutes,
            struct_pack(source_id := cpu.source_id, record_no := cpu.record_no) as source_record,
            cpu.cp_seconds,
            cpu.ziip_seconds,
            cpu.captured_cp_seconds,
            cpu.captured_ziip_seconds,
            cpu.ziip_unknown,
            cpu.interval_end_utc as own_end_utc,
            rolling.four_hour_average_msu,
            epoch(
                least(lead_interval.interval_end_utc, cpu.interval_end_utc)
                - greatest(lead_interval.interval_start_utc, cpu.interval_start_utc)
            ) as common_seconds,
            case
                when cpu.interval_seconds - common_seconds <= 2
                then 1.0
                else common_seconds / cpu.interval_seconds
            end as share
        from lead_interval
        inner join cpu_hour as cpu using (origin, sysplex, hour)
        left join
            rolling
            on cpu.origin = rolling.origin
            and cpu.sysplex = rolling.sysplex
            and cpu.system_id = rolling.system_id
            and cpu.interval_start_utc = rolling.interval_start_utc
        where
            epoch(
                least(lead_interval.interval_end_utc, cpu.interval_end_utc)
                - greatest(lead_interval.interval_start_utc, cpu.interval_start_utc)
            )
            > 2

    ),

    system as (

        select
            origin,
            sysplex,
            interval_start_utc,
            interval_seconds,
            source_id,
            record_no,
            system_id,
            min(utc_offset_minutes) as least_offset_minutes,
            max(utc_offset_minutes) as most_offset_minutes,
            list(source_record order by source_record) as source_records,
            bool_or(share < 1) as split,
            bool_or(ziip_unknown) as ziip_unknown,
            count(cp_seconds) = count(*) and sum(common_seconds) >= interval_seconds - 2 as covered,
            sum(common_seconds) filter (where cp_seconds is not null) as covered_seconds,
            sum(share * cp_seconds) as cp_seconds,
            sum(share * ziip_seconds) as ziip_seconds,
            sum(share * captured_cp_seconds) as captured_cp_seconds,
            sum(share * captured_ziip_seconds) as captured_ziip_seconds,
            list(four_hour_average_msu order by own_end_utc)[-1] as four_hour_average_msu
        from part
        group by origin, sysplex, interval_start_utc, interval_seconds, source_id, record_no, system_id

    ),

    summed as (

        select
            origin,
            sysplex,
            interval_start_utc,
            interval_seconds,
            source_id,
            record_no,
            case
                when min(least_offset_minutes) = max(most_offset_minutes) then min(least_offset_minutes)
            end as utc_offset_minutes,
            count(*) filter (where covered) as systems,
            sum(covered_seconds) as covered_seconds,
            bool_or(split) as split,
            sum(cp_seconds) as cp_seconds,
            case when not bool_or(ziip_unknown) then sum(ziip_seconds) end as ziip_seconds,
            sum(captured_cp_seconds) as captured_cp_seconds,
            sum(captured_ziip_seconds) as captured_ziip_seconds,
            case
                when count(four_hour_average_msu) = count(*) then sum(four_hour_average_msu)
            end as four_hour_average_msu,
            flatten(list(source_records order by system_id)) as source_records
        from system
        group by all

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
        from (select *, max(systems) over (partition by origin, sysplex) as most_systems from summed)
        window sysplex as (partition by origin, sysplex)

    )

select
    origin,
    source_id,
    record_no,
    sysplex,
    interval_start_utc,
    interval_start_utc + to_microseconds(cast(round(1e6 * interval_seconds) as bigint)) as interval_end_utc,
    interval_seconds,
    utc_offset_minutes,

    -- systems
    systems,
    systems_known,
    covered_seconds,
    systems_known * interval_seconds as expected_seconds,
    systems = systems_known as complete,
    split,

    -- CPU
    cp_seconds,
    ziip_seconds,
    captured_cp_seconds,
    captured_ziip_seconds,
    case when systems = systems_known then four_hour_average_msu end as four_hour_average_msu,

    -- idle and above idle
    least_cp_rate * interval_seconds as idle_cp_seconds,
    least_ziip_rate * interval_seconds as idle_ziip_seconds,
    case
        when systems = systems_known then cp_seconds - least_cp_rate * interval_seconds
    end as above_idle_cp_seconds,
    case
        when systems = systems_known then ziip_seconds - least_ziip_rate * interval_seconds
    end as above_idle_ziip_seconds,
    source_records
from compared
