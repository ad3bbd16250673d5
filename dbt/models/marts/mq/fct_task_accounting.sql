{% set queue_verbs = ["open", "close", "get", "put", "put1", "inq", "set", "cb"] %}
{% set task_verbs = ["commit", "backout", "prepare", "sub", "subrq", "ctl", "stat", "other"] %}
{% set queue_sums = ["topic_srb_seconds", "put_bytes", "get_bytes", "wait_page_set_seconds"] %}
{% for verb in queue_verbs %}
    {% do queue_sums.extend([verb ~ "_count", verb ~ "_cpu_seconds", verb ~ "_elapsed_seconds"]) %}
{% endfor %}
{% set causes = ["log", "page_set", "db2", "cf", "latch", "smds"] %}

with
    record as (

        select * from {{ days(ref("int_mq__record")) }} where record_type = 116 and record_subtype = 1

    ),

    task as (select * from {{ ref("stg_mq__task") }} where section_no = 1),

    identification as (select * from {{ source("staging", "mq__task_identification") }} where section_no = 1),

    queue_total as (select * from {{ days(ref("int_mq__task_queue_total")) }}),

    joined as (

        select
            {{ record_columns("record") }},
            record.recorded_at_utc,
            record.utc_offset_minutes,
            task.* exclude (source_id, record_no, section_no, queues, earliest_utc, latest_utc) replace (
                nullif(concat_ws(', ', task.time_issue, queue_total.time_issue), '') as time_issue,
                {% for moment in ["started_at_utc", "interval_start_utc", "interval_end_utc"] %}
                    {{ in_utc("task." ~ moment, "record") }} as {{ moment }}{{ "," if not loop.last }}
                {% endfor %}
            ),
            task.queues as queue_blocks,
            identification.* exclude (source_id, record_no, section_no),
            coalesce(queue_total.queues, 0) as queues,
            -- Sums over some of the queues are not sums for the task.
            coalesce(coalesce(queue_total.queues, 0) = task.queues, true) as has_all_queues,
            {% for sum in queue_sums %}
                case when has_all_queues then queue_total.{{ sum }} end as {{ sum }},
            {% endfor %}
            {% for sum, name in [
                ("messages_put", "messages_put"),
                ("messages_got", "messages_got"),
                ("mqi_calls", "queue_mqi_calls"),
                ("cpu_seconds", "queue_cpu_seconds"),
                ("elapsed_seconds", "queue_elapsed_seconds"),
            ] %}
                case
                    when has_all_queues then coalesce(queue_total.{{ sum }}, 0)
                end as {{ name }}{{ "," if not loop.last }}
            {% endfor %}
        from record
        inner join task using (source_id, record_no)
        left join identification using (source_id, record_no)
        left join queue_total using (source_id, record_no)

    ),

    totalled as (

        select
            *,
            epoch(interval_end_utc - interval_start_utc) as interval_seconds,
            {% for measure in ["cpu_seconds", "elapsed_seconds"] %}
                case
                    when time_issue is null
                    then
                        queue_{{ measure }}
                        {%- for verb in task_verbs %} + coalesce({{ verb }}_{{ measure }}, 0) {%- endfor %}
                        {%- if measure == "cpu_seconds" %} + coalesce(ctl_srb_seconds, 0) {%- endif %}
                end as {{ measure }},
            {% endfor %}
            queue_mqi_calls
            {%- for verb in task_verbs %} + coalesce({{ verb }}_count, 0) {%- endfor %} as mqi_calls,
            messages_put + messages_got as messages,

            -- Waits by cause. A forced write is also a log write, so the longer of the two times is the
            -- log wait.
            greatest(log_write_seconds, log_force_seconds) as wait_log_seconds,
            db2_task_seconds as wait_db2_seconds,
            cf_single_seconds + cf_multiple_seconds as wait_cf_seconds,
            latch_wait_seconds + coalesce(buffer_pool_latch_wait_seconds, 0) as wait_latch_seconds,
            smds_wait_seconds as wait_smds_seconds
        from joined

    ),

    with_waits as (

        select
            *,
            {{ not_negative("elapsed_seconds - cpu_seconds") }} as wait_seconds,
            {% set unexplained %}
            elapsed_seconds - cpu_seconds
            {%- for cause in causes %}
            - coalesce(wait_{{ cause }}_seconds, 0)
            {%- endfor %}
            {% endset %}
            {{ not_negative(unexplained) }} as wait_other_seconds
        from totalled

    )

select
    {{ record_columns("with_waits") }},

    -- identity
    thread_id,
    {{ label_of("application_type_code", "smf116_wtid", "wtidatyp") }} as application_type,
    connection_name,
    channel_name,
    channel_connection_name,
    operator_id,
    user_id,
    correlation_hex,

    -- time
    recorded_at_utc,
    started_at_utc,
    interval_start_utc,
    interval_end_utc,
    interval_seconds,
    utc_offset_minutes,
    time_issue,

    -- calls, messages and cost
    queues,
    queue_blocks,
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

    -- by verb
    {% for verb in queue_verbs + task_verbs %}
        {{ verb }}_count,
        {{ verb }}_cpu_seconds,
        {{ verb }}_elapsed_seconds,
        {{ average_us(verb ~ "_cpu_seconds", verb ~ "_count") }} as {{ verb }}_cpu_us,
        {{ average_us(verb ~ "_elapsed_seconds", verb ~ "_count") }} as {{ verb }}_elapsed_us,
    {% endfor %}
    ctl_srb_seconds,
    topic_srb_seconds,
    topic_cpu_seconds,
    topic_elapsed_seconds,

    -- waits by cause
    wait_seconds,
    {% for cause in causes + ["other"] %} wait_{{ cause }}_seconds, {% endfor %}
    suspend_seconds,
    suspends,
    {{ average_us("wait_log_seconds", "messages") }} as wait_log_us_per_message,

    -- resources
    log_writes,
    log_forces,
    log_bytes_written,
    page_gets_old,
    page_gets_new,
    db2_requests,
    cf_single_calls + cf_multiple_calls as cf_calls
from with_waits
