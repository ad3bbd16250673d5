-- The table of cost by address space, with and without what zIIPs could take: means of the runs.
with part as (

    select
        *,
        case part_kind
            when 'system' then 'total' when 'uncaptured' then 'not captured' else part
        end as address_space
    from {{ ref('fct_run_cpu') }}
    where
        system_id is null
        and is_complete
        and part_kind in ('address space', 'uncaptured', 'system')

),

run as (

    select origin, run_id, git_revision from {{ ref('fct_run') }}

)

select
    -- ids
    part.origin,
    arg_min(part.source_id, part.start_utc) as source_id,
    arg_min(part.record_no, part.start_utc) as record_no,
    part.campaign,
    run.git_revision,
    part.configuration_id,
    part.address_space,

    -- means of the runs
    count(*) as runs,
    avg(part.cpu_seconds) as cpu_seconds,
    avg(part.eligible_seconds) as eligible_seconds,
    {{ percent("sum(part.eligible_seconds)", "sum(part.cpu_seconds)") }} as ziip_share_percent,
    avg(part.cost_per_gb) as cost_per_gb,
    avg(part.cost_per_gb_after_offload) as cost_per_gb_after_offload,
    avg(part.cost_per_transaction_us) as cost_per_transaction_us,
    avg(part.cost_per_transaction_after_offload_us) as cost_per_transaction_after_offload_us
from part
inner join run using (origin, run_id)
group by
    part.origin, part.campaign, run.git_revision, part.configuration_id, part.address_space
