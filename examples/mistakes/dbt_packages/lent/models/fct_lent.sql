select no_such_column from {{ ref('fct_run') }}
