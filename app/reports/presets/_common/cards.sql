-- The cryptographic cards that the runs' systems used in their time, as types 70-2 tell them.
with period as (
    select
        min(start_utc) - interval 1 hour as first_utc,
        max(stop_utc) + interval 1 hour as last_utc
    from marts.fct_run
    where campaign = $campaign and origin = $origin
)

select
    card_kind as kind,
    card_type as type,
    count(distinct card_number) as cards,
    list_aggregate(list_sort(list(distinct system_id)), 'string_agg', ', ') as systems
from marts.fct_crypto_card_interval, period
where
    origin = $origin
    and interval_start_utc >= period.first_utc
    and interval_end_utc <= period.last_utc
group by card_kind, card_type
order by card_kind, card_type
