{{ config(materialized='view') }}

select origin, run_id from {{ ref('fct_run') }}
