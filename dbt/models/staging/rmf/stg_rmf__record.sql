with source as (

    select * from {{ source('rmf', 'smf_record') }}

),

renamed as (

    select
        source_id,
        record_no,
        length as record_bytes,
        record_type,
        record_subtype,
        system_id,
        smf_time as smf_time_local
    from source
    where
        {% for type, subtype in rmf_kinds() %}
        (record_type = {{ type }} and record_subtype = {{ subtype }}){{ " or" if not loop.last }}
        {% endfor %}

)

select * from renamed
