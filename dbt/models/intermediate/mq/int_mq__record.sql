-- A load's number, in the order of loading, stands for its source_id, which would take more memory than
-- the rest of a row.
with
    load as (select source_id, load_no from {{ ref("stg_lake__load") }}),

    record as (

        select * exclude (source_id, subsystem_id), subsystem_id as queue_manager
        from {{ ref("stg_lake__record") }}
        where record_type in (115, 116)

    ),

    header as (

        select load.load_no, header.record_no, header.header_mq_level
        from
            (
                select source_id, record_no, header_mq_level
                from {{ source("staging", "mq__statistics_header") }}
                union all
                select source_id, record_no, header_mq_level
                from {{ source("staging", "mq__accounting_header") }}
            ) as header
        inner join load using (source_id)

    ),

    extension as (

        select load.load_no, extension.record_no, extension.queue_sharing_group, extension.extended_mq_level
        from
            (
                select source_id, record_no, queue_sharing_group, extended_mq_level
                from {{ source("staging", "mq__statistics_product_extension") }}
                union all
                select source_id, record_no, queue_sharing_group, extended_mq_level
                from {{ source("staging", "mq__accounting_product_extension") }}
            ) as extension
        inner join load using (source_id)

    ),

    product as (

        select load.load_no, product.* exclude (source_id)
        from
            (
                select * exclude (instrumentation_id)
                from {{ source("staging", "mq__statistics_product") }}
                union all by name
                -- Only channel records (subtype 10) have an interval.
                select * exclude (instrumentation_id)
                from {{ source("staging", "mq__accounting_product") }}
            ) as product
        inner join load using (source_id)
        where product.section_no = 1

    ),

    joined as (

        select
            record.*,
            -- The SMF header's three digits end at 9.4.5. From 946 on, the extension holds the MQ
            -- level.
            case
                when try_cast(header.header_mq_level as integer) >= 946
                then coalesce(nullif(extension.extended_mq_level, ''), header.header_mq_level)
                else header.header_mq_level
            end as mq_level,
            nullif(extension.queue_sharing_group, '') as queue_sharing_group,
            product.recorded_at_utc,
            {{ is_mq_header_valid("record", "product") }} as is_product_valid,
            is_product_valid and product.interval_seconds between 0.000001 and 366 * 86400 as has_interval,
            product.interval_start_local,
            product.interval_seconds
        from record
        left join header using (load_no, record_no)
        left join extension using (load_no, record_no)
        left join product using (load_no, record_no)

    ),

    -- The start of an interval is in the local time of then: the clocks may change until its end.
    validated as (

        select
            * exclude (interval_start_local) replace (
                case when is_product_valid then recorded_at_utc end as recorded_at_utc,
                case when has_interval then interval_seconds end as interval_seconds
            ),
            is_product_valid
            and interval_start_local is not null
            and coalesce(interval_seconds = 0, false) as has_no_length,
            case
                when is_product_valid then {{ offset_minutes("smf_time_local", "recorded_at_utc") }}
            end as own_offset_minutes,
            case
                when has_interval
                then
                    interval_start_local - to_minutes(
                        {{
                            offset_minutes(
                                "interval_start_local", "recorded_at_utc - to_seconds(interval_seconds)"
                            )
                        }}
                    )
            end as interval_start_utc
        from joined

    ),

    -- Statistics records of one interval are written together. A record without an interval takes it
    -- from the nearest record of the same queue manager within two seconds: nearest in the file, as an
    -- hour comes twice when clocks go back, and in time, as files may be sorted. Beside a record whose
    -- interval has no length, it has none either.
    without_interval as (

        select * from validated where record_type = 115 and interval_start_utc is null and not has_no_length

    ),

    with_interval as (

        select *
        from validated
        where
            record_type = 115 and record_subtype <> 231 and (interval_start_utc is not null or has_no_length)

    ),

    candidate as (

        {% for column, direction in [
            ("smf_time_local", ">="),
            ("smf_time_local", "<="),
            ("record_no", ">="),
            ("record_no", "<="),
        ] %}
            select
                without_interval.load_no,
                without_interval.record_no,
                struct_pack(
                    interval_start_utc := with_interval.interval_start_utc,
                    interval_seconds := with_interval.interval_seconds,
                    offset_minutes := with_interval.own_offset_minutes
                ) as interval,
                abs(
                    epoch(without_interval.smf_time_local - with_interval.smf_time_local)
                ) as distance_seconds,
                abs(without_interval.record_no - with_interval.record_no) as distance_records
            from without_interval
            asof inner join
                with_interval
                on without_interval.load_no = with_interval.load_no
                and without_interval.system_id = with_interval.system_id
                and without_interval.queue_manager = with_interval.queue_manager
                and without_interval.{{ column }} {{ direction }} with_interval.{{ column }}
                {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    neighbour as (

        select load_no, record_no, arg_min(interval, (distance_records, distance_seconds)) as interval
        from candidate
        where distance_seconds <= 2
        group by load_no, record_no

    ),

    -- At an end of a dump, the others of its interval may be in another file. If an hour of local time comes
    -- twice, they do not tell which it is.
    in_other_load as (

        select
            without_interval.load_no,
            without_interval.record_no,
            any_value(
                struct_pack(
                    interval_start_utc := with_interval.interval_start_utc,
                    interval_seconds := with_interval.interval_seconds,
                    offset_minutes := with_interval.own_offset_minutes
                )
            ) as interval
        from
            (
                select *, date_trunc('second', smf_time_local) + to_seconds(unnest(range(-2, 3))) as second
                from without_interval
                anti join neighbour using (load_no, record_no)
            ) as without_interval
        inner join
            (select *, date_trunc('second', smf_time_local) as second from with_interval) as with_interval
            using (origin, system_id, queue_manager, second)
        where abs(epoch(without_interval.smf_time_local - with_interval.smf_time_local)) <= 2
        group by without_interval.load_no, without_interval.record_no
        having count(distinct with_interval.interval_start_utc) = 1

    ),

    ahead as ({{ clocks_ahead("validated", "recorded_at_utc", "smf_time_local") }}),

    timed as (

        select
            record.* exclude (interval_seconds, interval_start_utc, has_interval, has_no_length),
            ahead.leap_seconds,
            coalesce(record.own_offset_minutes, neighbour.interval.offset_minutes) as utc_offset_minutes,
            coalesce(record.interval_seconds, neighbour.interval.interval_seconds) as interval_seconds,
            coalesce(record.interval_start_utc, neighbour.interval.interval_start_utc) as interval_start_utc
        from validated as record
        left join
            (
                select *
                from neighbour
                union all
                select *
                from in_other_load
            ) as neighbour using (load_no, record_no)
        left join
            ahead
            on record.origin = ahead.origin
            and record.system_id = ahead.system_id
            and cast(coalesce(record.recorded_at_utc, record.smf_time_local) as date) = ahead.day_utc

    ),

    -- Statistics that do not fit in one record are in several. If records of one interval have the same thing
    -- in them, the longest counts, and equally long ones contradict each other: none counts.
    {% set subject = "origin, system_id, queue_manager, record_subtype" %}
    rival as (

        select
            {{ subject }},
            load_no,
            record_no,
            struct_pack(load_no := load_no, record_no := record_no) as record,
            interval_seconds,
            interval_start_utc,
            interval_start_utc + to_seconds(interval_seconds) as interval_end_utc
        from timed
        where record_type = 115 and interval_start_utc is not null
        window subtype as (partition by {{ subject }} order by interval_start_utc)
        qualify
            least(
                interval_start_utc - lag(interval_start_utc) over subtype,
                lead(interval_start_utc) over subtype - interval_start_utc
            )
            <= interval 2 second

    ),

    rival_item as (

        select rival.*, load.source_id, item.item
        from {{ ref("int_mq__statistics_item") }} as item
        inner join load using (source_id)
        inner join rival using (load_no, record_no)
        union all by name
        select rival.*, load.source_id, 'all' as item
        from rival
        inner join load using (load_no)
        where record_subtype in (1, 2, 7)

    ),

    shorter as (

        select
            less.source_id,
            less.record_no,
            arg_max(longer.record, (longer.interval_seconds, longer.source_id, longer.record_no)) as used
        from rival_item as less
        inner join rival_item as longer using ({{ subject }}, item)
        where
            longer.interval_seconds > less.interval_seconds + 2
            and abs(epoch(longer.interval_start_utc - less.interval_start_utc)) <= 2
        group by less.source_id, less.record_no

    ),

    contradicted as (

        select source_id, record_no, any_value(contradicting_record) as contradicting_record
        from ({{ contradictions("rival_item", subject ~ ", item") }})
        group by source_id, record_no

    )

select
    -- ids
    load.source_id,
    timed.record_no,
    {% for name, record in [
        ("used", "shorter.used"),
        ("contradicting", "contradicted.contradicting_record"),
    ] %}
        case
            when {{ record }} is not null
            then struct_pack(source_id := {{ name }}.source_id, record_no := {{ record }}.record_no)
        end as {{ name }}_record,
    {% endfor %}

    -- text
    timed.origin,
    timed.system_id,
    timed.queue_manager,
    timed.queue_sharing_group,
    timed.mq_level,

    -- numerics
    timed.record_type,
    timed.record_subtype,
    timed.record_bytes,
    timed.utc_offset_minutes,
    timed.interval_seconds,
    timed.leap_seconds,

    -- booleans
    timed.interval_start_utc is not null
    and shorter.used is null
    and contradicted.source_id is null as usable,

    -- dates
    timed.smf_time_local,
    timed.smf_time_local - to_minutes(timed.utc_offset_minutes) as smf_time_utc,
    {{ in_utc("timed.recorded_at_utc", "timed") }} as recorded_at_utc,
    timed.interval_start_utc,
    timed.interval_start_utc
    + to_microseconds(cast(round(1e6 * timed.interval_seconds) as bigint)) as interval_end_utc
from timed
inner join load using (load_no)
left join shorter on load.source_id = shorter.source_id and timed.record_no = shorter.record_no
left join load as used on shorter.used.load_no = used.load_no
left join contradicted on load.source_id = contradicted.source_id and timed.record_no = contradicted.record_no
left join load as contradicting on contradicted.contradicting_record.load_no = contradicting.load_no
