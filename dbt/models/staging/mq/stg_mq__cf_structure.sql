with source as (

    select * from {{ source('mq', 'smf115_qest') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qeststr as structure_name,
        qeststrn as structure_number,
        qestcsec as single_calls,
        qestcmec as multiple_calls,
        {{ seconds('qestsstc') }} as single_call_seconds,
        {{ seconds('qestmstc') }} as multiple_call_seconds,
        qestrsec as single_redrives,
        qestrmec as multiple_redrives,
        qestsful as structure_full,
        qestmnus as max_entries_used,
        qestmlus as max_elements_used
    from source

)

select * from renamed
