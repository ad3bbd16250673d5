-- Two samples of figures that differ in one thing, as they are compared unless somebody picks sides: runs
-- of a label's level and of the level before (a build and the build before it, a machine and the older
-- one); the best level of a factor and the next; and the change between machines, with what is expected.
-- What grows with the work of a run is not compared.
{%- set labels = {
    "git_revision": ["configuration_id"],
    "campaign": ["factors_id"],
    "mq_level": ["factors_id", "machine"],
    "machine": ["factors_id", "mq_level"],
} %}
{%- set totals = [
    "cpu_seconds",
    "general_purpose_seconds",
    "system_overhead_seconds",
    "transfer_time",
    "workload_seconds",
    "workload_seconds_after_offload",
] %}

with
    measured as (

        select measurement.*, configuration.factors_id, session.build
        from {{ ref("fct_measurement") }} as measurement
        inner join {{ ref("dim_configuration") }} as configuration using (configuration_id)
        inner join
            {{ ref("fct_run_session") }} as session
            on measurement.origin = session.origin
            and measurement.run_id = session.run_id
        where
            measurement.is_compared
            and isfinite(measurement.value)
            -- Figures without a direction are facts about a run, but for shares of zIIPs.
            and (
                measurement.more_is_better is not null
                or measurement.metric = 'ziip_share'
                or measurement.metric not in (
                    select metric
                    from {{ ref("run_metric") }}
                    union all
                    select metric
                    from {{ ref("published_metric") }}
                )
            )
            and measurement.metric not in ('{{ totals | join("', '") }}')

    ),

    build_side as (

        {% for label, shared in labels.items() %}
            select
                '{{ label }}' as kind,
                origin,
                {{ label }} as level,
                concat_ws('|', {{ shared | join(", ") }}) as shared_id,
                min(configuration_id) as configuration_id,
                metric,
                unit,
                bool_or(more_is_better) as more_is_better,
                build,
                list(value order by run_id) as figures,
                max(start_utc) as last_utc,
                {{ first_record(["start_utc"]) }}
            from measured
            where {{ label }} is not null
            group by all {{ "union all by name" if not loop.last }}
        {% endfor %}

    ),

    side as (

        select
            * exclude (build, more_is_better, figures, last_utc, source_id, record_no),
            bool_or(more_is_better) as more_is_better,
            list(figures order by last_utc, build) as builds,
            list_sort(list(build)) as names,
            max(last_utc) as last_utc,
            {{ first_record(["last_utc"]) }}
        from build_side
        group by all

    ),

    dated_side as (select *, max(last_utc) over (partition by kind, origin, level) as level_utc from side),

    -- Builds before tell how much builds vary by themselves. Only the latest builds are judged.
    with_history as (

        select
            *,
            lag(level) over earlier as level_before,
            lag(builds) over earlier as builds_before,
            lag(names) over earlier = names as are_same_builds,
            flatten(
                list(builds) over (
                    partition by kind, origin, shared_id, metric, unit
                    order by level_utc, level
                    rows between 60 preceding and 1 preceding
                )
            ) as history
        from dated_side
        window earlier as (partition by kind, origin, shared_id, metric, unit order by level_utc, level)
        qualify
            row_number() over (
                partition by kind, origin, shared_id, metric, unit order by level_utc desc, level desc
            )
            <= 10

    ),

    factor as (

        select
            *,
            list_sort(
                list_transform(
                    list_filter(list_zip(by_level, values_by_level), lambda pair:isfinite(pair[1].value)),
                    lambda pair: {
                        'rank':if(more_is_better, -1, 1) * pair[1].value,
                        'level':pair[1].level,
                        'values':pair[2]
                    }
                )
            ) as ranked
        from {{ ref("fct_by_factor") }}
        where more_is_better is not null

    )

select
    kind,
    origin,
    source_id,
    record_no,
    kind as varied,
    shared_id,
    configuration_id,
    metric,
    unit,
    more_is_better,
    level_before,
    level as level_after,
    level_utc as until_utc,
    flatten(builds_before) as baseline_values,
    flatten(builds) as candidate_values,
    len(builds_before) as baseline_builds,
    len(builds) as candidate_builds,
    are_same_builds,
    if(kind = 'git_revision', [history], [builds_before, builds]) as history
from with_history
where level_before is not null
union all by name
select
    'factor' as kind,
    origin,
    source_id,
    record_no,
    campaign,
    document_id,
    section,
    git_revision,
    factor as varied,
    others_id as shared_id,
    metric,
    unit,
    more_is_better,
    ranked[2].level as level_before,
    ranked[1].level as level_after,
    ranked[2].values as baseline_values,
    ranked[1].values as candidate_values,
    1 as baseline_builds,
    1 as candidate_builds,
    true as are_same_builds
from factor
where len(ranked) > 1
union all by name
select
    'expected' as kind,
    origin,
    source_id,
    record_no,
    'machine' as varied,
    factors_id as shared_id,
    configuration_id_after as configuration_id,
    metric,
    unit,
    true as more_is_better,
    configuration_id_before as level_before,
    configuration_id_after as level_after,
    values_before as baseline_values,
    values_after as candidate_values,
    improvement_percent_of_before as improvement,
    expected_percent as expected
from {{ ref("machine_pair") }}
where expected_percent is not null and isfinite(improvement) and improvement > -100
