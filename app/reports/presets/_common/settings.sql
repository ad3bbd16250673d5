-- The levels of each factor of the runs' configurations, and the other labels of their manifests.
with configuration as (
    select factor.*
    from marts.dim_configuration as factor
    where configuration_id in (
        select configuration_id from marts.fct_run
        where campaign = $campaign and origin = $origin
    )
),

turned as (
    unpivot (
        select
            source, target, target_storage, network, queue, zhpf, tls, ams, compmsg, p2wg, mode,
            md5, connection, transfer, protocol, rni, cipher, jit_level,
            batchint::varchar as batchint, file_size_mb::varchar as file_size_mb,
            chunk_size::varchar as chunk_size, latency_km::varchar as latency_km,
            format('{:g}', latency_ms_oneway) as latency_ms_oneway,
            format('{:g}', loss_pct) as loss_pct,
            channels::varchar as channels, cpus::varchar as cpus,
            message_size_bytes::varchar as message_size_bytes
        from configuration
    )
    on columns(*)
    into name factor value level
),

own as (
    select unnest(map_keys(x_factors)) as factor, unnest(map_values(x_factors)) as level
    from configuration
),

label as (
    select unnest(map_keys(labels)) as factor, unnest(map_values(labels)) as level
    from (
        select distinct labels from marts.fct_run
        where campaign = $campaign and origin = $origin
    )
)

select
    factor,
    -- numbers by their size
    list_transform(
        list_sort(list(distinct {'number': try_cast(level as double), 'level': level})),
        lambda x: x."level"
    )[:12] as levels,
    count(distinct level) > 12 as more
from (
    select factor, level from turned
    union all
    select regexp_replace(factor, '^x_', ''), level from own
    union all
    select factor, level from label where factor not in ('git_revision', 'machine', 'mq_level')
)
group by factor
order by factor
