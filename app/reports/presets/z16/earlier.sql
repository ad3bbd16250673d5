-- Machines of the campaign that a later one can be compared with: first that of the pair that shares
-- the most configurations.
with run as (
    select distinct run.machine, factor.factors_id, run.mq_level
    from marts.fct_run as run
    join marts.dim_configuration as factor using (configuration_id)
    where run.campaign = $campaign and run.origin = $origin and run.machine is not null
)

select earlier.machine
from run as earlier
join run as later on earlier.machine < later.machine
group by earlier.machine, later.machine
order by
    count(*) filter (
        where earlier.factors_id = later.factors_id
        and earlier.mq_level is not distinct from later.mq_level
    ) desc, earlier.machine desc
