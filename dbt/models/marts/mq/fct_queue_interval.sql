with
    record as (select * from {{ days(ref("int_mq__record")) }} where record_type = 115 and usable),

    queue as (

        select
            *,
            persistent_puts + persistent_put1s as persistent_messages_put,
            persistent_puts + nonpersistent_puts + persistent_put1s + nonpersistent_put1s as messages_put,
            persistent_gets + nonpersistent_gets as messages_got,
            put_bytes + put1_bytes as all_put_bytes
        from {{ source("staging", "mq__queue") }}

    )

select
    {{ record_columns("record") }},
    {{ interval_columns("record") }},
    queue.queue_name,
    queue.queue_sharing_group,
    queue.cf_structure_name,
    queue.is_shared,
    queue.is_partial,
    nullif(queue.page_set, -1) as page_set,
    nullif(queue.buffer_pool, -1) as buffer_pool,

    -- depth and time
    case when not queue.is_partial then queue.depth end as depth,
    queue.max_depth,
    queue.min_depth,
    queue.oldest_message_age_seconds,
    queue.recent_time_on_queue_us,
    queue.long_term_time_on_queue_us,
    queue.open_input_count,
    queue.open_output_count,

    -- puts
    queue.puts,
    queue.put1s,
    queue.messages_put,
    {{ per_second("queue.messages_put", "record.interval_seconds") }} as messages_put_per_second,
    {{ percent("queue.persistent_messages_put", "queue.messages_put") }} as persistent_put_percent,
    queue.all_put_bytes as put_bytes,
    {{ per_second("queue.all_put_bytes", "record.interval_seconds") }} as put_bytes_per_second,
    {{ ratio("queue.all_put_bytes", "queue.messages_put") }} as average_put_bytes,
    {{ percent("queue.messages_to_waiting_getter", "queue.messages_put") }} as put_to_waiting_getter_percent,

    -- gets
    queue.gets,
    queue.messages_got,
    {{ per_second("queue.messages_got", "record.interval_seconds") }} as messages_got_per_second,
    queue.get_bytes,
    queue.empty_gets,
    queue.browses,
    queue.expired,
    queue.rolled_back_puts,
    queue.rolled_back_gets
from record
inner join queue using (source_id, record_no)
