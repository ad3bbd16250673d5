-- Origins with records of capacity: measured before simulated.
select origin
from marts.fct_lpar_capacity_day
group by origin
order by origin
