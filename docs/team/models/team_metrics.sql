{{ metrics() }}

{% call metric(
    "mb_per_cpu_second", "MB/CPU s", more_is_better=true, formula="bytes / 1048576 / cpu_seconds"
) %}
select
    origin,
    run_id,
    bytes / 1048576 / nullif(cpu_seconds, 0) as value,
    bytes / 1048576 / nullif(cpu_seconds_high, 0) as value_low,
    bytes / 1048576 / nullif(cpu_seconds_low, 0) as value_high
from {{ ref('fct_run_total') }}
{% endcall %}
