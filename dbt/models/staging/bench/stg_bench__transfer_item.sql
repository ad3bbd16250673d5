with source as (

    select * from {{ source('bench', 'bench_mft_item') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,
        transfer_id,

        -- text
        message,
        action,
        source as source_name,
        destination as destination_name,

        -- numerics
        item_index,
        source_bytes,
        destination_bytes,
        result_code
    from source

)

select * from renamed
