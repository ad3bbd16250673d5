{{ config(materialized="table") }}

{% set unread = "['cpu', 'ziip', 'classes', 'address spaces', 'work', 'devices', 'mq']" %}

with
    load as (select * from {{ ref("stg_lake__load") }}),

    -- Where the chain of records breaks, there is no record and so no type; where a compressed file
    -- breaks, there is not even a position. Everything else set aside was written that way.
    aside as (

        select
            load.origin,
            load.kind = 'lost' as is_lost,
            quarantine.*,
            quarantine.record_type is null and (load.kind = 'smf' or quarantine.record_no = 0) as damaged,
            case
                when quarantine.record_type in (70, 72)
                then ['cpu', 'ziip', 'classes']
                when quarantine.record_type = 30
                then ['address spaces']
                when quarantine.record_type in (42, 74, 113)
                then ['devices']
                when quarantine.record_type in (115, 116)
                then ['mq']
                when load.kind = 'smf' and quarantine.record_type is null
                then {{ unread }}
                when load.kind in ('unknown', 'lost')
                then {{ unread }}
                when load.kind like 'rmf%'
                then []
                when quarantine.record_type is null
                then ['work']
                else []
            end as affects
        from {{ source("staging", "lake__quarantine") }} as quarantine
        inner join load using (source_id)

    )

    {{ findings() }}

    {% for kind, severity, condition, done in [
        (
            "lost_load",
            "error",
            "is_lost",
            "none of its records counts; put the file where it was and build again, or forget the load",
        ),
        (
            "damaged_bytes",
            "error",
            "not is_lost and damaged is true",
            "set aside in raw.quarantine; transfer the file again, in binary",
        ),
        (
            "unknown_form",
            "error",
            "not is_lost and damaged is not true",
            "set aside in raw.quarantine",
        ),
    ] %}
        {% call finding(kind, severity, done=done) %}
select
    origin,
    source_id,
    record_no,
    path as subject,
    case
        when is_lost then reason
        else format('record {} at offset {} of {}: {}', record_no, file_offset, path, reason)
    end as found,
    affects
from aside
where {{ condition }}
        {% endcall %}
    {% endfor %}

    {% call finding(
        "duplicate_records", "note", done="counted once: these copies are left out", affects=[]
    ) %}
select
    load.origin,
    duplicate.source_id,
    min(duplicate.record_no) as record_no,
    load.path as subject,
    format(
        '{} records of type {} in {} are also in another load, or twice in it',
        sum(duplicate.records), duplicate.record_type, load.path
    ) as found
from {{ ref('int_lake__duplicate') }} as duplicate
inner join load using (source_id)
group by load.origin, duplicate.source_id, duplicate.record_type, load.path
    {% endcall %}
