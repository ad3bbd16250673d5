-- Rates of transfers from z/OS to other systems after one another: the first ones of each
-- configuration, in the order of their start, where there are three or more.
with moved as (
    select
        factor.*,
        transfer.rate_mb_per_second as value,
        row_number() over (
            partition by run.configuration_id
            order by transfer.first_data_utc, transfer.transfer_id
        ) as number,
        count(*) over (partition by run.configuration_id) as transfers
    from marts.fct_transfer as transfer
    join marts.fct_run as run using (origin, run_id)
    join marts.dim_configuration as factor using (configuration_id)
    where
        run.campaign = $campaign and origin = $origin and run.is_compared
        and transfer.is_completed and not transfer.is_failed
        and transfer.rate_mb_per_second > 0
)

select *, 'rate' as metric, 'MB/s' as unit, true as more_is_better, 1 as runs
from moved
where
    transfers > 2 and number <= 10
    and source in ('z/OS', 'USS') and target not in ('z/OS', 'USS', 'queue')
order by source desc, network, mode, file_size_mb, configuration, number
