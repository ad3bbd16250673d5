with source as (

    select * from {{ source('mq', 'smf116_qwhs') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qwhsstck as recorded_at_utc,
        qwhsiid as instrumentation_id,
        qwhsace as agent_address,
        qwhsiseq as sequence_number,
        qwhswseq as destination_sequence_number,
        qwhstime as interval_start_local,
        {{ seconds('qwhsdurn') }} as interval_seconds
    from source

)

select * from renamed
