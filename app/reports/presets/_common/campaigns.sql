-- All campaigns, the latest first.
select campaign
from marts.fct_run
where campaign is not null
group by campaign
order by max(stop_utc) desc, campaign
