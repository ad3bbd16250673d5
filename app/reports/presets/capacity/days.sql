-- MSU of each LPAR and local day, with the highest four-hour average for the chart: WLM's, or worked
-- out from consumption where that is not recorded.
select
    *, local_date::timestamp as moment, system_id as series,
    coalesce(highest_long_term_average_msu, highest_four_hour_average_msu)::double as value
from marts.fct_lpar_capacity_day
where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
order by local_date, system_id
