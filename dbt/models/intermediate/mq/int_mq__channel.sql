{{ config(materialized="view" if builds_all_days() else "ephemeral") }}

with
    record as (

        select * from {{ days(ref("int_mq__record")) }} where record_type = 116 and record_subtype = 10

    ),

    channel as (

        select
            {{ record_columns("record") }},
            -- A maximum of zero means that no time was measured; the minimum is then zero or
            -- X'8FFFFFFF'.
            block.* exclude (source_id, record_no) replace (
                {% for moment in [
                    "collected_at_utc",
                    "channel_started_at_utc",
                    "channel_stopped_at_utc",
                    "last_message_at_utc",
                    "nettime_max_at_utc",
                ] %}
                    {{ in_utc("block." ~ moment, "record") }} as {{ moment }},
                {% endfor %}
                {% for clock in ["nettime", "exit"] %}
                    {% for statistic in ["average", "min", "max"] %}
                        case
                            when block.{{ clock }}_max_us > 0 then block.{{ clock }}_{{ statistic }}_us
                        end as {{ clock }}_{{ statistic }}_us{{ "," if not (loop.last and clock == "exit") }}
                    {% endfor %}
                {% endfor %}
            )
        from record
        inner join {{ source("staging", "mq__channel") }} as block using (source_id, record_no)

    )

select
    channel.*,
    -- Figures restart at each collection. A channel may have existed for only part of the interval.
    case
        when record.interval_start_utc is not null
        then greatest(channel.channel_started_at_utc, record.interval_start_utc)
    end as interval_start_utc,
    case
        when record.interval_end_utc is not null
        then least(channel.channel_stopped_at_utc, record.interval_end_utc)
    end as interval_end_utc
from channel
inner join record using (source_id, record_no)
