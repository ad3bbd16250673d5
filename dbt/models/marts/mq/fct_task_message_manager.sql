{% set bands = ["to_99_bytes", "to_999_bytes", "to_9999_bytes", "over_9999_bytes"] %}

with
    record as (

        select * from {{ days(ref("int_mq__record")) }} where record_type = 116 and record_subtype = 0

    ),

    correlation as (select * from {{ source("staging", "mq__correlation") }} where section_no = 1),

    processor as (

        select * exclude (section_no), epoch(ended_at_utc - started_at_utc) as elapsed_seconds
        from {{ source("staging", "mq__task_cpu") }}
        where section_no = 1

    ),

    work as (

        select
            *,
            {% for band in bands %} puts_{{ band }}{{ " + " if not loop.last }}{% endfor %} as puts,
            {% for band in bands %} gets_{{ band }}{{ " + " if not loop.last }}{% endfor %} as gets
        from {{ source("staging", "mq__task_message_manager") }}

    ),

    -- A channel initiator task's start and end clocks can come from different tasks.
    measured as (

        select
            work.* exclude (cpu_seconds),
            processor.* exclude (source_id, record_no, task_cpu_seconds),
            case when {{ possible_cpu("work.cpu_seconds") }} then work.cpu_seconds end as cpu_seconds,
            case
                when {{ possible_cpu("processor.task_cpu_seconds") }} then processor.task_cpu_seconds
            end as task_cpu_seconds,
            {{ impossible_cpu("processor.task_cpu_seconds", "work.cpu_seconds") }} as impossible
        from work
        left join processor using (source_id, record_no)

    )

select
    {{ record_columns("record") }},
    measured.section_no,

    -- identity
    correlation.authorization_id,
    {{ label_of("correlation.application_type_code", "smf116_qwhc", "qwhcatyp") }} as application_type,
    correlation.connection_name,
    correlation.operator_id,
    correlation.correlation_hex,

    -- time
    record.recorded_at_utc,
    {{ in_utc("measured.started_at_utc", "record") }} as started_at_utc,
    {{ in_utc("measured.ended_at_utc", "record") }} as ended_at_utc,
    measured.elapsed_seconds,

    -- messages
    {% for band in bands %} measured.puts_{{ band }}, {% endfor %}
    {% for band in bands %} measured.gets_{{ band }}, {% endfor %}
    measured.puts,
    measured.gets,
    measured.puts + measured.gets as messages,
    measured.commits,
    measured.backouts,

    -- cost
    measured.cpu_seconds,
    measured.task_cpu_seconds,
    {{ average_us("measured.cpu_seconds", "(measured.puts + measured.gets)") }} as cpu_us_per_message,
    case
        when measured.impossible <> ''
        then concat_ws(' in ', measured.impossible, format('{:.6g} s', measured.elapsed_seconds))
    end as cpu_issue
from record
inner join measured using (source_id, record_no)
left join correlation using (source_id, record_no)
