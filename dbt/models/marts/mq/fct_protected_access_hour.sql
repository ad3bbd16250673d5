{{ config(materialized="incremental", incremental_strategy="by_day") }}

{% set codes = {
    "action": "rb41act",
    "result": "rb41aud",
    "decision": "rb41dec",
    "protection": "rb41pop",
    "signature": "rb41sga",
    "encryption": "rb41enc",
} %}
{% set subject = [
    "origin",
    "sysplex",
    "system_id",
    "queue_manager",
    "job_name",
    "user_id",
    "queue_name",
    "mq_reason_code",
] %}

with
    hourly as (

        select
            {{ subject | join(", ") }},
            {{ codes | join("_code, ") }}_code,
            date_trunc('hour', smf_time_local) as hour_local,
            date_trunc('hour', smf_time_local) - (smf_time_local - smf_time_utc) as hour_utc,
            min(struct_pack(source_id := source_id, record_no := record_no)) as first_record,
            count(*) as accesses,
            cast(sum(recipients) as bigint) as recipients,
            cast(sum(key_reuses) as bigint) as key_reuses
        from {{ days(ref("int_mq__protected_access"), around=1) }}
        group by all

    )

select
    -- ids
    origin,
    first_record.source_id as source_id,
    first_record.record_no as record_no,
    sysplex,
    system_id,
    queue_manager,
    hour_local,
    hour_utc,
    job_name,
    user_id,
    queue_name,

    -- what was done
    {% for name, column in codes.items() %}
        {{ label_of(name ~ "_code", "smf180_data", column) }} as {{ name }},
    {% endfor %}
    mq_reason_code,
    accesses,
    recipients,
    key_reuses
from hourly
