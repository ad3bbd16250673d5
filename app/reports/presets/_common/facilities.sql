-- The coupling facilities of the runs' systems in their time, as types 74-4 tell them.
select
    coupling_facility,
    list_aggregate(list_sort(list(distinct cf_machine_type || '-' || cf_machine_model)),
        'string_agg', ', ') as machine,
    max(cf_level) as cf_level,
    max(dedicated_processors) as dedicated_processors,
    max(shared_processors) as shared_processors,
    bool_or(dynamic_dispatching) as dynamic_dispatching,
    max(storage_mb) as storage_mb
from marts.fct_cf_interval
where
    origin = $origin
    and interval_start_utc between (
        select min(start_utc) - interval 1 hour from marts.fct_run
        where campaign = $campaign and origin = $origin
    ) and (
        select max(stop_utc) + interval 1 hour from marts.fct_run
        where campaign = $campaign and origin = $origin
    )
group by coupling_facility
order by coupling_facility
