-- Every transfer's figures by chunk size, text beside binary: what the document's tables have.
with figure as (
    select configuration_id, metric, median(value) as value, count(*) as runs
    from marts.fct_measurement
    where
        campaign = $campaign and origin = $origin and is_compared
        and metric in (
            'rate', 'transfer_time', 'Agent1-CPU', 'Agent2-CPU', 'AgentQ-CPU', 'Coord-CPU'
        )
    group by configuration_id, metric
),

printed as (
    select configuration_id, arg_max(published_value, factors_agreeing) as published
    from marts.fct_run_against_published
    where
        campaign = $campaign and origin = $origin and metric = 'rate' and address_space is null
    group by configuration_id
)

select
    factor.connection,
    factor.chunk_size // 1024 as chunk_kb,
    factor.file_size_mb,
    factor.transfer,
    factor.md5,
    concat_ws(
        ', ', factor.file_size_mb || ' MB', factor.transfer, if(factor.md5 = 'Y', 'MD5', null)
    ) as configuration,
    min(figure.runs) as runs,
    max(figure.value) filter (where factor.mode = 'text' and metric = 'Agent1-CPU') as text_agent_1,
    max(figure.value) filter (where factor.mode = 'text' and metric = 'Agent2-CPU') as text_agent_2,
    max(figure.value) filter (where factor.mode = 'text' and metric = 'AgentQ-CPU') as text_queues,
    max(figure.value) filter (where factor.mode = 'text' and metric = 'Coord-CPU') as text_coordinator,
    max(figure.value) filter (where factor.mode = 'text' and metric = 'transfer_time') as text_seconds,
    max(figure.value) filter (where factor.mode = 'text' and metric = 'rate') as text_rate,
    max(published) filter (where factor.mode = 'text') as text_published,
    max(figure.value) filter (where factor.mode = 'binary' and metric = 'Agent1-CPU') as binary_agent_1,
    max(figure.value) filter (where factor.mode = 'binary' and metric = 'Agent2-CPU') as binary_agent_2,
    max(figure.value) filter (where factor.mode = 'binary' and metric = 'AgentQ-CPU') as binary_queues,
    max(figure.value) filter (where factor.mode = 'binary' and metric = 'Coord-CPU') as binary_coordinator,
    max(figure.value) filter (where factor.mode = 'binary' and metric = 'transfer_time') as binary_seconds,
    max(figure.value) filter (where factor.mode = 'binary' and metric = 'rate') as binary_rate,
    max(published) filter (where factor.mode = 'binary') as binary_published
from figure
join marts.dim_configuration as factor using (configuration_id)
left join printed using (configuration_id)
where factor.chunk_size is not null
group by all
order by connection, chunk_kb, md5, transfer desc, factor.file_size_mb
