select
    configuration_id,
    factors_id,
    origin,
    source_id,
    record_no,
    {{ configuration_text() }} as configuration,
    machine,
    mq_level,
    {% for name, _ in run_factors() %} "{{ name }}", {% endfor %}
    x_factors,
    runs,
    origins
from {{ ref("int_runs__configuration") }}
