-- Campaigns with zCX or the fasp.io gateway, but not of file transfers: the latest first.
select run.campaign
from marts.fct_run as run
join marts.dim_configuration as factor using (configuration_id)
where factor.file_size_mb is null and (factor.connection = 'zCX' or factor.protocol = 'FASP')
group by run.campaign
order by run.campaign <> 'zcx', max(run.stop_utc) desc, run.campaign
