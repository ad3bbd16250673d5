with by_structure as (

    select
        origin,
        system_id,
        queue_manager,
        interval_start_utc,
        sum(single_calls) as single_calls,
        sum(multiple_calls) as multiple_calls,
        sum(calls_per_second) as calls_per_second
    from {{ ref('fct_cf_structure_interval') }}
    group by all

)

select
    by_structure.*,
    total.cf_single_calls,
    total.cf_multiple_calls
from by_structure
inner join {{ ref('fct_queue_manager_interval') }} as total
    using (origin, system_id, queue_manager, interval_start_utc)
where
    by_structure.single_calls <> total.cf_single_calls
    or by_structure.multiple_calls <> total.cf_multiple_calls
    or abs(by_structure.calls_per_second - total.cf_calls_per_second)
    > 1e-9 * (by_structure.single_calls + by_structure.multiple_calls)
