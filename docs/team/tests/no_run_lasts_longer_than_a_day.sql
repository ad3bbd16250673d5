{{ config(severity='warn') }}

select origin, run_id, seconds
from {{ ref('fct_run') }}
where seconds > 86400
