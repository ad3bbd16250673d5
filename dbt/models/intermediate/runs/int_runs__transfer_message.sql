{{ config(materialized="incremental", incremental_strategy="by_day") }}

select load.origin, transfer.*
from {{ source("staging", "bench__transfer") }} as transfer
inner join {{ ref("stg_lake__load") }} as load using (source_id)
where transfer.message = 'transfer' and transfer.action <> 'progress'
