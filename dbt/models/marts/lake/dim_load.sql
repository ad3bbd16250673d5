with load as (

    select * from {{ ref('stg_lake__load') }}

),

load_count as (

    select * from {{ ref('stg_lake__load_count') }}

),

duplicate as (

    select
        source_id,
        record_type,
        record_subtype,
        cast(sum(records) as bigint) as duplicate_records
    from {{ ref('int_lake__duplicate') }}
    group by source_id, record_type, record_subtype

),

-- Times are known of MQ record types only.
kept as (

    select
        source_id,
        record_type,
        record_subtype,
        min(smf_time_utc) as first_record_at_utc,
        max(smf_time_utc) as last_record_at_utc
    from {{ ref('int_mq__record') }}
    group by source_id, record_type, record_subtype

)

select
    -- ids
    load.source_id,
    load_count.record_type,
    load_count.record_subtype,

    -- text
    load.origin,
    load.path,
    load.kind,
    load.framing,
    load.compression,
    load.decoder_version,
    load.status,

    -- numerics
    load.bytes,
    load.records,
    load.records_loaded,
    load.records_quarantined,
    load_count.type_records,
    load_count.type_sections,
    load_count.type_extra_bytes,
    case
        when load_count.record_type in (30, 70, 72, 74, 115, 116)
            then coalesce(duplicate.duplicate_records, 0)
    end as duplicate_records,

    -- dates
    load.loaded_at_utc,
    kept.first_record_at_utc,
    kept.last_record_at_utc
from load
left join load_count using (source_id)
left join duplicate
    on
        load_count.source_id = duplicate.source_id
        and load_count.record_type = duplicate.record_type
        and load_count.record_subtype is not distinct from duplicate.record_subtype
left join kept
    on
        load_count.source_id = kept.source_id
        and load_count.record_type = kept.record_type
        and load_count.record_subtype is not distinct from kept.record_subtype
