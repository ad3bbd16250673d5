-- The disks of the runs' systems in their time, as types 74-1 tell them.
with period as (
    select
        min(start_utc) - interval 1 hour as first_utc,
        max(stop_utc) + interval 1 hour as last_utc
    from marts.fct_run
    where campaign = $campaign and origin = $origin
)

select
    nullif(control_unit_model, '') as control_unit,
    nullif(device_model, '') as device,
    count(distinct volume) as volumes,
    max(exposures) as exposures,
    sum(average_response_us * requests)
    / nullif(sum(requests) filter (where average_response_us is not null), 0) as response_us
from marts.fct_volume_interval, period
where
    origin = $origin
    and interval_start_utc >= period.first_utc
    and interval_end_utc <= period.last_utc
group by all
order by volumes desc, control_unit, device
