{{ metrics() }}

{% for name, unit, run, value in (
    ("right", "1/s", "run_id", "1"),
    ("it's right", "1/s", "run_id", "2"),
    ("rate", "MB/s", "run_id", "3"),
    ("empty", "1/s", "run_id", "null"),
    ("not_a_number", "1/s", "run_id", "'nan'::double"),
    ("unknown", "1/s", "'no such run'", "4"),
    ("twice", "1/s", "run_id", "5"),
    ("twice", "1/s", "run_id", "6"),
) %}
{% call metric(name, unit, is_exact=true) %}
select origin, {{ run }} as run_id, {{ value }} as value
from {{ ref('fct_run') }}
{% endcall %}
{% endfor %}
