with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 70 and record_subtype = 1 and part_no = 1 and usable

    ),

    control as (

        select * from {{ merged_sections(source("staging", "zos_cpu__control")) }} where section_no = 1

    ),

    -- What z/OS counts, per thread.
    processor as (

        select
            source_id,
            record_no,
            coalesce(processor_type, 'unknown') as processor_type,
            min(machine_serial) as cpu_serial,
            max(threads) > 1 as multithreaded,
            count(distinct core_id) filter (where online_at_end) as processors_online_at_end,
            count(*) filter (where online_at_end) as threads_online_at_end,
            sum(online_seconds) as online_thread_seconds,
            {{ possible_sum("wait_seconds", "impossible_seconds") }} as wait_seconds,
            sum(parked_seconds) as parked_seconds,
            {{
                possible_sum(
                    not_negative("online_seconds - wait_seconds - parked_seconds"), "impossible_seconds"
                )
            }} as busy_seconds,
            case
                when count(core_busy_seconds) = count(*) then sum(core_busy_seconds / threads)
            end as core_busy_seconds,
            sum({{ not_negative("online_seconds - parked_seconds") }}) filter (
                where wait_seconds is not null
            ) as unparked_seconds,
            max(impossible_seconds) as impossible_wait_seconds,
            cast(sum(io_interrupts) as bigint) as io_interrupts
        from {{ days(ref("int_zos_cpu__processor")) }}
        group by all

    ),

    -- What PR/SM counts, per core.
    logical as (

        select
            source_id,
            record_no,
            coalesce(processor_type, 'unknown') as processor_type,
            max(physical_processors) as physical_processors,
            coalesce(
                bool_or(dedicated or wait_completion) filter (where online_seconds > 0), false
            ) as allocated,
            sum(online_seconds) as online_seconds,
            {{ possible_sum("dispatch_seconds", "impossible_seconds") }} as dispatch_seconds,
            {{ possible_sum("effective_seconds", "impossible_seconds") }} as effective_seconds,
            max(impossible_seconds) as impossible_dispatch_seconds
        from {{ days(ref("int_zos_cpu__logical_processor")) }}
        where own_partition
        group by all

    ),

    joined as (

        select
            {{ rmf_record_columns("record") }},
            {{ rmf_interval_columns("record") }},
            processor.* exclude (source_id, record_no),
            logical.* exclude (source_id, record_no, processor_type, allocated),
            coalesce(logical.allocated, false) as allocated,
            coalesce(control.machine_serial, processor.cpu_serial) as machine_serial,
            case
                processor.processor_type when 'CP' then 1.0 when 'zIIP' then control.ziip_factor
            end as cp_factor,
            case
                when not processor.multithreaded
                then 1.0
                when processor.processor_type = 'CP'
                then control.cp_capacity_factor
                when processor.processor_type = 'zIIP'
                then control.ziip_capacity_factor
                when processor.processor_type = 'zAAP'
                then control.zaap_capacity_factor
            end as capacity_factor
        from processor
        inner join record using (source_id, record_no)
        left join control using (source_id, record_no)
        left join logical using (source_id, record_no, processor_type)

    ),

    with_core as (

        select
            *,
            case
                when impossible_dispatch_seconds is not null
                then null
                -- PR/SM dispatches such processors whether they work or wait.
                when allocated and multithreaded
                then core_busy_seconds
                when allocated
                then busy_seconds
                else
                    coalesce(
                        effective_seconds,
                        dispatch_seconds,
                        case when multithreaded then core_busy_seconds else busy_seconds end
                    )
            end as core_seconds
        from joined

    )

select
    * exclude (cpu_serial, core_seconds),
    core_seconds,
    -- Types 30 and 72 count the time of a core that runs one thread.
    core_seconds * capacity_factor as used_seconds
from with_core
