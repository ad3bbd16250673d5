{{ config(materialized="incremental", incremental_strategy="by_day") }}

select load.origin, item.*
from {{ source("staging", "bench__transfer_item") }} as item
inner join {{ ref("stg_lake__load") }} as load using (source_id)
where item.message = 'transfer' and item.action in ('progress', 'completed')
