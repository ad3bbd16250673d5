-- One row: the campaign as a whole.
select
    count(*) as runs,
    count(*) filter (where is_compared) as complete_runs,
    count(distinct configuration_id) as configurations,
    min(start_utc) as first_utc,
    max(stop_utc) as last_utc,
    list_sort(list(distinct machine) filter (where machine is not null)) as machines,
    list_sort(list(distinct mq_level) filter (where mq_level is not null)) as mq_levels,
    list(distinct git_revision) filter (where git_revision is not null) as builds,
    arg_max(git_revision, start_utc) as last_build,
    list_sort(list(distinct driver) filter (where driver is not null)) as drivers,
    count(distinct date_trunc('day', start_utc)) as days,
    list_sort(list(distinct labels['authors']) filter (where labels['authors'] is not null))
        as authors,
    bool_or(list_contains(issue_kinds, 'machine_label_differs')) as machine_differs
from marts.fct_run
where campaign = $campaign and origin = $origin
