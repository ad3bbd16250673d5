with source as (

    select * from {{ source('mq', 'smf115_qesd') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qesdstr as structure_name,
        qesdstrn as structure_number,
        qesdsmmc as messages,
        qesdsmbt as blocks_total,
        qesdsmbs as blocks_for_space_map,
        qesdsmbd as blocks_for_data,
        qesdsmbu as blocks_used,
        qesdsmbf as blocks_free,
        qesdsmar as allocations,
        qesdsmfl as failed_allocations,
        qesdbfsz as buffer_size_bytes,
        qesdbfto as buffers,
        qesdbfus as buffers_used,
        qesdbfup as buffers_in_use_private,
        qesdbfrs as buffer_reads_saved,
        qesdbfrr as buffer_read_requests,
        qesdbfwp as pool_waits,
        qesdbfwb as buffer_waits,
        {{ seconds('qesdbfpt') }} as pool_wait_seconds,
        {{ seconds('qesdbfbt') }} as buffer_wait_seconds,
        qesdiofr as format_ios,
        qesdiofp as format_pages,
        qesdiowr as writes,
        qesdiowp as pages_written,
        {{ seconds('qesdiowt') }} as write_seconds,
        {{ seconds('qesdioww') }} as write_wait_seconds,
        qesdiorr as reads,
        qesdiorp as pages_read,
        {{ seconds('qesdiort') }} as read_seconds,
        {{ seconds('qesdiorw') }} as read_wait_seconds,
        qesdioor as other_reads,
        qesdioop as other_pages_read,
        {{ seconds('qesdioot') }} as other_read_seconds,
        qesdencf as encrypted
    from source

)

select * from renamed
