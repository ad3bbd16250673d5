with source as (

    select * from {{ source('zos_cpu', 'smf70_1_cpu_data') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        smf70cid as cpu_id,
        smf70typ as processor_type_code,
        right(hex(smf70ser), 4) as machine_serial,
        {{ seconds('smf70wat') }} as wait_seconds,
        {{ seconds('smf70pat') }} as parked_seconds,
        smf70slh + smf70tpi as io_interrupts,
        smf70dci as whole_interval,
        smf70sta as online_at_end,
        smf70vac as invalid,
        smf70mti as thread_offline
    from source

)

select * from renamed
