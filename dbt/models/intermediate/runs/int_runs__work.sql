{% set works = ["bytes", "files", "messages", "transactions"] %}

-- The work of each run, from its transfer log or from given measurements.
with run as (

    select * from {{ ref('int_runs__run') }}

),

transfer as (

    select
        transfer.origin,
        transfer.run_id,
        count(*) as transfers,
        count(*) filter (where not transfer.is_completed) as transfers_open,
        count(*) filter (where transfer.began_before) as transfers_begun_before,
        cast(sum(coalesce(transfer.files_moved, transfer.files)) as bigint) as files,
        cast(sum(transfer.files_failed) as bigint) as files_failed,
        cast(sum(transfer.bytes) as bigint) as bytes,
        min(transfer.first_data_utc) as first_data_utc,
        max(transfer.last_utc) as last_utc,
        cast(sum(transfer.bytes) filter (
            where
            transfer.first_data_utc >= run.steady_start_utc
            and transfer.last_utc <= run.steady_stop_utc
        ) as bigint) as steady_bytes,
        list(distinct transfer.source_id order by transfer.source_id) as source_ids
    from {{ ref('int_runs__transfer') }} as transfer
    inner join run using (origin, run_id)
    group by all

),

given as (

    select
        origin,
        run_id,
        {% for metric in works + ["transfer_time"] %}
        max(value) filter (where metric = '{{ metric }}' and address_space is null)
            as {{ metric }},
        {% endfor %}
        bool_and(is_printed) filter (
            where metric in ('{{ works | join("', '") }}') and address_space is null
        ) as is_printed,
        list_sort(list_distinct(flatten(list(source_ids)))) as source_ids
    from {{ ref('int_runs__measurement') }}
    group by all

)

select
    run.origin,
    run.run_id,
    case
        when transfer.transfers > 0 then 'mft'
        when given.is_printed then 'harness'
        when not given.is_printed then 'manifest'
    end as driver,
    coalesce(transfer.bytes, cast(given.bytes as bigint)) as bytes,
    coalesce(transfer.files, cast(given.files as bigint)) as files,
    given.messages,
    given.transactions,
    coalesce(
        epoch(transfer.last_utc - transfer.first_data_utc), given.transfer_time
    ) as transfer_seconds,
    epoch(transfer.first_data_utc - run.start_utc) as ramp_seconds,
    transfer.steady_bytes,
    epoch(run.steady_stop_utc - run.steady_start_utc) as steady_seconds,
    coalesce(transfer.transfers, 0) as transfers,
    coalesce(transfer.transfers_open, 0) as transfers_open,
    coalesce(transfer.transfers_begun_before, 0) as transfers_begun_before,
    coalesce(transfer.files_failed, 0) as files_failed,
    given.files as files_given,
    given.bytes as bytes_given,
    list_concat(coalesce(transfer.source_ids, []), coalesce(given.source_ids, [])) as source_ids
from run
left join transfer using (origin, run_id)
left join given using (origin, run_id)
