with source as (

    select * from {{ source('zos_devices', 'smf42_6_data_access_method_statistics') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        parent_no as data_set_no,
        s42amsrb + s42amdrb as blocks_read,
        s42amswb + s42amdwb as blocks_written,
        {{ seconds('s42amsrr') }} + {{ seconds('s42amdrr') }} as read_delay_seconds,
        {{ seconds('s42amswr') }} + {{ seconds('s42amdwr') }} as write_delay_seconds,
        {{ unsigned('s42amrib') }} as bytes_read,
        {{ unsigned('s42amwib') }} as bytes_written
    from source

)

select * from renamed
