-- The chunk size with the highest rate for each combination of the other factors.
with figure as (
    select
        factor.connection, factor.mode, factor.md5, factor.transfer, factor.file_size_mb,
        factor.chunk_size, median(m.value) as rate, count(*) as runs
    from marts.fct_measurement as m
    join marts.dim_configuration as factor using (configuration_id)
    where
        m.campaign = $campaign and m.origin = $origin and m.metric = 'rate' and m.is_compared
        and factor.chunk_size is not null
    group by all
)

select
    connection, mode, if(md5 = 'Y', 'MD5', 'no MD5') as md5, transfer, file_size_mb,
    arg_max(chunk_size, rate) / 1024 as best_kb,
    max(rate) as rate,
    100 * (max(rate) / min(rate) - 1) as spread_percent,
    count(*) as chunk_sizes,
    min(runs) as runs
from figure
group by connection, mode, md5, transfer, file_size_mb
order by connection, mode, md5, transfer, file_size_mb
