with source as (

    select * from {{ source('mq', 'smf116_qwhc') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qwhcaid as authorization_id,
        qwhccn as connection_name,
        qwhcopid as operator_id,
        qwhcatyp as application_type_code,
        hex(qwhccv) as correlation_hex
    from source

)

select * from renamed
