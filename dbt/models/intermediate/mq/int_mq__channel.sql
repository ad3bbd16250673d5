with record as (

    select * from {{ ref('int_mq__record') }}
    where record_type = 116 and record_subtype = 10

),

channel as (

    select
        {{ record_columns("record") }},
        -- A longest time of zero says that none was measured; the shortest is then zero or
        -- X'8FFFFFFF'.
        block.* exclude (source_id, record_no) replace (
            {% for clock in ["nettime", "exit"] %}
            {% for statistic in ["average", "min", "max"] %}
            case
                when block.{{ clock }}_max_us > 0 then block.{{ clock }}_{{ statistic }}_us
            end as {{ clock }}_{{ statistic }}_us{{ "," if not (loop.last and clock == "exit") }}
            {% endfor %}
            {% endfor %}
        )
    from record
    inner join {{ ref('stg_mq__channel') }} as block using (source_id, record_no)

),

-- Figures start again at each collection, so they cover the time since the one before.
collection as (

    select
        origin,
        system_id,
        queue_manager,
        collected_at_utc,
        lag(collected_at_utc) over (
            partition by origin, system_id, queue_manager
            order by collected_at_utc
        ) as previous_collected_at_utc
    from (
        select distinct origin, system_id, queue_manager, collected_at_utc
        from channel
    )

),

-- Channel initiator statistics, where they are on, tell when the interval of a collection began.
statistics as (

    select
        origin,
        system_id,
        queue_manager,
        interval_start_utc,
        max(interval_end_utc) as interval_end_utc
    from {{ ref('int_mq__record') }}
    where record_type = 115 and record_subtype = 231 and interval_start_utc is not null
    group by origin, system_id, queue_manager, interval_start_utc

),

dated as (

    select
        collection.*,
        coalesce(
            case
                when
                    collection.collected_at_utc <= statistics.interval_end_utc + interval 1 second
                    then statistics.interval_start_utc
            end,
            collection.previous_collected_at_utc
        ) as collection_start_utc
    from collection
    asof left join statistics
        on
            collection.origin = statistics.origin
            and collection.system_id = statistics.system_id
            and collection.queue_manager = statistics.queue_manager
            and collection.collected_at_utc > statistics.interval_start_utc

)

select
    channel.*,
    -- Without any earlier moment only a channel's start can begin its interval, and whether
    -- a collection came between is not known: then there is no interval.
    case
        when dated.collection_start_utc is not null
            then greatest(channel.channel_started_at_utc, dated.collection_start_utc)
    end as interval_start_utc,
    case
        when dated.collection_start_utc is not null
            then least(
                coalesce(channel.channel_stopped_at_utc, channel.collected_at_utc),
                channel.collected_at_utc
            )
    end as interval_end_utc
from channel
inner join dated using (origin, system_id, queue_manager, collected_at_utc)
