{{ findings() }}

{% for severity in ("note", "critical") %}
{% call finding("odd", severity, done="don't ask", affects=["cpu"]) %}
select origin, source_id, record_no, 'it is odd' as found
from {{ ref('fct_run') }}
{% endcall %}
{% endfor %}

{% call finding("nowhere", "error") %}
select null as origin, source_id, record_no, 'it has no origin' as found
from {{ ref('fct_run') }}
{% endcall %}
