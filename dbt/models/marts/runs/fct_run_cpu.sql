with part as (

    select * from {{ ref('int_runs__cpu') }}

),

-- Of each system, and of all systems together.
summed as (

    select
        origin,
        run_id,
        part_kind,
        part,
        system_id,
        sum(general_purpose_seconds) as general_purpose_seconds,
        sum(ziip_seconds) as ziip_seconds,
        sum(ziip_cp_equivalent_seconds) as ziip_cp_equivalent_seconds,
        sum(ziip_on_cp_seconds) as ziip_on_cp_seconds,
        sum(eligible_seconds) as eligible_seconds,
        list_sort(list_distinct(flatten(list(source_ids)))) as source_ids
    from (
        select * replace (if(part_kind = 'system', 'all', part) as part) from part

        union all

        select * replace (if(part_kind = 'system', 'all', part) as part, null as system_id)
        from part
    )
    group by origin, run_id, part_kind, part, system_id

),

factor as (

    select
        origin,
        run_id,
        max(ziip_factor) as ziip_factor
    from {{ ref('int_runs__coverage') }}
    group by all

),

reckoned as (

    select
        run.source_id,
        run.record_no,
        run.campaign,
        run.configuration_id,
        run.start_utc,
        run.seconds,
        run.bytes,
        run.transactions,
        run.is_complete,
        factor.ziip_factor,
        summed.*,
        summed.general_purpose_seconds + summed.ziip_cp_equivalent_seconds as cpu_seconds
    from summed
    inner join {{ ref('fct_run') }} as run using (origin, run_id)
    left join factor using (origin, run_id)

)

select
    -- ids
    origin,
    source_id,
    record_no,
    run_id,
    campaign,
    configuration_id,
    start_utc,
    part_kind,
    part,
    system_id,

    -- CPU
    cpu_seconds,
    general_purpose_seconds,
    ziip_seconds,
    ziip_cp_equivalent_seconds,
    ziip_on_cp_seconds,
    eligible_seconds,
    cpu_seconds - eligible_seconds as after_offload_seconds,
    {{ percent("eligible_seconds", "cpu_seconds") }} as ziip_share_percent,
    {{ ratio("eligible_seconds / nullif(ziip_factor, 0)", "seconds") }} as ziips_needed,

    -- costs
    {{ ratio("cpu_seconds", "bytes / 1073741824") }} as cost_per_gb,
    {{ ratio("cpu_seconds - eligible_seconds", "bytes / 1073741824") }}
        as cost_per_gb_after_offload,
    {{ average_us("cpu_seconds", "transactions") }} as cost_per_transaction_us,
    {{ average_us("cpu_seconds - eligible_seconds", "transactions") }}
        as cost_per_transaction_after_offload_us,
    is_complete,
    source_ids
from reckoned
