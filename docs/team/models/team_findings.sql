{{ findings() }}

{% call finding(
    "too_busy", "warning", done="nothing: ask capacity planning for a CP", affects=["cpu"]
) %}
select
    origin,
    source_id,
    record_no,
    sysplex,
    system_id,
    hour_utc as start_utc,
    hour_utc + interval 1 hour as end_utc,
    format('the CPs were {:.0f} % busy', busy_percent) as found
from {{ ref('fct_busy_hour') }}
where busy_percent > {{ var('too_busy_percent') }}
{% endcall %}
