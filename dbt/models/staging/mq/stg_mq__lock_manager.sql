with source as (

    select * from {{ source('mq', 'smf115_qlst') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qlstgetl as lock_requests,
        qlsthldl as lock_waits,
        qlstrell as lock_releases
    from source

)

select * from renamed
