-- When loads of each kind of record, runs of each configuration, and records of each system and queue
-- manager last came, and when they should come next. What is missing follows from the time at which it
-- is read: nothing is built while nothing arrives.
{% set subject = "kind, origin, name, campaign, configuration_id" %}
{% set least_arrivals = 5 %}
{% set most_expected = 14 %}

with
    visit as (

        select
            'feed' as kind,
            origin,
            if(kind = 'smf', 'SMF ' || record_type, kind) as name,
            null as campaign,
            null as configuration_id,
            loaded_at_utc as arrived_utc,
            last_record_at_utc as last_record_utc
        from {{ ref("dim_load") }}
        -- Types 2 and 3 begin and end a dump.
        where kind <> 'smf' or record_type not in (2, 3)
        union all
        select
            'runs' as kind,
            run.origin,
            concat_ws(', ', run.campaign, nullif(configuration.configuration, '')) as name,
            run.campaign,
            run.configuration_id,
            run.start_utc as arrived_utc,
            run.stop_utc as last_record_utc
        from {{ ref("fct_run") }} as run
        left join {{ ref("dim_configuration") }} as configuration using (configuration_id)

    ),

    spaced as (

        select *, epoch(arrived_utc - lag(arrived_utc) over earlier) as seconds
        from visit
        window earlier as (partition by {{ subject }} order by arrived_utc)

    ),

    -- Half of all time passes in gaps at least as long as the usual one. Files of a batch, and runs of a
    -- night, come closer together than a quarter of it, or within minutes and hours: they are one arrival.
    arrival as (

        select
            *,
            max(arrived_utc) over whole as last_utc,
            max(last_record_utc) over whole as latest_record_utc,
            max(seconds) filter (where longer_seconds >= all_seconds / 2) over whole as usual_seconds
        from
            (
                select
                    *,
                    sum(seconds) over (partition by {{ subject }} order by seconds desc) as longer_seconds,
                    sum(seconds) over (partition by {{ subject }}) as all_seconds
                from spaced
            )
        window whole as (partition by {{ subject }})
        qualify seconds is null or seconds > greatest(usual_seconds / 4, if(kind = 'feed', 600, 10800))

    ),

    -- A gap depends on the day of the week: nothing may come at weekends. A day is twelve hours on either
    -- side of the time at which arrivals came last.
    dated as (

        select
            *,
            epoch(lead(arrived_utc) over later - arrived_utc) as next_seconds,
            isodow(arrived_utc + to_seconds(43200 - epoch(max(arrived_utc) over whole) % 86400)) as weekday,
            last_value(arrived_utc) over whole as last_begun_utc
        from arrival
        window
            later as (partition by {{ subject }} order by arrived_utc),
            whole as (
                partition by {{ subject }}
                order by arrived_utc
                rows between unbounded preceding and unbounded following
            )

    ),

    scheduled as (

        select
            {{ subject }},
            count(*) as arrivals,
            any_value(last_utc) as last_utc,
            any_value(latest_record_utc) as last_record_utc,
            any_value(last_begun_utc) as last_begun_utc,
            median(next_seconds) as usual_seconds,
            arg_max(weekday, (arrived_utc, weekday)) as last_weekday,
            list({'weekday':weekday, 'seconds':next_seconds}) filter (next_seconds is not null) as gaps
        from dated
        group by all

    ),

    due as (

        select
            * exclude (last_weekday, gaps),
            list_transform(
                list_filter(gaps, lambda gap:gap.weekday = last_weekday), lambda gap:gap.seconds
            ) as of_weekday,
            if(
                len(of_weekday) >= 2, of_weekday, list_transform(gaps, lambda gap:gap.seconds)
            ) as expected_gaps,
            list_median(expected_gaps) as expected_seconds,
            greatest(
                1800,
                usual_seconds / 4,
                2 * (list_aggregate(expected_gaps, 'quantile_cont', 0.9) - expected_seconds)
            ) as late_seconds
        from scheduled

    ),

    -- Systems of a sysplex, and queue managers of a group or system, have records at the same times.
    member as (

        select
            'system' as kind,
            origin,
            concat_ws('/', sysplex, system_id) as name,
            arg_max(sysplex, (end_utc, sysplex)) as belongs_to,
            max(end_utc) as last_utc
        from {{ ref("fct_completeness") }}
        where is_recorded and sysplex is not null
        group by 1, 2, 3
        union all
        select
            'queue manager' as kind,
            origin,
            concat_ws('/', system_id, queue_manager) as name,
            -- It may join a queue-sharing group, and some records do not name it.
            arg_max(
                coalesce(queue_sharing_group, system_id), (interval_end_utc, source_id, record_no)
            ) as belongs_to,
            max(interval_end_utc) as last_utc
        from {{ ref("int_mq__record") }}
        where record_type = 115 and usable
        group by 1, 2, 3

    )

select
    kind,
    origin,
    name,
    campaign,
    configuration_id,
    arrivals,
    last_utc,
    last_record_utc,
    usual_seconds,
    {% for column, seconds in [
        ("expected_utc", "expected_seconds"),
        ("missing_from_utc", "expected_seconds + late_seconds"),
        (
            "stopped_from_utc",
            "expected_seconds + late_seconds + " ~ (most_expected - 1) ~ " * usual_seconds",
        ),
    ] %}
        case
            when arrivals >= {{ least_arrivals }} then last_begun_utc + to_seconds({{ seconds }})
        end as {{ column }}{{ "," if not loop.last }}
    {% endfor %}
from due
union all by name
select
    kind,
    origin,
    name,
    last_utc,
    last_utc as last_record_utc,
    case when is_missing then last_utc end as expected_utc,
    case when is_missing then last_utc + interval 2 hour end as missing_from_utc,
    case when is_missing then last_utc + interval {{ most_expected }} day end as stopped_from_utc
from
    (
        select
            *,
            max(last_utc) over (partition by kind, origin, belongs_to)
            > last_utc + interval 2 hour as is_missing
        from member
    )
