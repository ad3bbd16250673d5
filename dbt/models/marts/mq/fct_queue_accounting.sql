{% set verbs = ["open", "close", "get", "put", "put1", "inq", "set", "cb"] %}

with
    record as (

        select * from {{ days(ref("int_mq__record")) }} where record_type = 116 and record_subtype in (1, 2)

    ),

    queue as (select *, valid_puts + valid_gets as messages from {{ days(ref("int_mq__task_queue")) }}),

    identification as (select * from {{ source("staging", "mq__task_identification") }} where section_no = 1)

select
    {{ record_columns("record") }},
    queue.section_no,
    queue.task_source_id,
    queue.task_record_no,

    -- identity
    queue.thread_id,
    {{ label_of("identification.application_type_code", "smf116_wtid", "wtidatyp") }} as application_type,
    identification.connection_name,
    identification.channel_name,

    -- queue
    queue.queue_name,
    queue.base_queue_name,
    {{ label_of("queue.queue_type_code", "smf116_wq", "qtype") }} as queue_type,
    {{ label_of("queue.disposition_code", "smf116_wq", "qsgdisp") }} as disposition,
    {{ label_of("queue.index_type_code", "smf116_wq", "indxtype") }} as index_type,
    queue.is_topic,
    queue.page_set,
    queue.buffer_pool,
    nullif(queue.cf_structure_name, '') as cf_structure_name,

    -- time
    record.recorded_at_utc,
    queue.opened_at_utc,
    queue.closed_at_utc,
    queue.time_issue,

    -- messages
    queue.messages,
    queue.valid_puts as messages_put,
    queue.valid_gets as messages_got,
    queue.put_bytes,
    queue.get_bytes,
    {{ ratio("queue.put_bytes", "queue.valid_puts") }} as average_put_bytes,
    {{ ratio("queue.get_bytes", "queue.valid_gets") }} as average_get_bytes,
    {{ percent("queue.persistent_puts", "queue.valid_puts") }} as persistent_put_percent,
    {{ percent("queue.puts_to_waiting_getter", "queue.valid_puts") }} as put_to_waiting_getter_percent,
    queue.destructive_gets,
    queue.browse_gets,
    {{ percent("queue.failed_gets", "queue.get_count") }} as failed_get_percent,
    {{ average_us("queue.time_on_queue_seconds", "queue.valid_gets") }} as average_time_on_queue_us,
    1e6 * queue.max_time_on_queue_seconds as max_time_on_queue_us,
    queue.max_depth,
    queue.pages_skipped,
    queue.messages_skipped,
    queue.expired,

    -- cost
    queue.mqi_calls,
    queue.cpu_seconds,
    queue.elapsed_seconds,
    {{ average_us("queue.cpu_seconds", "queue.messages") }} as cpu_us_per_message,
    {{ average_us("queue.elapsed_seconds", "queue.messages") }} as elapsed_us_per_message,
    {% for verb in verbs %}
        queue.{{ verb }}_count,
        queue.{{ verb }}_cpu_seconds,
        queue.{{ verb }}_elapsed_seconds,
        {{ average_us("queue." ~ verb ~ "_cpu_seconds", "queue." ~ verb ~ "_count") }} as {{ verb }}_cpu_us,
        {{ average_us("queue." ~ verb ~ "_elapsed_seconds", "queue." ~ verb ~ "_count") }}
        as {{ verb }}_elapsed_us,
    {% endfor %}
    queue.topic_srb_seconds,

    -- waits by cause
    queue.wait_log_seconds,
    queue.wait_page_set_seconds,
    queue.wait_cf_seconds,
    queue.suspend_seconds,
    queue.cf_requests
from record
inner join queue using (source_id, record_no)
left join identification using (source_id, record_no)
