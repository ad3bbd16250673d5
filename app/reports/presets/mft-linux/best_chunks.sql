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
    connection,
    concat_ws(', ', connection, mode, transfer, if(md5 = 'Y', 'MD5', 'no MD5')) as name,
    if(file_size_mb % 1024 = 0, file_size_mb // 1024 || ' GB', file_size_mb || ' MB') || ' files'
        as file,
    format(
        '{} KB: {:.1f} MB/s, {:.0f} %', arg_max(chunk_size, rate) // 1024, max(rate),
        100 * (max(rate) / min(rate) - 1)
    ) as best
from figure
group by connection, mode, md5, transfer, file_size_mb
having count(*) > 1 and min(rate) > 0
order by connection, mode, transfer, md5, file_size_mb
