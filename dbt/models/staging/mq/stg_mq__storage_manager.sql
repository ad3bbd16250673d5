with source as (

    select * from {{ source('mq', 'smf115_qsst') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qsstgplf as fixed_pools_created,
        qsstfplf as fixed_pools_freed,
        qsstgplv as variable_pools_created,
        qsstfplv as variable_pools_freed,
        qsstgetm as getmains,
        qsstfrem as freemains,
        qsstrcnz as storage_failures,
        qsstcont as short_on_storage_contractions,
        qsstcrit as short_on_storage_count,
        qsstabnd as short_on_storage_abends
    from source

)

select * from renamed
