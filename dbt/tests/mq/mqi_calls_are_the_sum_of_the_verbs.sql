{% set verbs = [
    "opens", "closes", "gets", "puts", "put1s", "inqs", "sets", "subs", "subrqs", "cbs", "ctls", "stats"
] %}

select source_id, record_no, mqi_calls
from {{ ref('fct_queue_manager_interval') }}
where mqi_calls <> {% for verb in verbs %}coalesce({{ verb }}, 0){{ " + " if not loop.last }}{% endfor %}
