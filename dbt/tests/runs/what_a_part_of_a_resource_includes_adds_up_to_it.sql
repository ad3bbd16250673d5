-- The parts that another one includes are its parts, or some of them: none is more than what includes
-- them.
select
    run_id,
    system_id,
    resource,
    object_name,
    list(distinct source_id) as source_ids,
    sum(busy_seconds) filter (where is_included) as parts_seconds,
    sum(busy_seconds) filter (where not is_included) as seconds
from {{ ref("fct_run_resource") }}
where resource in ('DASD', 'crypto')
group by origin, run_id, sysplex, system_id, resource, object_name
having
    case
        resource
        when 'DASD'
        then
            abs(
                sum(busy_seconds) filter (where is_included)
                - sum(busy_seconds) filter (where not is_included)
            )
        else sum(busy_seconds) filter (where is_included) - sum(busy_seconds) filter (where not is_included)
    end
    > 1e-6 * sum(busy_seconds)
