-- The highest four-hour average of each LPAR and local day, the last 120 that are recorded.
select local_date::timestamp as moment, system_id as series, highest_four_hour_average_msu as value
from marts.fct_lpar_capacity_day
where
    origin = $origin and coalesce(sysplex, 'none') = $sysplex
    and highest_four_hour_average_msu is not null
qualify row_number() over (partition by system_id order by local_date desc) <= 120
order by series, moment
