with source as (

    select * from {{ source('mq', 'smf115_qtst') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qtststot as subscriptions,
        qtstsdur as durable_subscriptions,
        qtstsexp as subscriptions_expired,
        qtsttmsg as topic_messages_delivered,
        qtstsphw as topic_max_subscribers,
        {{ list_total('qtstptot') }} as topic_publications,
        qtstpnos as topic_publications_without_subscriber,
        {{ seconds('qtstethw') }} as topic_max_publish_seconds,
        {{ seconds('qtstetto') }} as topic_publish_seconds
    from source

)

select * from renamed
