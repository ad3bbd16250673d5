{{ config(materialized="view", pre_hook="use {{ this.database }}", post_hook="use work") }}
-- A view, so that it costs nothing to build, and what is asked for reads those days and owners only. Its
-- relations have no catalog, as the published file has another one than the working database.
{# The figures that are judged, with the names of their limits in health_limit: an aggregate over the rows
   of an interval, what such a row is of, and which rows count. #}
{% set of_queue_managers = [
    (
        "buffers-free",
        ref("fct_buffer_pool_interval"),
        "min(lowest_free_percent)",
        "'BP ' || buffer_pool",
        "page_gets > 0",
    ),
    (
        "buffers-short",
        ref("fct_buffer_pool_interval"),
        "sum(short_on_buffers)",
        "'BP ' || buffer_pool",
    ),
    (
        "buffer-writes",
        ref("fct_buffer_pool_interval"),
        "sum(synchronous_write_threshold_hits)",
        "'BP ' || buffer_pool",
    ),
    (
        "immediate-writes",
        ref("fct_buffer_pool_interval"),
        "sum(immediate_writes)",
        "'BP ' || buffer_pool",
    ),
    (
        "buffer-hits",
        ref("fct_buffer_pool_interval"),
        "100 * (1 - sum(page_reads) / nullif(sum(page_gets_old), 0))",
        "'BP ' || buffer_pool",
    ),
    ("log-writer", ref("fct_queue_manager_interval"), "max(log_writer_busy_percent)"),
    ("log-buffers", ref("fct_queue_manager_interval"), "sum(log_buffer_waits)"),
    ("checkpoints", "checkpoints", "max(in_an_hour)"),
    (
        "gets-by-scan",
        ref("fct_queue_manager_interval"),
        "sum(data_manager_gets) / nullif(sum(gets), 0)",
        "null",
        "gets >= 100",
    ),
    (
        "messages-skipped",
        "queue",
        "sum(messages_skipped) / nullif(sum(destructive_gets + browse_gets), 0)",
        "queue_name",
        "destructive_gets + browse_gets > 0",
    ),
    (
        "failed-gets",
        "queue",
        "sum(failed_get_percent * get_count) / nullif(sum(get_count), 0)",
        "queue_name",
        "get_count >= 100",
    ),
    ("page-set-used", ref("fct_page_set_interval"), "max(used_percent)", "'page set ' || page_set"),
    ("page-set-full", ref("fct_page_set_interval"), "sum(full_count)", "'page set ' || page_set"),
    (
        "page-set-days",
        "filling",
        "min(least(if(percent_a_day > 0, (100 - used_percent) / percent_a_day, 365), 365))",
        "'page set ' || page_set",
        "days >= 2",
    ),
    (
        "storage-short",
        ref("fct_queue_manager_interval"),
        "sum(short_on_storage_count + short_on_storage_abends)",
    ),
    (
        "mq-structure-full",
        ref("fct_cf_structure_interval"),
        "sum(structure_full)",
        "structure_name",
    ),
    (
        "mq-structure-redrives",
        ref("fct_cf_structure_interval"),
        "max(redrive_percent)",
        "structure_name",
        "single_calls + multiple_calls >= 100",
    ),
    ("smds-used", ref("fct_smds_interval"), "max(used_percent)", "structure_name"),
    (
        "channels-used",
        ref("fct_channel_initiator_interval"),
        "max(greatest(current_channels_percent, active_channels_percent))",
    ),
    (
        "dispatcher",
        ref("fct_channel_initiator_task_type_interval"),
        "max(max_task_busy_percent)",
        "null",
        "task_type = 'dispatcher'",
    ),
    (
        "adapter",
        ref("fct_channel_initiator_task_type_interval"),
        "max(max_task_busy_percent)",
        "null",
        "task_type = 'adapter'",
    ),
    (
        "ssl",
        ref("fct_channel_initiator_task_type_interval"),
        "max(max_task_busy_percent)",
        "null",
        "task_type = 'ssl'",
    ),
    (
        "dns",
        ref("fct_channel_initiator_task_type_interval"),
        "max(max_task_busy_percent)",
        "null",
        "task_type = 'dns'",
    ),
    (
        "batches-full",
        "sender",
        "100 * sum(full_batches) / nullif(sum(batches), 0)",
        "channel_name",
    ),
    ("nettime", "sender", "max(nettime_average_us) / 1000", "channel_name"),
] %}
{% set class = "service_class || coalesce('.' || period, '')" %}
{% set of_systems = [
    ("capture-ratio", ref("fct_cpu_reconciliation"), "100 * sum(class_seconds) / nullif(sum(processor_seconds), 0)",
     "null",
     "processor_type = 'CP' and class_seconds > 0 and processor_seconds > 0.5 * interval_seconds"),
    ("performance-index", ref("fct_service_class_period_interval"), "max(performance_index)", class, "importance <= 2"),
    ("cpu-delay", ref("fct_service_class_period_interval"), "max(delay_cpu_percent)", class,
     "importance <= 2 and using_samples + delay_samples >= 100"),
    ("latent-demand", ref("fct_lpar_capacity_interval"), "100 * max(latent_demand_msu / nullif(consumed_msu, 0))"),
    ("cap", ref("fct_lpar_capacity_interval"),
     "100 * max(coalesce(long_term_average_msu, four_hour_average_msu) / nullif(defined_capacity_msu, 0))"),
    ("group-cap", ref("fct_lpar_capacity_interval"),
     "100 * max(group_four_hour_average_msu / nullif(group_capacity_msu, 0))", "capacity_group",
     "capacity_group is not null"),
    ("capped", ref("fct_lpar_capacity_interval"), "max(soft_capped_percent)"),
    ("ziip-on-cp", ref("fct_ziip_interval"), "max(eligible_on_cp_percent)", "null",
     "ziips_online > 0 and eligible_seconds > 0.01 * interval_seconds"),
    ("device-response", ref("fct_volume_interval"), "max(average_response_us) / 1000",
     "coalesce(nullif(volume, ''), device_number)", "requests_per_second >= 1"),
    ("zhpf", "data_set", "sum(zhpf_percent * ios) / nullif(sum(ios), 0)", "null", "zhpf_percent is not null"),
    ("small-blocks", "data_set",
     "100 * coalesce(sum(bytes_written) filter (where block_bytes < 20000), 0) / sum(bytes_written)", "null",
     "organisation = 'PS' and bytes_written > 0 and block_bytes > 0"),
    ("cf-busy", ref("fct_cf_interval"), "max(busy_percent)", "coupling_facility"),
    ("cf-shared", ref("fct_cf_interval"),
     "max(greatest(shared_processors, coalesce(dynamic_dispatching, false)::int))", "coupling_facility"),
    ("cf-delayed", ref("fct_cf_delay_interval"), "max(delayed_percent)", "structure_name || ', ' || delay_reason"),
    ("cf-service", ref("fct_cf_request_interval"), "max(average_service_us)", "structure_name",
     "request_kind = 'synchronous' and requests >= 100"),
    ("structure-used", ref("fct_cf_structure_use_interval"),
     "max(greatest(entries_used_percent, elements_used_percent))", "structure_name",
     "structure_type in ('list', 'serialized list') and structure_name not like 'IXC%'"),
    ("crypto-busy", ref("fct_crypto_card_interval"), "max(utilisation_percent)", "card_kind || ' ' || card_number"),
] %}

with
    -- Checkpoints of the last hour, scaled to an hour; of a quarter of an hour at least.
    checkpoints as (

        select
            *,
            sum(log_checkpoints) over past_hour
            * 3600
            / greatest(sum(interval_seconds) over past_hour, 900) as in_an_hour
        from {{ ref("fct_queue_manager_interval").include(database=false) }}
        window
            past_hour as (
                partition by origin, system_id, queue_manager
                order by interval_start_utc range between interval 59 minutes preceding and current row
            )

    ),

    -- A page set fills as fast as it did in the week before.
    filling as (

        select
            * exclude (latest),
            latest.used as used_percent,
            latest.source_id,
            latest.record_no,
            regr_slope(latest.used, epoch(interval_end_utc) / 86400) over week as percent_a_day,
            count(*) over week as days
        from
            (
                select
                    origin,
                    system_id,
                    queue_manager,
                    page_set,
                    date_trunc('day', interval_start_utc) as day,
                    max(interval_start_utc) as interval_start_utc,
                    max(interval_end_utc) as interval_end_utc,
                    max(
                        struct_pack(
                            utc := interval_end_utc,
                            used := used_percent,
                            source_id := source_id,
                            record_no := record_no
                        )
                    ) as latest
                from {{ ref("fct_page_set_interval").include(database=false) }}
                group by all
            )
        window
            week as (
                partition by origin, system_id, queue_manager, page_set
                order by day range between interval 7 days preceding and current row
            )

    ),

    -- A channel's first record may not say since when it counts.
    sender as (

        select
            * replace (
                coalesce(interval_start_utc, collected_at_utc) as interval_start_utc,
                coalesce(interval_end_utc, collected_at_utc) as interval_end_utc
            )
        from {{ ref("fct_channel_interval").include(database=false) }}
        where channel_type ilike '%sender%'

    ),

    -- What tasks did on a queue, by the hour of their records.
    queue as (

        select
            *,
            date_trunc('hour', recorded_at_utc) as interval_start_utc,
            interval_start_utc + interval 1 hour as interval_end_utc
        from {{ ref("fct_queue_accounting").include(database=false) }}

    ),

    data_set as (

        select
            of_data_set.* replace (coalesce(interval_start_utc, interval_end_utc) as interval_start_utc),
            of_system.sysplex
        from {{ ref("fct_data_set_interval").include(database=false) }} as of_data_set
        left join
            (
                select origin, system_id, min(sysplex) as sysplex
                from {{ ref("fct_processor_interval").include(database=false) }}
                group by all
            ) as of_system using (origin, system_id)

    ),

    figure as (

        {% for kind, checks in [("queue manager", of_queue_managers), ("system", of_systems)] %}
            {% set loop_of_kinds = loop %}
            {% for check in checks %}
                select
                    '{{ check[0] }}' as check_name,
                    '{{ kind }}' as kind,
                    origin,
                    {{ "sysplex" if kind == "system" else "null" }} as sysplex,
                    system_id,
                    {{ "null" if kind == "system" else "queue_manager" }} as queue_manager,
                    {{
                        (
                            "concat_ws('/', sysplex, system_id)"
                            if kind == "system"
                            else "system_id || '/' || queue_manager"
                        )
                    }} as owner,
                    interval_start_utc,
                    max(interval_end_utc) as interval_end_utc,
                    cast({{ check[3] or "null" }} as varchar) as subject,
                    round(cast({{ check[2] }} as double), 6) as value,
                    min(struct_pack(source_id := source_id, record_no := record_no)) as record
                from {{ check[1].include(database=false) if check[1].include else check[1] }}
                where {{ check[4] or "true" }}
                group by all {{ "union all" if not (loop.last and loop_of_kinds.last) }}
            {% endfor %}
        {% endfor %}

    ),

    ranked as (

        select
            figure.*,
            bound.* exclude (check_name, kind, needs, page, parameter),
            row_number() over (
                partition by check_name, origin, owner, interval_start_utc
                order by if(bound.is_below, - value, value) desc, subject
            )
            = 1 as is_worst,
            {{ health_verdict("value", "bound") }} as verdict
        from figure
        inner join {{ ref("health_limit").include(database=false) }} as bound using (check_name)
        where value is not null and isfinite(value)

    )

select
    -- ids
    origin,
    record.source_id,
    record.record_no,
    check_name,
    kind,
    sysplex,
    system_id,
    queue_manager,
    owner,
    subject,

    -- time
    interval_start_utc,
    interval_end_utc,

    -- figure
    label,
    value,
    unit,
    formula,

    -- verdict
    warning,
    alarm,
    is_below,
    verdict,
    is_worst,
    remedy,
    source
from ranked
where is_worst or verdict <> 'within'
