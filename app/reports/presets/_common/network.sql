-- What the manifests say of the network between the partners, the nearest first.
select
    concat_ws(
        ', ',
        network,
        format('{:,} km', latency_km),
        format('{:g} ms one way', latency_ms_oneway),
        if(loss_pct > 0, format('{:g} % loss', loss_pct), null)
    ) as network,
    coalesce(latency_km, latency_ms_oneway) is not null as is_far
from marts.dim_configuration as factor
where
    configuration_id in (
        select configuration_id from marts.fct_run
        where campaign = $campaign and origin = $origin
    )
    and coalesce(network, latency_km::varchar, latency_ms_oneway::varchar) is not null
group by factor.network, latency_km, latency_ms_oneway, loss_pct
order by factor.network, latency_km nulls first, latency_ms_oneway nulls first, loss_pct
