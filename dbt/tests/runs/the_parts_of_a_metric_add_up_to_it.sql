-- Every way to split the cost of a run adds up to the measured cost.
select
    part.run_id,
    part.metric,
    part.split,
    list(distinct part.source_id) as source_ids,
    sum(part.value) as parts_value,
    any_value(measurement.value) as value
from {{ ref("fct_run_part") }} as part
inner join {{ ref("fct_measurement") }} as measurement using (origin, run_id, metric)
where part.is_compared and not measurement.is_given
group by part.origin, part.run_id, part.metric, part.split
having abs(sum(part.value) - any_value(measurement.value)) > 1e-6 * any_value(measurement.value)
