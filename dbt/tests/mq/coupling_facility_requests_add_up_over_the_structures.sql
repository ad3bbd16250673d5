-- Several records can claim one interval. The queue manager's row has the figures of one of them.
{% set key = "origin, system_id, queue_manager, interval_start_utc" %}

with
    by_record as (

        select
            {{ key }},
            source_id,
            record_no,
            sum(single_calls) as single_calls,
            sum(multiple_calls) as multiple_calls,
            sum(calls_per_second) as calls_per_second
        from {{ ref("fct_cf_structure_interval") }}
        group by all

    )

select {{ key }}, list(distinct by_record.source_id) as source_ids
from by_record
inner join {{ ref("fct_queue_manager_interval") }} as total using ({{ key }})
group by {{ key }}
having
    bool_and(
        {{ differs("by_record.single_calls", "total.cf_single_calls") }}
        or {{ differs("by_record.multiple_calls", "total.cf_multiple_calls") }}
        or {{ differs("by_record.calls_per_second", "total.cf_calls_per_second") }}
    )
