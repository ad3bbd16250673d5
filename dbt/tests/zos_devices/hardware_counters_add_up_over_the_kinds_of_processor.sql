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
-- A kind whose processors all have their records is known where the total is not.
where total.lacking_processors is null and {{ sums_differ("kind", "total", measures) }}
