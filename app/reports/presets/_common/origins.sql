-- The origins of a campaign's runs: measured before simulated.
select origin
from marts.fct_run
where campaign = $campaign
group by origin
order by origin
