with source as (

    select * from {{ source('zos_cpu', 'smf72_3_response_time_distribution') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        r723trdb as buckets
    from source

)

select * from renamed
