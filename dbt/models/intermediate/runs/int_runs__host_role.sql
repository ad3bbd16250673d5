-- The part that a host plays in the transfers of a run: its processes show its agents and queue
-- managers, and the transfer log shows who sends and who receives. A host that does both gets no role,
-- because its CPU time cannot be split between them.
with
    host as (

        select output.origin, output.run_id, process.*
        from {{ ref("int_runs__host_process") }} as process
        inner join {{ ref("int_runs__output") }} as output using (source_id)
        where output.run_id is not null

    ),

    coordination as (

        select origin, run_id, list(distinct coordination_queue_manager) as coordination_queue_managers
        from host
        group by origin, run_id

    ),

    transfer as (

        select
            origin,
            run_id,
            list(distinct source_agent) as source_agents,
            list(distinct destination_agent) as destination_agents,
            list(distinct source_queue_manager) || list(distinct destination_queue_manager) as queue_managers
        from {{ ref("int_runs__transfer") }}
        group by origin, run_id

    ),

    found as (

        select
            host.source_id,
            bool_or(coalesce(list_contains(transfer.source_agents, host.agent), false)) as sends,
            bool_or(coalesce(list_contains(transfer.destination_agents, host.agent), false)) as receives,
            bool_or(
                coalesce(list_contains(coordination.coordination_queue_managers, host.queue_manager), false)
            ) as coordinates,
            bool_or(coalesce(list_contains(transfer.queue_managers, host.queue_manager), false)) as serves
        from host
        inner join coordination using (origin, run_id)
        inner join transfer using (origin, run_id)
        group by host.source_id

    ),

    role as (

        select
            source_id,
            case
                when sends and receives
                then null
                when sends
                then 'Agent1-CPU'
                when receives
                then 'Agent2-CPU'
                when coordinates and serves
                then null
                when coordinates
                then 'Coord-CPU'
                when serves
                then 'AgentQ-CPU'
            end as metric
        from found

    )

select *
from role
where metric is not null
