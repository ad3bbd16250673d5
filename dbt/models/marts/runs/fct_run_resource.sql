{{ config(materialized="incremental", incremental_strategy="by_run") }}

{% set verbs = [
    "open",
    "close",
    "get",
    "put",
    "put1",
    "inq",
    "set",
    "cb",
    "commit",
    "backout",
    "prepare",
    "sub",
    "subrq",
    "ctl",
    "stat",
    "other",
] %}
{% set causes = ["log", "page_set", "db2", "cf", "latch", "smds"] %}

-- Resources other than processors that runs used: events, seconds and bytes. Each interval is weighted
-- by the fraction of it that lies within the run. As nothing limits how many events were where, all or
-- none of an interval that a run has in part may belong to it: these are the bounds.
with
    volume as (

        select
            origin,
            run_id,
            sysplex,
            system_id,
            source_id,
            share,
            'DASD' as resource,
            volume as object_name,
            requests,
            {% for part in ["response", "ios_queue", "pending", "disconnect", "connect"] %}
                requests * average_{{ part }}_us / 1e6 as {{ part }}_seconds{{ "," if not loop.last }}
            {% endfor %}
        from {{ intervals_of_runs(ref("fct_volume_interval")) }}
        where requests > 0

    ),

    cf_request as (

        select * from {{ intervals_of_runs(ref("fct_cf_request_interval")) }} where not is_included

    ),

    log_write as (select * from {{ intervals_of_runs(ref("fct_log_write_interval"), names_sysplex=false) }}),

    -- A run may have all or none of these.
    task_at_unknown_time as (

        select task.* replace (issue.start_utc as interval_start_utc, issue.end_utc as interval_end_utc)
        from {{ ref("fct_task_accounting") }} as task
        inner join {{ ref("int_mq__issue") }} as issue using (source_id, record_no)
        where issue.kind = 'interval_ends_before_start'

    ),

    task as (

        select *
        from {{ intervals_of_runs(ref("fct_task_accounting"), names_sysplex=false) }}
        union all by name
        select * replace (null as share)
        from {{ intervals_of_runs("task_at_unknown_time", names_sysplex=false) }}

    ),

    channel as (

        select *
        from {{ intervals_of_runs(ref("fct_channel_interval"), names_sysplex=false) }}
        where batches > 0 and nettime_average_us is not null

    ),

    crypto as (

        select *
        from {{ intervals_of_runs(ref("fct_crypto_operation_interval")) }}
        where domain is not null and operations > 0

    ),

    -- The time of an access is not always known, only times that it may have been.
    protected as (

        select
            run.origin,
            run.run_id,
            run.sysplex,
            run.system_id,
            access.source_id,
            access.record_no,
            any_value(access.queue_name) as queue_name,
            any_value(access.action_code) as action_code,
            case when count(*) = any_value(access.times) then 1 end as events
        from
            (
                select *, len(possible_times_utc) as times, unnest(possible_times_utc) as moment
                from {{ ref("int_mq__protected_access") }}
            ) as access
        inner join
            (
                select *, {{ hours_of("start_utc", "stop_utc") }} as hour
                from {{ runs(ref("int_runs__system")) }}
                where is_only_one_of_its_name
            ) as run
            on access.origin = run.origin
            and access.system_id = run.system_id
            and date_trunc('hour', access.moment) = run.hour
            and access.moment >= run.start_utc
            and access.moment < run.stop_utc
        group by all

    ),

    weighted as (

        {% for part in ["response", "ios_queue", "pending", "disconnect", "connect"] %}
            select
                origin,
                run_id,
                sysplex,
                system_id,
                source_id,
                resource,
                object_name,
                '{{ part | replace("_", " ") }}' as part,
                {{ part != "response" }} as is_included,
                share,
                requests as events,
                {{ part }}_seconds as seconds,
                cast(null as double) as cpu_seconds,
                cast(null as double) as bytes
            from volume

            union all by name

        {% endfor %}
        select
            origin,
            run_id,
            sysplex,
            system_id,
            source_id,
            'CF' as resource,
            structure_name as object_name,
            request_kind as part,
            share,
            requests as events,
            requests * average_service_us / 1e6 as seconds,
            null as cpu_seconds,
            null as bytes
        from cf_request

        union all by name

        select
            origin,
            run_id,
            sysplex,
            system_id,
            source_id,
            'MQ log' as resource,
            queue_manager as object_name,
            'copy ' || log_copy as part,
            share,
            writes as events,
            writes * average_write_us / 1e6 as seconds,
            null as cpu_seconds,
            bytes_written as bytes
        from log_write

        union all by name

        {% for verb in verbs %}
            select
                origin,
                run_id,
                sysplex,
                system_id,
                source_id,
                'MQ verb' as resource,
                connection_name as object_name,
                '{{ verb }}' as part,
                share,
                {{ verb }}_count as events,
                {{ verb }}_elapsed_seconds as seconds,
                {{ verb }}_cpu_seconds as cpu_seconds,
                null as bytes
            from task
            where {{ verb }}_count > 0 or queues <> queue_blocks

            union all by name

        {% endfor %}
        {% for cause in causes + ["other"] %}
            select
                origin,
                run_id,
                sysplex,
                system_id,
                source_id,
                'MQ wait' as resource,
                connection_name as object_name,
                '{{ cause | replace("_", " ") }}' as part,
                share,
                messages as events,
                wait_{{ cause }}_seconds as seconds,
                null as cpu_seconds,
                null as bytes
            from task
            where wait_{{ cause }}_seconds > 0 or queues <> queue_blocks or time_issue is not null

            union all by name

        {% endfor %}
        select
            origin,
            run_id,
            sysplex,
            system_id,
            source_id,
            'network' as resource,
            channel_name as object_name,
            'NETTIME' as part,
            share,
            batches as events,
            batches * nettime_average_us / 1e6 as seconds,
            null as cpu_seconds,
            bytes_sent + bytes_received as bytes
        from channel

        union all by name

        select
            origin,
            run_id,
            sysplex,
            system_id,
            source_id,
            'crypto' as resource,
            card_kind || ' ' || card_number as object_name,
            operation as part,
            is_included,
            share,
            operations as events,
            execution_seconds as seconds,
            null as cpu_seconds,
            null as bytes
        from crypto

        union all by name

        select
            origin,
            run_id,
            sysplex,
            system_id,
            source_id,
            'AMS' as resource,
            queue_name as object_name,
            coalesce({{ label_of("action_code", "smf180_data", "rb41act") }}, 'unknown') as part,
            1 as share,
            events,
            null as seconds,
            null as cpu_seconds,
            null as bytes
        from protected

    ),

    used as (

        select
            origin,
            run_id,
            sysplex,
            system_id,
            resource,
            object_name,
            part,
            coalesce(is_included, false) as is_included,
            {% for figure, known in [
                ("events", "events"),
                ("seconds", times_of_events("resource", "seconds", "events")),
                ("cpu_seconds", "cpu_seconds"),
                ("bytes", "events"),
            ] %}
                {{ sum_of_events("share * " ~ figure, known) }} as {{ figure }},
                {{ sum_of_events(least_in_run(figure), known) }} as {{ figure }}_low,
                {{ sum_of_events(most_in_run(figure), known) }} as {{ figure }}_high,
            {% endfor %}
            min(share) as least_share,
            list(distinct source_id order by source_id) as source_ids
        from weighted
        group by all

    ),

    run as (select * from {{ runs(ref("fct_run")) }})

select
    -- ids
    run.origin,
    run.source_id,
    run.record_no,
    run.run_id,
    run.campaign,
    run.configuration_id,
    run.start_utc,
    used.sysplex,
    used.system_id,
    system.system,
    used.resource,
    used.object_name,
    used.part,
    used.is_included,

    -- events, times and amounts
    used.events,
    used.events_low,
    used.events_high,
    {{ per_second("used.events", "run.seconds") }} as events_per_second,
    used.seconds as busy_seconds,
    used.seconds_low as busy_seconds_low,
    used.seconds_high as busy_seconds_high,
    {{ average_us("used.seconds", "used.events") }} as average_us,
    used.cpu_seconds,
    used.cpu_seconds_low,
    used.cpu_seconds_high,
    {{ average_us("used.cpu_seconds", "used.events") }} as average_cpu_us,
    used.bytes as bytes_moved,
    used.bytes_low as bytes_moved_low,
    used.bytes_high as bytes_moved_high,
    {{ mb_per_second("used.bytes", "run.seconds") }} as mb_per_second,
    used.least_share,
    used.source_ids
from used
inner join run using (origin, run_id)
inner join {{ runs(ref("int_runs__system")) }} as system using (origin, run_id, sysplex, system_id)
