-- The bill's own view: the hour of each month in which the averages of all LPARs add up to most.
select
    concat_ws(' ', nullif(machine_type, ''), nullif(machine_serial, '')) as machine, month,
    peak_four_hour_average_msu as peak, peak_hour_local, peak_contributors as contributors,
    hours_known, msu_hours
from marts.fct_machine_capacity_month
where
    origin = $origin and sysplex = $sysplex and not is_whole_machine
    and month >= date_trunc('month', $since::date - 1)
order by machine, month
