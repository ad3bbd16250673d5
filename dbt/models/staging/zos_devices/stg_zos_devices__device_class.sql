with source as (

    select * from {{ source('zos_devices', 'smf74_1_device_control') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        right(hex(smf74sub), 2) as device_class,
        smf74fcm as command_response_valid
    from source

)

select * from renamed
