-- Sysplexes with records of capacity: the one with the best recorded day first.
select coalesce(sysplex, 'none') as sysplex
from marts.fct_lpar_capacity_day
where origin = $origin
group by all
order by max(hours_covered) desc, sysplex
