with source as (

    select * from {{ source('mq', 'smf116_wtid') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        wtidatyp as application_type_code,
        wtidccn as connection_name,
        wtidopid as operator_id,
        hex(wtidcori) as correlation_hex,
        wtidchl as channel_name,
        wtidchlc as channel_connection_name,
        wtidtran as user_id
    from source

)

select * from renamed
