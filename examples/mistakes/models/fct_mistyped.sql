select rnu_id from {{ ref('fct_run') }}
