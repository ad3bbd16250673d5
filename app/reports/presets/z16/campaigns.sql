-- Campaigns with runs on two machines: the one with the most repetitions first.
select campaign
from marts.fct_run
where machine is not null
group by campaign
having count(distinct machine) > 1
order by
    count(*) / count(distinct configuration_id) desc, max(stop_utc) desc, campaign
