with
    control as (

        select * from {{ merged_sections(source("staging", "zos_cpu__control")) }} where section_no = 1

    ),

    work_unit as (

        {% for type, prefix in [("CP", "cp"), ("zAAP", "zaap"), ("zIIP", "ziip")] %}
            select
                source_id,
                record_no,
                '{{ type }}' as processor_type,
                {{ prefix }}_work_units_total as work_units_total,
                {{ prefix }}_work_units_most as work_units_most,
                work_unit_samples
            from {{ merged_sections(source("staging", "zos_cpu__work_unit")) }}
            where section_no = 1 {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    processor as (select * from {{ days(ref("int_zos_cpu__processor_total")) }}),

    record as (

        select source_id, record_no, zos_level
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 70 and record_subtype = 1

    )

select
    {{ rmf_record_columns("processor") }},
    {{ rmf_interval_columns("processor") }},
    processor.processor_type,

    -- processors
    control.machine_type,
    control.machine_model,
    processor.machine_serial,
    record.zos_level,
    control.hiperdispatch,
    processor.cp_factor,
    processor.multithreaded,
    processor.capacity_factor,
    processor.physical_processors,
    processor.processors_online_at_end,
    processor.threads_online_at_end,
    {{
        ratio(
            "coalesce(processor.online_seconds, processor.online_thread_seconds)",
            "processor.interval_seconds",
        )
    }} as processors_online,

    -- PR/SM view
    coalesce(processor.online_seconds, processor.online_thread_seconds) as online_seconds,
    processor.allocated,
    processor.dispatch_seconds,
    processor.effective_seconds,
    {{
        percent(
            "case when processor.allocated then processor.core_seconds else processor.dispatch_seconds end",
            "processor.online_seconds",
        )
    }} as lpar_busy_percent,

    -- z/OS view
    processor.wait_seconds,
    processor.parked_seconds,
    processor.busy_seconds,
    {{ percent("processor.busy_seconds", "processor.unparked_seconds") }} as mvs_busy_percent,

    -- CPU time in the time of types 30 and 72
    processor.used_seconds,

    -- work
    {{ ratio("work_unit.work_units_total", "work_unit.work_unit_samples") }} as in_ready_work_units,
    work_unit.work_units_most as most_in_ready_work_units,
    {{ per_second("processor.io_interrupts", "processor.interval_seconds") }} as io_interrupts_per_second
from processor
left join record using (source_id, record_no)
left join control using (source_id, record_no)
left join work_unit using (source_id, record_no, processor_type)
