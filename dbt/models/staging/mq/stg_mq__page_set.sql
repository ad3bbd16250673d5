with source as (

    select * from {{ source('mq', 'smf115_qis1') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qis1psno as page_set,
        qis1bpno as buffer_pool,
        qis1topg as pages,
        qis1unpg as unused_pages,
        qis1ppg as persistent_pages,
        qis1nppg as nonpersistent_pages,
        qis1full as full_count,
        qis1dwpn as deferred_writes,
        qis1dwpp as deferred_pages_written,
        {{ seconds('qis1dwpt') }} as deferred_write_seconds,
        qis1imwn as immediate_writes,
        qis1imwp as immediate_pages_written,
        {{ seconds('qis1imwt') }} as immediate_write_seconds,
        qis1getn as reads,
        qis1getp as pages_read,
        {{ seconds('qis1gett') }} as read_seconds,
        qis1ckpp as checkpoint_pages_written,
        qis1expn as expansions,
        qis1encf as encrypted
    from source

)

select * from renamed
