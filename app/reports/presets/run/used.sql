-- Volumes, structures, logs, verbs and so on that the run used, the busiest of each kind.
select
    upper(resource[1]) || resource[2:] as resource,
    object_name,
    part,
    list_aggregate(list_sort(list(distinct system_id)), 'string_agg', ', ') as systems,
    sum(events_per_second) as events_per_second,
    sum(average_us * events) / nullif(sum(events) filter (where average_us is not null), 0)
        as average_us,
    sum(mb_per_second) as mb_per_second
from marts.fct_run_resource
where run_id = $run
group by fct_run_resource.resource, object_name, part
qualify row_number() over (
    partition by fct_run_resource.resource order by sum(busy_seconds) desc nulls last, sum(events) desc nulls last
) <= 6
order by fct_run_resource.resource, sum(busy_seconds) desc nulls last, object_name, part
