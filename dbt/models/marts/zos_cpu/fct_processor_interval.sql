with record as (

    select * from {{ days(ref('int_rmf__record')) }}
    where record_type = 70 and record_subtype = 1 and part_no = 1 and usable

),

control as (

    select * from {{ merged_sections(ref('stg_zos_cpu__control')) }}
    where section_no = 1

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
    from {{ merged_sections(ref('stg_zos_cpu__work_unit')) }}
    where section_no = 1
    {{ "union all" if not loop.last }}
    {% endfor %}

),

processor as (

    select
        source_id,
        record_no,
        coalesce(processor_type, 'unknown') as processor_type,
        count(distinct core_id) filter (where online_at_end) as processors_online_at_end,
        count(*) filter (where online_at_end) as threads_online_at_end,
        sum(online_seconds) as online_thread_seconds,
        sum(wait_seconds) as wait_seconds,
        sum(parked_seconds) as parked_seconds,
        sum({{ not_negative("online_seconds - wait_seconds - parked_seconds") }}) as busy_seconds,
        sum({{ not_negative("online_seconds - parked_seconds") }})
            filter (where wait_seconds is not null) as unparked_seconds,
        cast(sum(io_interrupts) as bigint) as io_interrupts
    from {{ days(ref('int_zos_cpu__processor')) }}
    group by all

),

logical as (

    select
        source_id,
        record_no,
        coalesce(processor_type, 'unknown') as processor_type,
        max(physical_processors) as physical_processors,
        sum(online_seconds) as online_seconds,
        sum(dispatch_seconds) as dispatch_seconds,
        sum(effective_seconds) as effective_seconds
    from {{ days(ref('int_zos_cpu__logical_processor')) }}
    where own_partition
    group by all

)

select
    {{ rmf_record_columns("record") }},
    {{ interval_columns("record") }},
    processor.processor_type,

    -- processors
    control.machine_type,
    control.machine_model,
    control.hiperdispatch,
    case processor.processor_type when 'CP' then 1.0 when 'zIIP' then control.ziip_factor end
        as cp_factor,
    logical.physical_processors,
    processor.processors_online_at_end,
    processor.threads_online_at_end,
    {{ ratio(
        "coalesce(logical.online_seconds, processor.online_thread_seconds)",
        "record.interval_seconds",
    ) }}
        as processors_online,

    -- PR/SM view
    coalesce(logical.online_seconds, processor.online_thread_seconds) as online_seconds,
    logical.dispatch_seconds,
    logical.effective_seconds,
    {{ percent("logical.dispatch_seconds", "logical.online_seconds") }} as lpar_busy_percent,

    -- z/OS view
    processor.wait_seconds,
    processor.parked_seconds,
    processor.busy_seconds,
    {{ percent("processor.busy_seconds", "processor.unparked_seconds") }} as mvs_busy_percent,

    -- work
    {{ ratio("work_unit.work_units_total", "work_unit.work_unit_samples") }} as in_ready_work_units,
    work_unit.work_units_most as most_in_ready_work_units,
    {{ per_second("processor.io_interrupts", "record.interval_seconds") }}
        as io_interrupts_per_second
from processor
inner join record using (source_id, record_no)
left join control using (source_id, record_no)
left join logical using (source_id, record_no, processor_type)
left join work_unit using (source_id, record_no, processor_type)
