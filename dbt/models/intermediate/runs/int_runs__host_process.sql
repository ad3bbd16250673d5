{{ config(materialized="incremental", incremental_strategy="by_day") }}

-- A host shows the same processes in every display.
select source_id, agent, coordination_queue_manager, queue_manager, min(record_no) as record_no
from {{ ref("stg_bench__host_process") }}
where agent is not null or queue_manager is not null
group by all
