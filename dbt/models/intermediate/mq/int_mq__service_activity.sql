with
    record as (

        select source_id, record_no, interval_seconds
        from {{ days(ref("int_mq__record")) }}
        where record_type = 115

    ),

    topic_manager as (select * from {{ source("staging", "mq__topic_manager") }} where section_no = 1),

    lock_manager as (select * from {{ source("staging", "mq__lock_manager") }} where section_no = 1)

select
    record.source_id,
    record.record_no,

    -- topics
    topic_manager.topic_publications,
    {{ per_second("topic_manager.topic_publications", "record.interval_seconds") }}
    as topic_publications_per_second,
    {{ average_us("topic_manager.topic_publish_seconds", "topic_manager.topic_publications") }}
    as topic_average_publish_us,
    1e6 * topic_manager.topic_max_publish_seconds as topic_max_publish_us,
    topic_manager.topic_messages_delivered,
    topic_manager.topic_publications_without_subscriber,
    topic_manager.subscriptions,
    topic_manager.durable_subscriptions,
    topic_manager.subscriptions_expired,

    -- locks
    lock_manager.lock_requests,
    {{ per_second("lock_manager.lock_requests", "record.interval_seconds") }} as lock_requests_per_second,
    lock_manager.lock_waits,
    {{ percent("lock_manager.lock_waits", "lock_manager.lock_requests") }} as lock_wait_percent,
    lock_manager.lock_releases
from record
inner join lock_manager using (source_id, record_no)
left join topic_manager using (source_id, record_no)
