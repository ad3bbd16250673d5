{{ config(materialized="table") }}

{% set causes = ["log", "page_set", "db2", "cf", "latch", "smds", "other"] %}

with
    task as (select * from {{ ref("fct_task_accounting") }}),

    totalled as (

        select
            origin,
            system_id,
            queue_manager,
            application_type,
            connection_name,
            channel_name,
            min(struct_pack(source_id := source_id, record_no := record_no)) as first_record,
            list(
                struct_pack(source_id := source_id, record_no := record_no) order by source_id, record_no
            ) as source_records,
            max(mq_level) as mq_level,
            min(interval_start_utc) as first_interval_start_utc,
            max(interval_end_utc) as last_interval_end_utc,
            count(distinct thread_id) as tasks,
            count(*) as records,
            -- If some queues of a task are missing, its sums are unknown.
            count(*) = count(mqi_calls) as is_known,
            is_known and count(time_issue) = 0 as knows_times,
            {% for count in [
                "mqi_calls",
                "messages",
                "messages_put",
                "messages_got",
                "put_bytes",
                "get_bytes",
            ] %}
                case when is_known then cast(sum({{ count }}) as bigint) end as {{ count }},
            {% endfor %}
            {% for measure in ["cpu", "elapsed", "wait"] %}
                case when knows_times then sum({{ measure }}_seconds) end as {{ measure }}_seconds,
            {% endfor %}
            {% for cause in causes %}
                case
                    when knows_times or count(time_issue) = 0 and '{{ cause }}' not in ('page_set', 'other')
                    then sum(wait_{{ cause }}_seconds)
                end as wait_{{ cause }}_seconds{{ "," if not loop.last }}
            {% endfor %}
        from task
        group by origin, system_id, queue_manager, application_type, connection_name, channel_name

    )

select
    origin,
    first_record.source_id as source_id,
    first_record.record_no as record_no,
    source_records,
    system_id,
    queue_manager,
    mq_level,
    application_type,
    connection_name,
    channel_name,
    first_interval_start_utc,
    last_interval_end_utc,
    tasks,
    records,
    mqi_calls,
    messages,
    messages_put,
    messages_got,
    put_bytes,
    get_bytes,
    cpu_seconds,
    elapsed_seconds,
    {{ average_us("cpu_seconds", "mqi_calls") }} as cpu_us_per_call,
    {{ average_us("cpu_seconds", "messages") }} as cpu_us_per_message,
    {{ average_us("elapsed_seconds", "messages") }} as elapsed_us_per_message,
    wait_seconds
    {%- for cause in causes %}, wait_{{ cause }}_seconds {%- endfor %}
    {%- for cause in causes %}
        , {{ average_us("wait_" ~ cause ~ "_seconds", "messages") }} as wait_{{ cause }}_us_per_message
    {%- endfor %}
from totalled
