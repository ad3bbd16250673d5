{{ config(materialized='incremental', incremental_strategy='by_day') }}

select
    load.origin,
    given.*
from {{ ref('stg_bench__measurement') }} as given
inner join {{ ref('stg_lake__load') }} as load using (source_id)
