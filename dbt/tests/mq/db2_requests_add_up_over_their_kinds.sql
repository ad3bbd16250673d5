with by_kind as (

    select
        origin,
        system_id,
        queue_manager,
        interval_start_utc,
        sum(requests) as requests,
        sum(requests_per_second) as requests_per_second
    from {{ ref('fct_db2_request_interval') }}
    group by all

)

select
    by_kind.*,
    total.db2_requests
from by_kind
inner join {{ ref('fct_queue_manager_interval') }} as total
    using (origin, system_id, queue_manager, interval_start_utc)
where
    by_kind.requests <> total.db2_requests
    or abs(by_kind.requests_per_second - total.db2_requests_per_second) > 1e-9 * by_kind.requests
