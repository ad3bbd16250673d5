select
    coalesce(speed.configuration_id, run.configuration_id) as configuration_id,
    first(run.origin order by run.start_utc, run.source_id, run.record_no) as origin,
    {{ first_record(["run.start_utc"], of="run") }},
    any_value(factors_id) as factors_id,
    any_value(machine) as machine,
    any_value(mq_level) as mq_level,
    any_value(speed.speed) as speed,
    {% for name, _ in run_factors() %} any_value("{{ name }}") as "{{ name }}", {% endfor %}
    any_value(x_factors) as x_factors,
    count(*) as runs,
    list(distinct origin order by origin) as origins
from {{ ref("int_runs__run") }} as run
left join {{ ref("int_runs__speed") }} as speed using (origin, run_id)
group by coalesce(speed.configuration_id, run.configuration_id)
