select
    configuration_id,
    factors_id,
    origin,
    source_id,
    record_no,
    {{ configuration_text() }} || coalesce(', ' || speed, '') as configuration,
    machine,
    mq_level,
    speed,
    {% for name, _ in run_factors() %} "{{ name }}", {% endfor %}
    x_factors,
    runs,
    origins
from {{ ref("int_runs__configuration") }}
