-- From which local date on: the last 400 days, a month, a week, a day. All tables have the same hours.
select (max(local_date) - unnest([399, 30, 6, 0]))::varchar as since
from marts.fct_system_hour
where origin = $origin and coalesce(sysplex, 'none') = $sysplex
