-- A build is one git revision within a campaign. The builds of a configuration are ordered by their
-- first run.
with
    build as (

        select
            origin,
            configuration_id,
            campaign,
            git_revision,
            min(start_utc) as first_start_utc,
            {{ first_record(["start_utc"]) }}
        from {{ ref("fct_run") }}
        where is_compared
        group by all

    ),

    with_previous as (

        select
            *,
            lag(campaign) over builds as before_campaign,
            lag(git_revision) over builds as before_git_revision,
            lag(first_start_utc) over builds as before_start_utc
        from build
        window
            builds as (partition by origin, configuration_id order by first_start_utc, campaign, git_revision)

    ),

    -- A part that is missing from a run counts as zero, if the run's parts are compared.
    counted as (

        select
            *,
            count(distinct run_id) over (
                partition by origin, configuration_id, campaign, git_revision, metric, split
            ) as runs
        from {{ ref("fct_run_part") }}
        where is_compared

    ),

    part as (

        select
            origin,
            configuration_id,
            campaign,
            git_revision,
            metric,
            split,
            part,
            unit,
            any_value(runs) as runs,
            {{ bounded("sum(value$) / any_value(runs)", "value") }}
        from counted
        group by origin, configuration_id, campaign, git_revision, metric, split, part, unit

    ),

    -- Each value appears twice: as the value of its own build, and as the previous value of the next
    -- build.
    before_and_after as (

        {% for side, of_side in [("after", ""), ("before", "before_")] %}
            select
                with_previous.*,
                part.metric,
                part.split,
                part.part,
                part.unit,
                {{ bounded("part.value$", "value_" ~ side) }},
                part.runs as {{ of_side }}runs
            from with_previous
            inner join
                part
                on with_previous.origin = part.origin
                and with_previous.configuration_id = part.configuration_id
                and with_previous.{{ of_side }}campaign = part.campaign
                and with_previous.{{ of_side }}git_revision is not distinct from part.git_revision
            where with_previous.before_start_utc is not null {{ "union all by name" if not loop.last }}
        {% endfor %}

    ),

    paired as (

        select
            origin,
            configuration_id,
            campaign,
            git_revision,
            first_start_utc,
            metric,
            split,
            part,
            any_value(source_id) as source_id,
            any_value(record_no) as record_no,
            any_value(before_campaign) as before_campaign,
            any_value(before_git_revision) as before_git_revision,
            any_value(runs) as runs,
            any_value(before_runs) as before_runs,
            any_value(unit) as unit,
            {{ bounded("coalesce(sum(value_before$), 0)", "value_before") }},
            {{ bounded("coalesce(sum(value_after$), 0)", "value_after") }}
        from before_and_after
        group by origin, configuration_id, campaign, git_revision, first_start_utc, metric, split, part

    ),

    with_whole as (

        select
            * replace (max(runs) over whole as runs, max(before_runs) over whole as before_runs),
            {{ bounded("value_after$ - value_before^", "difference") }},
            sum(value_before) over whole as whole_before,
            sum(value_after) over whole as whole_after
        from paired
        window
            whole as (
                partition by origin, configuration_id, campaign, git_revision, first_start_utc, metric, split
            )

    )

select
    -- ids
    origin,
    source_id,
    record_no,
    configuration_id,
    campaign,
    git_revision,
    before_campaign,
    before_git_revision,
    first_start_utc,
    metric,
    split,
    part,

    -- change
    runs,
    before_runs,
    unit,
    value_before,
    value_after,
    difference,
    difference_low,
    difference_high,
    {{ percent("difference", "whole_before") }} as difference_percent_of_whole,
    whole_before,
    whole_after,
    whole_after - whole_before as whole_difference
from with_whole
-- If the parts of one build are not compared, those of the other are no difference.
where runs > 0 and before_runs > 0
