with
    joined as (

        select
            record.source_id,
            record.record_no,
            record.record_subtype,
            record.system_id,
            record.origin,
            record.smf_time_local,
            processor.* exclude (source_id, record_no),
            counted.interval_start_utc as told_start_utc,
            counted.interval_end_utc as told_end_utc
        from {{ ref("stg_lake__record") }} as record
        inner join {{ ref("stg_zos_devices__counter_processor") }} as processor using (source_id, record_no)
        left join {{ ref("stg_zos_devices__counter_interval") }} as counted using (source_id, record_no)
        anti join {{ ref("int_lake__contradiction") }} as contradiction using (source_id, record_no)
        where record.record_type = 113

    ),

    ahead as ({{ clocks_ahead("joined", "written_at_utc", "smf_time_local") }}),

    synchronized as (

        select
            ahead.leap_seconds,
            joined.* exclude (smf_time_local) replace (
                {% for moment in [
                    "collection_start_utc",
                    "written_at_utc",
                    "told_start_utc",
                    "told_end_utc",
                ] %}
                    {{ in_utc("joined." ~ moment, "ahead") }} as {{ moment }}{{ "," if not loop.last }}
                {% endfor %}
            )
        from joined
        left join
            ahead
            on joined.origin = ahead.origin
            and joined.system_id = ahead.system_id
            and cast(joined.written_at_utc as date) = ahead.day_utc

    ),

    chained as (

        select
            *,
            {% for column in ["source_id", "record_no", "written_at_utc"] %}
                case
                    when {{ follows("written_at_utc", "chain") }} then lag({{ column }}) over chain
                end as last_{{ column }}{{ "," if not loop.last }}
            {% endfor %}
        from synchronized
        window
            chain as (
                partition by origin, system_id, record_subtype, cpu_id, collection_start_utc
                order by written_at_utc
            )

    ),

    -- Processors write their records one after another. A record without an interval gets one in whole
    -- minutes, so that all processors share it.
    timed as (

        select
            *,
            coalesce(
                told_start_utc, date_trunc('minute', coalesce(last_written_at_utc, collection_start_utc))
            ) as interval_start_utc,
            coalesce(told_end_utc, date_trunc('minute', written_at_utc)) as interval_end_utc
        from chained

    )

select
    -- ids
    source_id,
    record_no,
    case when record_subtype = 2 then last_source_id end as last_source_id,
    case when record_subtype = 2 then last_record_no end as last_record_no,

    -- text
    origin,
    system_id,
    processor_type,
    machine_type,
    machine_model,
    machine_serial,

    -- numerics
    record_subtype,
    cpu_id,
    core_id,
    cycles_per_us,
    epoch(interval_end_utc - interval_start_utc) as interval_seconds,
    leap_seconds,

    -- booleans
    lost_data,

    -- dates
    interval_start_utc,
    interval_end_utc
from timed
-- Skip cumulative values that have no previous record, and those for which increases were recorded
-- too.
where
    interval_end_utc > interval_start_utc
    and (record_subtype = 1 or last_record_no is not null)
    and (
        record_subtype = 1
        or not exists (
            select 1
            from timed as increase
            where
                increase.record_subtype = 1
                and increase.origin = timed.origin
                and increase.system_id = timed.system_id
                and increase.cpu_id = timed.cpu_id
                and increase.interval_start_utc < timed.interval_end_utc
                and increase.interval_end_utc > timed.interval_start_utc
        )
    )
