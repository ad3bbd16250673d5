with queue as (select * from {{ days(ref("int_mq__task_queue"), around=1) }} where task_source_id is not null)

select
    task_source_id as source_id,
    task_record_no as record_no,
    count(*) as queues,
    string_agg(time_issue, ', ') as time_issue,
    list_sort(list(distinct struct_pack(source_id := source_id, record_no := record_no))) as queue_records,
    {% for verb in ["open", "close", "get", "put", "put1", "inq", "set", "cb"] %}
        cast(sum({{ verb }}_count) as bigint) as {{ verb }}_count,
        {{ known_sum(verb ~ "_cpu_seconds") }} as {{ verb }}_cpu_seconds,
        {{ known_sum(verb ~ "_elapsed_seconds") }} as {{ verb }}_elapsed_seconds,
    {% endfor %}
    {{ known_sum("topic_srb_seconds") }} as topic_srb_seconds,
    cast(sum(valid_puts) as bigint) as messages_put,
    cast(sum(valid_gets) as bigint) as messages_got,
    cast(sum(put_bytes) as bigint) as put_bytes,
    cast(sum(get_bytes) as bigint) as get_bytes,
    cast(sum(mqi_calls) as bigint) as mqi_calls,
    {{ known_sum("cpu_seconds") }} as cpu_seconds,
    {{ known_sum("elapsed_seconds") }} as elapsed_seconds,
    {{ known_sum("wait_page_set_seconds") }} as wait_page_set_seconds
from queue
group by task_source_id, task_record_no
