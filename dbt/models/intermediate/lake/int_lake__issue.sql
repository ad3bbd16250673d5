{{ config(materialized='table') }}

{% set unread = "['cpu', 'ziip', 'classes', 'address spaces', 'work', 'devices', 'mq']" %}

with load as (

    select * from {{ ref('stg_lake__load') }}

),

-- Where the chain of records breaks there is no record and so no type, and where a compressed file
-- breaks not even a position. Whatever else is set aside arrived as it was written.
aside as (

    select
        load.origin,
        quarantine.*,
        quarantine.record_type is null and (load.kind = 'smf' or quarantine.record_no = 0)
            as damaged,
        case
            when quarantine.record_type in (70, 72) then ['cpu', 'ziip', 'classes']
            when quarantine.record_type = 30 then ['address spaces']
            when quarantine.record_type in (42, 74, 113) then ['devices']
            when quarantine.record_type in (115, 116) then ['mq']
            when load.kind = 'smf' and quarantine.record_type is null then {{ unread }}
            when load.kind = 'unknown' then {{ unread }}
            when load.kind like 'rmf%' then []
            when quarantine.record_type is null then ['work']
            else []
        end as affects
    from {{ ref('stg_lake__quarantine') }} as quarantine
    inner join load using (source_id)

),

duplicate as (

    select
        source_id,
        record_type,
        min(record_no) as record_no,
        sum(records) as records
    from {{ ref('int_lake__duplicate') }}
    group by source_id, record_type

)

select
    origin,
    source_id,
    record_no,
    case when damaged then 'damaged_bytes' else 'unknown_form' end as kind,
    'error' as severity,
    cast(null as varchar) as sysplex,
    cast(null as varchar) as system_id,
    cast(null as timestamp) as start_utc,
    cast(null as timestamp) as end_utc,
    path as subject,
    cast(null as varchar) as run_id,
    format('record {} at offset {} of {}: {}', record_no, file_offset, path, reason) as found,
    case
        when damaged then 'set aside in raw.quarantine; transfer the file again, in binary'
        else 'set aside in raw.quarantine'
    end as done,
    affects
from aside
union all
select
    load.origin,
    duplicate.source_id,
    duplicate.record_no,
    'duplicate_records' as kind,
    'note' as severity,
    null as sysplex,
    null as system_id,
    null as start_utc,
    null as end_utc,
    load.path as subject,
    null as run_id,
    format(
        '{} records of type {} in {} are also in another load, or twice in it',
        duplicate.records, duplicate.record_type, load.path
    ) as found,
    'counted once: these copies are left out' as done,
    [] as affects
from duplicate
inner join load using (source_id)
