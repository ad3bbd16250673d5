{% set bands = ["to_99_bytes", "to_999_bytes", "to_9999_bytes", "over_9999_bytes"] %}

with record as (

    select * from {{ days(ref('int_mq__record')) }}
    where record_type = 116 and record_subtype = 0

),

correlation as (

    select * from {{ ref('stg_mq__correlation') }}
    where section_no = 1

),

processor as (

    select * from {{ ref('stg_mq__task_cpu') }}
    where section_no = 1

),

work as (

    select
        *,
        {% for band in bands %}puts_{{ band }}{{ " + " if not loop.last }}{% endfor %} as puts,
        {% for band in bands %}gets_{{ band }}{{ " + " if not loop.last }}{% endfor %} as gets
    from {{ ref('stg_mq__task_message_manager') }}

)

select
    {{ record_columns("record") }},
    work.section_no,

    -- identity
    correlation.authorization_id,
    {{ label_of("correlation.application_type_code", "smf116_qwhc", "qwhcatyp") }}
        as application_type,
    correlation.connection_name,
    correlation.operator_id,
    correlation.correlation_hex,

    -- time
    record.recorded_at_utc,
    processor.started_at_utc,
    processor.ended_at_utc,

    -- messages
    {% for band in bands %}
    work.puts_{{ band }},
    {% endfor %}
    {% for band in bands %}
    work.gets_{{ band }},
    {% endfor %}
    work.puts,
    work.gets,
    work.puts + work.gets as messages,
    processor.commits,
    processor.backouts,

    -- cost
    work.cpu_seconds,
    processor.task_cpu_seconds,
    {{ average_us("work.cpu_seconds", "(work.puts + work.gets)") }} as cpu_us_per_message
from record
inner join work using (source_id, record_no)
left join correlation using (source_id, record_no)
left join processor using (source_id, record_no)
