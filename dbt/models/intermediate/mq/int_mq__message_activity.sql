{% set verbs = [
    "opens",
    "closes",
    "gets",
    "puts",
    "put1s",
    "inqs",
    "sets",
    "subs",
    "subrqs",
    "cbs",
    "ctls",
    "stats",
] %}

with
    record as (

        select source_id, record_no, interval_seconds
        from {{ days(ref("int_mq__record")) }}
        where record_type = 115

    ),

    message_manager as (select * from {{ source("staging", "mq__message_manager") }} where section_no = 1),

    data_manager as (select * from {{ source("staging", "mq__data_manager") }} where section_no = 1),

    totalled as (

        select
            *,
            {{ total(verbs) }} as mqi_calls,
            persistent_puts + nonpersistent_puts as counted_puts,
            persistent_put_bytes + nonpersistent_put_bytes as put_bytes
        from message_manager

    )

select
    record.source_id,
    record.record_no,

    -- MQI calls
    {% for verb in verbs %}
        totalled.{{ verb }},
        {{ per_second("totalled." ~ verb, "record.interval_seconds") }} as {{ verb }}_per_second,
    {% endfor %}
    totalled.mqi_calls,
    {{ per_second("totalled.mqi_calls", "record.interval_seconds") }} as mqi_calls_per_second,
    {{ per_second("(totalled.puts + totalled.put1s)", "record.interval_seconds") }}
    as put_requests_per_second,
    totalled.publishes,
    {{ per_second("totalled.publishes", "record.interval_seconds") }} as publishes_per_second,

    -- messages by persistence (MQ 9.4.3 and later)
    totalled.persistent_puts,
    totalled.nonpersistent_puts,
    totalled.persistent_put_bytes,
    totalled.nonpersistent_put_bytes,
    {{ percent("totalled.persistent_puts", "totalled.counted_puts") }} as persistent_put_percent,
    {{ per_second("totalled.put_bytes", "record.interval_seconds") }} as put_bytes_per_second,
    {{ ratio("totalled.put_bytes", "totalled.counted_puts") }} as average_put_bytes,

    -- messages as the data manager sees them
    data_manager.data_manager_gets,
    data_manager.data_manager_puts,
    data_manager.data_manager_browses,
    data_manager.gets_from_disk,
    data_manager.gets_from_buffer_pool,
    {{
        percent(
            "data_manager.gets_from_disk",
            "(data_manager.gets_from_disk + data_manager.gets_from_buffer_pool)",
        )
    }} as gets_from_disk_percent
from record
inner join totalled using (source_id, record_no)
left join data_manager using (source_id, record_no)
