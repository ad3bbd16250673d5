select
    configuration_id,
    first(origin order by declared_at_utc, source_id, record_no) as origin,
    {{ first_record(["declared_at_utc"]) }},
    any_value(factors_id) as factors_id,
    any_value(machine) as machine,
    any_value(mq_level) as mq_level,
    {% for name, _ in run_factors() %}
    any_value("{{ name }}") as "{{ name }}",
    {% endfor %}
    any_value(x_factors) as x_factors,
    count(*) as runs,
    list(distinct origin order by origin) as origins
from {{ ref('int_runs__run') }}
group by configuration_id
