-- The highest four-hour average of each LPAR and week. Weeks begin on Monday, in local time.
select
    date_trunc('week', local_date)::date as week, system_id,
    max(coalesce(highest_long_term_average_msu, highest_four_hour_average_msu))::double as value
from marts.fct_lpar_capacity_day
where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
group by all
having value is not null
order by week desc, system_id
