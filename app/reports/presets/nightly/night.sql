-- One row: the last night, the one before it, and how many there are to compare with.
with started as (
    select run_id, is_compared, configuration_id, git_revision, start_utc,
        coalesce(start_utc - lag(start_utc) over (order by start_utc) > interval 6 hour, true)
            as is_first
    from marts.fct_run
    where campaign = $campaign and origin = $origin and start_utc is not null
),

-- A night goes on over midnight; it has the date on which it began.
session as (
    select *, count(*) filter (where is_first) over (order by start_utc, run_id) as session_no
    from started
),

run as (
    select *, date_trunc('day', min(start_utc) over (partition by session_no))::date
        + (epoch(start_utc - min(start_utc) over (partition by session_no)) // 86400)::integer
            as night
    from session
),

night as (
    select
        night,
        count(*) as runs,
        count(*) filter (where not is_compared) as incomplete,
        count(distinct configuration_id) as configurations,
        list(distinct git_revision) filter (where git_revision is not null) as builds
    from run
    group by night
)

select
    now.*,
    least((select count(*) from night) - 1, $nights::integer) as nights_before,
    before.night as night_before,
    before.builds as builds_before,
    before.configurations as configurations_before
from (select * from night order by night desc limit 1) as now
left join (select * from night order by night desc limit 1 offset 1) as before on true
