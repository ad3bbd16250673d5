{{ config(materialized="incremental", incremental_strategy="by_day") }}

select load.origin, given.*
from {{ source("staging", "bench__measurement") }} as given
inner join {{ ref("stg_lake__load") }} as load using (source_id)
