-- MSU of each LPAR and day, its last 400 recorded days.
select *
from marts.fct_lpar_capacity_day
where
    origin = $origin and coalesce(sysplex, 'none') = $sysplex
qualify row_number() over (partition by system_id order by local_date desc) <= 400
order by local_date, system_id
