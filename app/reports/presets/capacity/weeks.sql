-- The highest four-hour average of each LPAR and week of its last 400 recorded days: WLM's, or worked
-- out from consumption where that is not recorded. Weeks begin on Monday, in local time.
with day as (
    select
        local_date, system_id,
        coalesce(highest_long_term_average_msu, highest_four_hour_average_msu)::double as value
    from marts.fct_lpar_capacity_day
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex
    qualify row_number() over (partition by system_id order by local_date desc) <= 400
)

select date_trunc('week', local_date)::date as week, system_id, max(value) as value
from day
where value is not null
group by week, system_id
order by week desc, system_id
