with
    record as (

        select *
        from {{ days(ref("int_mq__record"), around=1) }}
        where record_type = 115 and record_subtype in (1, 2, 7) and usable

    ),

    -- One row per interval, even if some of its records are missing.
    interval_record as (

        select
            origin,
            system_id,
            queue_manager,
            interval_start_utc,
            max(mq_level) as mq_level,
            max(interval_end_utc) as interval_end_utc,
            max(interval_seconds) as interval_seconds,
            max(utc_offset_minutes) as utc_offset_minutes,
            max(queue_sharing_group) as queue_sharing_group,
            list(
                struct_pack(source_id := source_id, record_no := record_no)
                order by record_subtype, source_id, record_no
            ) as source_records,
            {% for subtype in [1, 2, 7] %}
                min(struct_pack(source_id := source_id, record_no := record_no)) filter (
                    where record_subtype = {{ subtype }}
                ) as subtype_{{ subtype }}{{ "," if not loop.last }}
            {% endfor %}
        from record
        group by origin, system_id, queue_manager, interval_start_utc

    )

select
    interval_record.origin,
    interval_record.source_records[1].source_id as source_id,
    interval_record.source_records[1].record_no as record_no,
    interval_record.source_records,
    interval_record.system_id,
    interval_record.queue_manager,
    interval_record.queue_sharing_group,
    interval_record.mq_level,
    {{ interval_columns("interval_record") }},

    message.* exclude (source_id, record_no),
    log.* exclude (source_id, record_no),
    db2.* exclude (source_id, record_no),
    cf.* exclude (source_id, record_no),
    service.* exclude (source_id, record_no),

    -- storage
    storage.getmains,
    storage.freemains,
    storage.storage_failures,
    storage.short_on_storage_contractions,
    storage.short_on_storage_count,
    storage.short_on_storage_abends,
    storage_summary.storage_available_31bit,
    storage_summary.storage_available_64bit,
    storage_summary.storage_memory_limit_64bit
from interval_record
{% for model, alias, subtype in [
        ("int_mq__message_activity", "message", 2),
        ("int_mq__log_activity", "log", 1),
        ("int_mq__db2_activity", "db2", 2),
        ("int_mq__cf_activity", "cf", 2),
        ("int_mq__service_activity", "service", 2),
        (source("staging", "mq__storage_manager"), "storage", 1),
        (source("staging", "mq__storage_summary"), "storage_summary", 7),
    ] %}
    left join
        {{ days(ref(model), around=1) if model is string else model }} as {{ alias }}
        on interval_record.subtype_{{ subtype }}.source_id = {{ alias }}.source_id
        and interval_record.subtype_{{ subtype }}.record_no = {{ alias }}.record_no
        {%- if model is not string %} and {{ alias }}.section_no = 1 {%- endif %}
{% endfor %}
