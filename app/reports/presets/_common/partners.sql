-- The systems off z/OS that files came from or went to, and by which networks, as manifests say.
with run as (
    select factor.*
    from marts.fct_run
    join marts.dim_configuration as factor using (configuration_id)
    where fct_run.campaign = $campaign and fct_run.origin = $origin
)

select partner, list_sort(list(distinct network) filter (where network is not null)) as networks
from (
    select source as partner, network from run
    union all
    select target, network from run
)
where partner not in ('z/OS', 'USS', 'queue')
group by partner
order by partner
