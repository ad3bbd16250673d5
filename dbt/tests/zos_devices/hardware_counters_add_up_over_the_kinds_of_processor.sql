{% set measures = ["cycles", "instructions", "processors", "records"] %}

with
    kind as (

        select origin, system_id, interval_start_utc, interval_end_utc, {{ sums(measures) }}
        from {{ ref("fct_hardware_processor_interval") }}
        group by all

    )

select *
from kind
full join
    {{ ref("fct_hardware_interval") }} as total using (
        origin, system_id, interval_start_utc, interval_end_utc
    )
where {{ sums_differ("kind", "total", measures) }}
