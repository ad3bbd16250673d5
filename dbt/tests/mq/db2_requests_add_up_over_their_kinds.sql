-- Several records can claim one interval. The queue manager's row has the figures of one of them.
{% set key = "origin, system_id, queue_manager, interval_start_utc" %}

with
    by_record as (

        select
            {{ key }},
            source_id,
            record_no,
            sum(requests) as requests,
            sum(requests_per_second) as requests_per_second
        from {{ ref("fct_db2_request_interval") }}
        group by all

    )

select {{ key }}, list(distinct by_record.source_id) as source_ids
from by_record
inner join {{ ref("fct_queue_manager_interval") }} as total using ({{ key }})
group by {{ key }}
having
    bool_and(
        {{ differs("by_record.requests", "total.db2_requests") }}
        or {{ differs("by_record.requests_per_second", "total.db2_requests_per_second") }}
    )
