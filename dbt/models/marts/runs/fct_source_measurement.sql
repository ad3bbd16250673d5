-- What each source says of a metric that a run has from more than one, if they do not agree.
with
    run as (select * from {{ ref("fct_run") }}),

    given as (select * from {{ ref("int_runs__source_measurement") }} where address_space is null),

    derived as (

        select measurement.*
        from {{ ref("fct_measurement") }} as measurement
        semi join given using (origin, run_id, metric)
        where not measurement.is_given

    ),

    manager as (

        select
            origin,
            run_id,
            object_name as queue_manager,
            resource,
            {{ sum_of_events("events", "events") }} as events,
            {{ sum_of_events("busy_seconds", "events") }} as seconds,
            {{ sum_of_events("bytes_moved", "events") }} as bytes,
            if(count(*) = count(events), max(bytes_moved), null) as most_bytes,
            any_value(run.seconds) as run_seconds,
            any_value(coalesce(run.work_seconds, run.seconds)) as work_seconds
        from {{ ref("fct_run_resource") }} as used
        inner join run using (origin, run_id)
        where used.resource = 'MQ log' and not used.is_included
        group by all
        having coalesce(sum(used.events) > 0, true)

    ),

    told as (

        select
            given.origin,
            given.run_id,
            given.metric,
            given.value_source,
            cast(null as varchar) as queue_manager,
            given.value,
            given.unit,
            -- where the measurement is derived, what is given of it is not used
            list_contains(measurement.value_sources, given.value_source) and derived.run_id is null as is_used
        from given
        inner join {{ ref("int_runs__measurement") }} as measurement using (origin, run_id, metric)
        left join derived using (origin, run_id, metric)
        -- what says the same as the records, as rounded as tools print, is no source of its own
        where
            measurement.address_space is null
            and coalesce(abs(given.value - derived.value) > 1e-4 * abs(derived.value), true)

        union all by name

        select origin, run_id, metric, value_source, value, unit, true as is_used
        from derived

        {% for metric, resource, figure in resource_metrics() if resource == "MQ log" %}
            union all by name

            select
                origin,
                run_id,
                '{{ metric }}' as metric,
                'derived' as value_source,
                queue_manager,
                {{ figure.value }} as value,
                (select unit from {{ ref("run_metric") }} where metric = '{{ metric }}') as unit,
                true as is_used
            from manager
            qualify count(*) over (partition by origin, run_id) > 1

        {% endfor %}

    )

select
    run.origin,
    run.source_id,
    run.record_no,
    run.run_id,
    run.campaign,
    run.configuration_id,
    told.metric,
    told.value_source,
    told.queue_manager,
    told.value,
    told.unit,
    told.is_used,
    run.start_utc
from told
inner join run using (origin, run_id)
where told.value is not null
qualify count(*) over (partition by told.origin, told.run_id, told.metric) > 1
