with source as (

    select * from {{ source('mq', 'smf115_qct_dns') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qcttskn as task_number,
        qctreqn as requests,
        {{ seconds('qctcptm') }} as cpu_seconds,
        {{ seconds('qcteltm') }} as elapsed_seconds,
        {{ seconds('qctwttm') }} as wait_seconds,
        qctlgtm as longest_request_at_utc,
        {{ seconds('qctlgdu') }} as longest_request_seconds
    from source

)

select * from renamed
