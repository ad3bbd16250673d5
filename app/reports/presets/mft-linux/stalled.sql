-- Transfers that the label `stalled` calls stalled, beside the others of the same kind.
select
    factor.connection,
    factor.transfer,
    factor.file_size_mb,
    factor.mode,
    factor.md5,
    concat_ws(
        ', ', if(factor.file_size_mb % 1024 = 0, factor.file_size_mb // 1024 || ' GB', factor.file_size_mb || ' MB'),
        factor.transfer, factor.mode,
        if(factor.md5 = 'Y', 'MD5', 'no MD5')
    ) as configuration,
    count(distinct run.run_id) as runs,
    count(distinct run.run_id) filter (where run.labels['stalled'] = 'Y') as stalled,
    median(m.value) filter (where run.labels['stalled'] = 'Y' and metric = 'transfer_time')
        as seconds_stalled,
    median(m.value) filter (where run.labels['stalled'] = 'N' and metric = 'transfer_time')
        as seconds_others,
    median(m.value) filter (where run.labels['stalled'] = 'Y' and metric = 'Agent1-CPU')
        as sender_stalled,
    median(m.value) filter (where run.labels['stalled'] = 'N' and metric = 'Agent1-CPU')
        as sender_others,
    median(m.value) filter (where run.labels['stalled'] = 'Y' and metric = 'Agent2-CPU')
        as receiver_stalled,
    median(m.value) filter (where run.labels['stalled'] = 'N' and metric = 'Agent2-CPU')
        as receiver_others
from marts.fct_run as run
join marts.dim_configuration as factor
    on run.configuration_id = factor.configuration_id
join marts.fct_measurement as m
    on run.origin = m.origin and run.run_id = m.run_id
where
    run.campaign = $campaign and run.origin = $origin and m.is_compared
    and run.labels['stalled'] is not null
group by all
having count(*) filter (where run.labels['stalled'] = 'Y') > 0
order by factor.connection, factor.transfer, factor.file_size_mb, factor.mode, factor.md5
