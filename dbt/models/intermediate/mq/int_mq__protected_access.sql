with
    access as (

        select load.origin, load.loaded_at_utc, protected.*
        from {{ days(ref("stg_mq__protected_access"), around=1) }} as protected
        inner join {{ ref("stg_lake__load") }} as load using (source_id)

    ),

    -- Dumps overlap: equal records in one load are separate accesses, equal ones in other loads copies.
    {% set same %}
    origin, sysplex, system_id, queue_manager, job_name, user_id, queue_name, mq_reason_code,
    action_code, result_code, decision_code, protection_code, signature_code, encryption_code,
    smf_time_local, recipients, key_reuses, message_id
    {% endset %}
    numbered as (

        select *, row_number() over (partition by source_id, {{ same }} order by record_no) as occurrence_no
        from access

    ),

    deduplicated as (

        select *
        from numbered
        qualify
            row_number() over (
                partition by {{ same }}, occurrence_no order by loaded_at_utc, source_id, record_no
            )
            = 1

    )

select * exclude (occurrence_no, loaded_at_utc)
from deduplicated
