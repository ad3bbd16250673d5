with source as (

    select * from {{ source('mq', 'smf116_qmac') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        {{ seconds('qmaccput') }} as cpu_seconds,
        qmacputa as puts_to_99_bytes,
        qmacputb as puts_to_999_bytes,
        qmacputc as puts_to_9999_bytes,
        qmacputd as puts_over_9999_bytes,
        qmacgeta as gets_to_99_bytes,
        qmacgetb as gets_to_999_bytes,
        qmacgetc as gets_to_9999_bytes,
        qmacgetd as gets_over_9999_bytes
    from source

)

select * from renamed
