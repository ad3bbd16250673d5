with
    source as (select * from {{ source("mq", "smf180_data") }}),

    renamed as (

        select
            source_id,
            record_no,
            rb41plx as sysplex,
            queue_manager_name as queue_manager,
            rb41jbn as job_name,
            rb41usr as user_id,
            queue_name,
            rb41act as action_code,
            rb41rsn as mq_reason_code,
            rb41aud as result_code,
            rb41dec as decision_code,
            rb41pop as protection_code,
            rb41sga as signature_code,
            rb41enc as encryption_code,
            rb41nrc as recipients,
            rb41kru as key_reuses,
            message_id
        from source

    )

select *
from renamed
