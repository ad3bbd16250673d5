-- Findings in the data of the runs or in records of their time, by kind.
select
    kind,
    severity,
    count(*) as findings,
    any_value(found) as example,
    any_value(done) as done
from marts.fct_data_issue
where
    origin = $origin
    and (
        run_id in (
            select run_id from marts.fct_run where campaign = $campaign and origin = $origin
        )
        or run_id is null and start_utc between (
            select min(start_utc) from marts.fct_run
            where campaign = $campaign and origin = $origin
        ) and (
            select max(stop_utc) from marts.fct_run
            where campaign = $campaign and origin = $origin
        )
    )
group by kind, severity
order by list_position(['error', 'warning', 'note'], severity), findings desc, kind
