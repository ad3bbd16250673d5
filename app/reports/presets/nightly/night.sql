-- One row: the last night, and the one before it.
with night as (
    select
        date_trunc('day', start_utc)::date as night,
        count(*) as runs,
        count(*) filter (where not is_compared) as incomplete,
        count(distinct configuration_id) as configurations,
        list(distinct git_revision) filter (where git_revision is not null) as builds
    from marts.fct_run
    where campaign = $campaign and origin = $origin and start_utc is not null
    group by night
)

select
    now.*,
    before.night as night_before,
    before.builds as builds_before,
    before.configurations as configurations_before
from (select * from night order by night desc limit 1) as now
left join (select * from night order by night desc limit 1 offset 1) as before on true
