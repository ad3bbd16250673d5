with
    hardware as (select * from {{ days(ref("int_zos_devices__hardware")) }} where processor_type = 'all'),

    topology as (select * from {{ days(ref("int_zos_devices__topology"), around=1) }}),

    -- Match the RMF interval that contains the midpoint of the counters' interval.
    matched_topology as (

        select
            hardware.origin,
            hardware.system_id,
            hardware.interval_start_utc,
            hardware.interval_end_utc,
            topology.* exclude (
                source_id, record_no, origin, sysplex, system_id, interval_start_utc, interval_end_utc
            )
        from hardware
        inner join
            topology
            on hardware.origin = topology.origin
            and hardware.system_id = topology.system_id
            and hardware.interval_start_utc + to_microseconds(cast(5e5 * hardware.interval_seconds as bigint))
            >= topology.interval_start_utc
            and hardware.interval_start_utc + to_microseconds(cast(5e5 * hardware.interval_seconds as bigint))
            < topology.interval_end_utc
        -- Type 113 does not name the sysplex. Where two sysplexes have the system, the owner is unknown.
        window
            counted as (
                partition by
                    hardware.origin,
                    hardware.system_id,
                    hardware.interval_start_utc,
                    hardware.interval_end_utc
            )
        qualify
            min(topology.sysplex) over counted = max(topology.sysplex) over counted
            and row_number() over (
                counted order by topology.interval_start_utc, topology.source_id, topology.record_no
            )
            = 1

    )

select
    hardware.* exclude (processor_type),
    matched_topology.* exclude (origin, system_id, interval_start_utc, interval_end_utc)
from hardware
left join matched_topology using (origin, system_id, interval_start_utc, interval_end_utc)
