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
            count(*) as runs,
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
            lag(runs) over builds as before_runs,
            lag(first_start_utc) over builds as before_start_utc
        from build
        window
            builds as (partition by origin, configuration_id order by first_start_utc, campaign, git_revision)

    ),

    -- A part that is missing from a run counts as zero.
    part as (

        select
            part.origin,
            part.configuration_id,
            part.campaign,
            part.git_revision,
            part.metric,
            part.split,
            part.part,
            part.unit,
            sum(part.value) / any_value(build.runs) as value
        from {{ ref("fct_run_part") }} as part
        inner join
            build
            on part.origin = build.origin
            and part.configuration_id = build.configuration_id
            and part.campaign = build.campaign
            and part.git_revision is not distinct from build.git_revision
        where part.is_compared
        group by
            part.origin,
            part.configuration_id,
            part.campaign,
            part.git_revision,
            part.metric,
            part.split,
            part.part,
            part.unit

    ),

    -- Each value appears twice: as the value of its own build, and as the previous value of the next
    -- build.
    before_and_after as (

        select
            with_previous.*,
            part.metric,
            part.split,
            part.part,
            part.unit,
            part.value as value_after,
            0.0 as value_before
        from with_previous
        inner join
            part
            on with_previous.origin = part.origin
            and with_previous.configuration_id = part.configuration_id
            and with_previous.campaign = part.campaign
            and with_previous.git_revision is not distinct from part.git_revision
        where with_previous.before_start_utc is not null

        union all

        select
            with_previous.*,
            part.metric,
            part.split,
            part.part,
            part.unit,
            0.0 as value_after,
            part.value as value_before
        from with_previous
        inner join
            part
            on with_previous.origin = part.origin
            and with_previous.configuration_id = part.configuration_id
            and with_previous.before_campaign = part.campaign
            and with_previous.before_git_revision is not distinct from part.git_revision

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
            sum(value_before) as value_before,
            sum(value_after) as value_after
        from before_and_after
        group by origin, configuration_id, campaign, git_revision, first_start_utc, metric, split, part

    ),

    with_whole as (

        select
            *,
            value_after - value_before as difference,
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
    {{ percent("difference", "whole_before") }} as difference_percent_of_whole,
    whole_before,
    whole_after,
    whole_after - whole_before as whole_difference
from with_whole
