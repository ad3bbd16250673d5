with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 70 and record_subtype = 1 and part_no = 1 and usable

    ),

    cp as (

        select
            source_id,
            record_no,
            case
                when count(wait_seconds) = count(*)
                then sum({{ not_negative("online_seconds - wait_seconds - parked_seconds") }})
            end as busy_seconds,
            sum({{ not_negative("online_seconds - coalesce(parked_seconds, 0)") }}) as unparked_seconds
        from {{ days(ref("int_zos_cpu__processor")) }}
        where processor_type = 'CP'
        group by all

    ),

    work_unit as (

        select
            source_id,
            record_no,
            {{ ratio("cp_work_units_total", "work_unit_samples") }} as in_ready_work_units
        from {{ merged_sections(source("staging", "zos_cpu__work_unit")) }}
        where section_no = 1

    ),

    -- The buckets count from 0, 1, 2, 3, 4, 6, 11 ... work units more than there are processors.
    queue as (

        select
            source_id,
            record_no,
            cast(
                list_dot_product(
                    cast(samples_by_excess as double[]),
                    [0.0, 1, 2, 3, 4, 6, 11, 16, 21, 31, 41, 61, 81, 101, 121, 151]
                ) as double
            )
            / nullif(list_sum(samples_by_excess), 0) as queued_at_least_work_units
        from {{ merged_sections(source("staging", "zos_capacity__queue")) }}
        where section_no = 1

    )

select
    record.source_id,
    record.record_no,
    cp.busy_seconds,
    cp.unparked_seconds,
    work_unit.in_ready_work_units,
    queue.queued_at_least_work_units,
    {{
        not_negative(
            "work_unit.in_ready_work_units - cp.unparked_seconds / nullif(record.interval_seconds, 0)"
        )
    }} as queued_work_units
from record
left join cp using (source_id, record_no)
left join work_unit using (source_id, record_no)
left join queue using (source_id, record_no)
