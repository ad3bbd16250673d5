with
    interval as (select * from {{ days(ref("int_zos_cpu__interval")) }}),

    processor as (

        select * from {{ days(ref("fct_processor_interval"), around=1) }} where processor_type = 'zIIP'

    ),

    class as (

        select
            origin,
            sysplex,
            system_id,
            interval_start_utc,
            true as has_classes,
            max(ziip_factor) as ziip_factor,
            {% for measure in [
                "ziip_seconds",
                "ziip_cp_equivalent_seconds",
                "ziip_on_cp_seconds",
                "general_purpose_seconds",
            ] %}
                {{ possible_sum(measure, "cpu_issue") }} as {{ measure }}{{ "," if not loop.last }}
            {% endfor %}
        from {{ days(ref("fct_service_class_period_interval"), around=1) }}
        group by all

    )

select
    {{ rmf_record_columns("interval") }},
    {{ rmf_interval_columns("interval") }},

    -- processors
    processor.processors_online as ziips_online,
    processor.lpar_busy_percent,
    processor.mvs_busy_percent,
    processor.in_ready_work_units,

    -- work
    coalesce(class.ziip_factor, processor.cp_factor) as ziip_factor,
    class.ziip_seconds,
    class.ziip_cp_equivalent_seconds,
    class.ziip_on_cp_seconds,
    class.general_purpose_seconds,
    class.ziip_cp_equivalent_seconds + class.ziip_on_cp_seconds as eligible_seconds,
    {{ eligible_percent("class") }} as eligible_percent,
    {{ offloaded_percent("class") }} as offloaded_percent,
    {{ percent("class.ziip_on_cp_seconds", "class.ziip_cp_equivalent_seconds + class.ziip_on_cp_seconds") }}
    as eligible_on_cp_percent,
    (class.ziip_seconds + class.ziip_on_cp_seconds / nullif(class.ziip_factor, 0))
    / interval.interval_seconds as ziips_needed
from interval
left join processor using (origin, sysplex, system_id, interval_start_utc)
left join class using (origin, sysplex, system_id, interval_start_utc)
where class.has_classes or processor.processors_online > 0
