{{ config(materialized='incremental', incremental_strategy='by_run') }}

with run as (

    select * from {{ runs(ref('fct_run')) }}

),

-- CPU of whole runs and systems from type 70, of address spaces from type 30.
cpu as (

    select
        *,
        if(part_kind = 'address space', part, null) as address_space
    from {{ runs(ref('fct_run_cpu')) }}
    where part_kind in ('system', 'address space')

),

overhead as (

    select
        origin,
        run_id,
        system_id,
        sum(cpu_seconds) as system_overhead_seconds
    from {{ runs(ref('fct_run_cpu')) }}
    where part_kind in ('uncaptured', 'system class')
    group by all

),

-- Totals over all objects of a resource, per system and for all systems.
resource as (

    select
        run.origin,
        run.run_id,
        used.resource,
        if(used.resource = 'MQ verb', used.part, null) as verb,
        used.system_id,
        sum(used.events) as events,
        sum(used.busy_seconds) as seconds,
        sum(used.cpu_seconds) as cpu_seconds,
        sum(used.bytes_moved) as bytes,
        any_value(run.seconds) as run_seconds
    from {{ runs(ref('fct_run_resource')) }} as used
    inner join run using (origin, run_id)
    where used.resource <> 'DASD' or used.part = 'response'
    group by
        run.origin, run.run_id, used.resource, verb,
        grouping sets ((used.system_id), ())

),

derived as (

    {% for metric, value in [
        (
            "rate",
            per_second(
                "bytes / 1048576",
                "coalesce(transfer_seconds, if(driver = 'mft', null, seconds))",
            ),
        ),
        ("steady_rate", per_second("steady_bytes / 1048576", "steady_seconds")),
        ("transfer_time", "transfer_seconds"),
        ("ramp_seconds", "ramp_seconds"),
        ("bytes", "bytes"),
        ("files", "files"),
        ("messages", "messages"),
        ("transactions", "transactions"),
        (
            "transactions_per_second",
            per_second(
                "transactions",
                "coalesce(transfer_seconds, if(driver = 'harness', null, seconds))",
            ),
        ),
        ("messages_per_second", per_second("messages", "seconds")),
    ] %}
    select
        origin,
        run_id,
        '{{ metric }}' as metric,
        cast(null as varchar) as address_space,
        cast(null as varchar) as system_id,
        {{ value }} as value
    from run

    union all

    {% endfor %}
    {% for metric, value in [
        ("cpu_seconds", "cpu_seconds"),
        ("general_purpose_seconds", "general_purpose_seconds"),
        ("ziip_eligible_seconds", "eligible_seconds"),
        ("cost_per_GB", "cost_per_gb"),
        ("cost_per_GB_after_offload", "cost_per_gb_after_offload"),
        ("cost_per_transaction", "cost_per_transaction_us"),
        ("cost_per_transaction_after_offload", "cost_per_transaction_after_offload_us"),
        ("ziip_share", "ziip_share_percent"),
        ("ziips_needed", "ziips_needed"),
    ] %}
    select
        origin,
        run_id,
        '{{ metric }}' as metric,
        address_space,
        system_id,
        {{ value }} as value
    from cpu

    union all

    {% endfor %}
    {% for metric, resource, value in [
        ("dasd_response_time", "DASD", average_us("seconds", "events")),
        ("cf_service_time", "CF", average_us("seconds", "events")),
        ("log_write_latency", "MQ log", average_us("seconds", "events")),
        ("log_physical_bytes", "MQ log", "bytes"),
        ("log_physical_rate", "MQ log", per_second("bytes", "run_seconds")),
        ("NETTIME", "network", average_us("seconds", "events") ~ " / 1000"),
    ] %}
    select
        origin,
        run_id,
        '{{ metric }}' as metric,
        null as address_space,
        system_id,
        {{ value }} as value
    from resource
    where resource = '{{ resource }}'

    union all

    {% endfor %}
    select
        origin,
        run_id,
        'cpu_per_' || verb as metric,
        null as address_space,
        system_id,
        {{ average_us("cpu_seconds", "events") }} as value
    from resource
    where verb is not null

    union all

    select
        origin,
        run_id,
        'system_overhead_seconds' as metric,
        null as address_space,
        system_id,
        system_overhead_seconds as value
    from overhead

),

derived_value as (

    select derived.* from derived where value is not null

),

-- Use given values only where records provide none. This includes the rate that a harness prints
-- for its working time.
given as (

    select
        origin,
        run_id,
        metric,
        address_space,
        cast(null as varchar) as system_id,
        value,
        unit,
        more_is_better,
        true as is_given
    from {{ runs(ref('int_runs__measurement')) }}
    anti join derived_value using (origin, run_id, metric)

),

measured as (

    select
        derived_value.*,
        metric.unit,
        metric.more_is_better,
        false as is_given
    from derived_value
    inner join {{ ref('dim_metric') }} as metric using (metric)

    union all

    select
        given.* exclude (more_is_better, is_given),
        coalesce(given.more_is_better, metric.more_is_better) as more_is_better,
        true as is_given
    from given
    inner join {{ ref('dim_metric') }} as metric using (metric)

)

select
    -- ids
    run.origin,
    run.source_id,
    run.record_no,
    run.run_id,
    run.campaign,
    run.configuration_id,
    run.repetition,

    -- measurement
    measured.metric,
    measured.address_space,
    measured.system_id,
    measured.value,
    measured.unit,
    measured.more_is_better,
    measured.is_given,

    -- time and machine
    run.start_utc,
    run.machine,
    run.mq_level,
    run.git_revision,
    run.is_complete,
    run.source_ids
from measured
inner join run using (origin, run_id)
