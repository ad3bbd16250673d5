{% set measures = ["ziip_seconds", "ziip_on_cp_seconds", "general_purpose_seconds"] %}

with
    class as (

        select origin, sysplex, system_id, interval_start_utc, {{ sums(measures) }}
        from {{ ref("fct_service_class_period_interval") }}
        group by all
        -- otherwise the totals are null
        having count(cpu_issue) = 0

    )

select *
from class
left join {{ ref("fct_ziip_interval") }} as total using (origin, sysplex, system_id, interval_start_utc)
where {{ sums_differ("class", "total", measures) }}
