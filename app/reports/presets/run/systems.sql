-- What each system used.
select system, cpu_seconds, general_purpose_seconds, ziip_seconds, eligible_seconds,
    ziip_share_percent, uncaptured_seconds
from marts.fct_run_system
where run_id = $run
order by cpu_seconds desc nulls last, system
