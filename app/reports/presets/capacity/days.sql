-- MSU of each LPAR and day, its last 35 recorded days.
select *
from marts.fct_lpar_capacity_day
where
    origin = $origin
qualify row_number() over (partition by system_id order by local_date desc) <= 35
order by local_date, system_id
