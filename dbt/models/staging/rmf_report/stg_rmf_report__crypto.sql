with source as (

    select * from {{ source('rmf_report', 'rmf_crypto') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        system_id,
        case section
            when 'CCA COPROCESSOR' then 'CCA coprocessor'
            when 'PKCS11 COPROCESSOR' then 'PKCS11 coprocessor'
            when 'ACCELERATOR' then 'accelerator'
            else section
        end as card_kind,
        card_type,
        operation,

        -- numerics
        card_id as card_number,
        rate as operations_per_second,
        1000 * exec_time_ms as average_execution_us,
        util_pct as utilisation_percent,
        interval_seconds,

        -- dates
        interval_start_local
    from source

)

select * from renamed
