-- Origins with records of capacity: measured before simulated.
select origin
from marts.fct_system_hour
group by origin
order by origin
