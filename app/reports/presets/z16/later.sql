-- Machines of the campaign to compare with the earlier one: first the one that shares the most
-- configurations with it.
with run as (
    select distinct run.machine, factor.factors_id, run.mq_level
    from marts.fct_run as run
    join marts.dim_configuration as factor using (configuration_id)
    where run.campaign = $campaign and run.origin = $origin and run.machine is not null
)

select later.machine
from run as earlier
join run as later on later.machine <> earlier.machine
where earlier.machine = $before
group by later.machine
order by
    count(*) filter (
        where earlier.factors_id = later.factors_id
        and earlier.mq_level is not distinct from later.mq_level
    ) desc, later.machine desc
