{% set works = ["bytes", "files", "messages", "transactions"] %}

-- The work of each run, from its transfer log or from given measurements.
with
    run as (select * from {{ ref("int_runs__run") }}),

    transfer as (

        -- A sum is unknown if part of it is: bytes that no message gives, or that were moved before or
        -- after the run.
        select
            transfer.origin,
            transfer.run_id,
            count(*) as transfers,
            count(*) filter (where not transfer.is_completed and not transfer.ended_after) as transfers_open,
            count(*) filter (where transfer.is_failed and not transfer.ended_after) as transfers_failed,
            count(*) filter (where transfer.began_before) as transfers_begun_before,
            count(*) filter (where transfer.ended_after) as transfers_ended_after,
            count(*) filter (where transfer.ends_before_start) as transfers_backwards,
            count(*) filter (
                where transfer.is_completed and not transfer.ended_after and transfer.bytes is null
            ) as transfers_unknown,
            case
                when transfers_ended_after = 0
                then cast(sum(coalesce(transfer.files_moved, transfer.files)) as bigint)
            end as files,
            cast(sum(transfer.files_failed) as bigint) as files_failed,
            case
                when transfers_ended_after = 0 and transfers_unknown = 0
                then cast(sum(transfer.bytes) as bigint)
            end as bytes,
            min(transfer.first_data_utc) as first_data_utc,
            case
                when transfers_backwards = 0 and transfers_ended_after = 0 then max(transfer.last_utc)
            end as last_utc,
            cast(
                sum(transfer.bytes) filter (
                    where
                        transfer.first_data_utc >= run.steady_start_utc
                        and transfer.last_utc <= run.steady_stop_utc
                ) as bigint
            ) as steady_bytes,
            list(distinct transfer.source_id order by transfer.source_id) as source_ids
        from {{ ref("int_runs__transfer") }} as transfer
        inner join run using (origin, run_id)
        group by all

    ),

    -- Runs without any of their agents' transfers, and how far away in time the nearest ended.
    distant as (

        select
            run.origin,
            run.run_id,
            arg_min(
                case
                    when message.time_utc > run.stop_utc
                    then epoch(message.time_utc - run.stop_utc)
                    else epoch(message.time_utc - run.start_utc)
                end,
                (abs(epoch(message.time_utc - run.start_utc)), message.time_utc)
            ) as nearest_seconds
        from
            (
                select origin, run_id, start_utc, stop_utc, unnest(address_spaces) as agent
                from run
                anti join transfer using (origin, run_id)
            ) as run
        inner join
            (
                select origin, time_utc, unnest([source_agent, destination_agent]) as agent
                from {{ ref("int_runs__transfer_message") }}
                where action = 'completed'
            ) as message using (origin, agent)
        group by run.origin, run.run_id

    ),

    given as (

        select
            origin,
            run_id,
            {% for metric in works + ["transfer_time", "transactions_per_second"] %}
                max(if(is_unit_known, value, null)) filter (
                    where metric = '{{ metric }}' and address_space is null
                ) as {{ metric }},
            {% endfor %}
            string_agg(format('{} in {}', metric, unit), ', ' order by metric) filter (
                where
                    not is_unit_known
                    and metric in ('{{ (works + ["transfer_time"]) | join("', '") }}')
                    and address_space is null
            ) as units_unknown,
            -- Whoever gives the messages of a harness's transactions does not give these.
            coalesce(
                bool_and(is_printed) filter (
                    where
                        metric in ('{{ works | reject("eq", "messages") | join("', '") }}')
                        and address_space is null
                ),
                bool_and(is_printed) filter (
                    where metric in ('{{ works | join("', '") }}') and address_space is null
                )
            ) as is_printed,
            list_sort(list_distinct(flatten(list(source_ids)))) as source_ids
        from {{ ref("int_runs__measurement") }}
        group by all

    )

select
    run.origin,
    run.run_id,
    case
        when transfer.transfers > 0
        then 'mft'
        when given.is_printed
        then 'harness'
        when not given.is_printed
        then 'manifest'
    end as driver,
    if(transfer.transfers > 0, transfer.bytes, cast(given.bytes as bigint)) as bytes,
    if(transfer.transfers > 0, transfer.files, cast(given.files as bigint)) as files,
    given.messages,
    given.transactions,
    coalesce(epoch(transfer.last_utc - transfer.first_data_utc), given.transfer_time) as transfer_seconds,
    -- What a harness prints for its working time tells how long it was.
    coalesce(transfer_seconds, given.transactions / nullif(given.transactions_per_second, 0)) as work_seconds,
    epoch(transfer.first_data_utc - run.start_utc) as ramp_seconds,
    transfer.steady_bytes,
    epoch(run.steady_stop_utc - run.steady_start_utc) as steady_seconds,
    coalesce(transfer.transfers, 0) as transfers,
    coalesce(transfer.transfers_open, 0) as transfers_open,
    {% for what in ["failed", "begun_before", "ended_after", "backwards", "unknown"] %}
        coalesce(transfer.transfers_{{ what }}, 0) as transfers_{{ what }},
    {% endfor %}
    coalesce(transfer.files_failed, 0) as files_failed,
    case when given.is_printed is null then distant.nearest_seconds end as transfers_nearest_seconds,
    given.units_unknown,
    given.files as files_given,
    given.bytes as bytes_given,
    list_concat(coalesce(transfer.source_ids, []), coalesce(given.source_ids, [])) as source_ids
from run
left join transfer using (origin, run_id)
left join given using (origin, run_id)
left join distant using (origin, run_id)
