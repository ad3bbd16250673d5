-- The highest four-hour average of each LPAR and local day, the last 120 that are recorded: WLM's,
-- or worked out from consumption where that is not recorded.
select local_date::timestamp as moment, system_id as series,
    coalesce(highest_long_term_average_msu, highest_four_hour_average_msu)::double as value
from marts.fct_lpar_capacity_day
where
    origin = $origin and coalesce(sysplex, 'none') = $sysplex
    and coalesce(highest_long_term_average_msu, highest_four_hour_average_msu) is not null
qualify row_number() over (partition by system_id order by local_date desc) <= 120
order by series, moment
