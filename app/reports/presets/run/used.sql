-- Volumes, structures, logs, verbs and so on that the run used, the busiest of each kind.
select resource, object_name, part, events_per_second, average_us, mb_per_second
from marts.fct_run_resource
where run_id = $run
qualify row_number() over (
    partition by resource order by busy_seconds desc nulls last, events desc nulls last
) <= 8
order by resource, busy_seconds desc nulls last
