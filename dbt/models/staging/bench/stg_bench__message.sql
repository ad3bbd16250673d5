with
    source as (select * from {{ source("bench", "bench_syslog_message") }}),

    renamed as (

        select
            -- ids
            source_id,
            record_no,

            -- text
            message_id,
            text as message_text,

            -- booleans: the last letter of MQ's identifiers says whether somebody has to act
            starts_with(message_id, 'CSQ') and right(message_id, 1) in ('A', 'D', 'E') as is_mq_error,
            starts_with(message_id, 'IVT')
            and regexp_matches(text, 'AT (CONSTRAINED|CRITICAL) LEVEL|LIMIT EXCEEDED') as is_csm_shortage,
            starts_with(message_id, 'IXL')
            and contains(text, 'INVALID STRUCTURE SIZE') as is_structure_failure
        from source

    )

select *
from renamed
