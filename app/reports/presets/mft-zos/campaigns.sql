-- Campaigns with transfers from or to z/OS: those with the most configurations first.
select run.campaign
from marts.fct_run as run
join marts.dim_configuration as factor using (configuration_id)
where
    factor.file_size_mb is not null
    and (factor.source in ('z/OS', 'USS') or factor.target in ('z/OS', 'USS'))
group by run.campaign
order by
    count(distinct run.configuration_id) < 20, max(run.stop_utc) desc, run.campaign
