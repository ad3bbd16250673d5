select run_id from {{ ref('fct_run') }}
