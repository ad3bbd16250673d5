with source as (

    select * from {{ source('mq', 'smf115_qpst') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qpstpool as buffer_pool,
        qpstnbuf as buffers,
        qpstcbsl as lowest_free_buffers,
        qpstcbs as current_free_buffers,
        qpstgetp as page_gets_old,
        qpstgetn as page_gets_new,
        qpstrio as page_reads,
        qpststw as page_updates,
        qpsttpw as page_writes,
        qpstwio as write_ios,
        qpstimw as immediate_writes,
        qpstdwt as deferred_write_threshold_hits,
        qpstdmc as synchronous_write_threshold_hits,
        qpststl as steals,
        qpststla as steals_after_hash_change,
        qpstsos as short_on_buffers,
        qpstloc as above_bar,
        qpstf4kb as page_fixed
    from source

)

select * from renamed
