-- The runs of a campaign, the latest first.
select run_id
from marts.fct_run
where campaign = $campaign
order by start_utc desc, run_id
limit 2000
