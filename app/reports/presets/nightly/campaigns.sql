-- Campaigns, those that went on for the most days first.
select campaign
from marts.fct_run
group by campaign
order by count(distinct date_trunc('day', start_utc)) desc, max(stop_utc) desc, campaign
