{{ config(materialized="table") }}

{% set unread = "['cpu', 'ziip', 'classes', 'address spaces', 'work', 'devices', 'mq']" %}
{% set contradicting = "origin, source_id, record_no, sysplex, system_id, record_type, record_subtype, interval_start_utc, interval_end_utc, contradicting_record" %}

with
    load as (select * from {{ ref("stg_lake__load") }}),

    -- Where the chain of records breaks there is no record and so no type, and where a compressed file
    -- breaks not even a position. Whatever else is set aside arrived as it was written.
    aside as (

        select
            load.origin,
            load.kind,
            load.kind = 'lost' as is_lost,
            quarantine.*,
            quarantine.record_type is null and (load.kind = 'smf' or quarantine.record_no = 0) as damaged,
            case
                when quarantine.record_type in (70, 72)
                then ['cpu', 'ziip', 'classes']
                when quarantine.record_type in (30, 42, 74, 113, 115, 116)
                then {{ affected_by("quarantine.record_type", "quarantine.record_subtype") }}
                when load.kind = 'smf' and quarantine.record_type is null
                then {{ unread }}
                when load.kind in ('unreadable', 'lost')
                then {{ unread }}
                when load.kind = 'unknown'
                then []
                when load.kind like 'rmf%'
                then []
                when quarantine.record_type is null
                then ['work']
                else []
            end as affects
        from {{ source("staging", "lake__quarantine") }} as quarantine
        inner join load using (source_id)

    ),

    -- What lay where bytes are damaged is known from the records before and after them.
    known_record as (

        select
            source_id,
            record_no,
            sysplex,
            system_id,
            smf_time_local - to_minutes(utc_offset_minutes) as written_utc
        from {{ ref("int_rmf__record") }}
        where utc_offset_minutes is not null
        union all by name
        select source_id, record_no, system_id, smf_time_utc as written_utc
        from {{ ref("int_mq__record") }}
        where smf_time_utc is not null

    ),

    around as (

        select
            aside.source_id,
            aside.record_no,
            aside.file_offset,
            coalesce(earlier.sysplex, later.sysplex) as sysplex,
            coalesce(earlier.system_id, later.system_id) as system_id,
            coalesce(earlier.written_utc, later.written_utc) as start_utc,
            coalesce(later.written_utc, earlier.written_utc) as end_utc
        from (select * from aside where damaged and not is_lost and record_no > 0) as aside
        asof left join
            known_record as earlier
            on aside.source_id = earlier.source_id
            and aside.record_no >= earlier.record_no
        asof left join
            known_record as later on aside.source_id = later.source_id and aside.record_no <= later.record_no
        -- Files of several systems do not tell whose the bytes were.
        where coalesce(earlier.system_id = later.system_id, true)

    )

    {{ findings() }}

    {% for kind, condition in [
        ("lost_load", "is_lost"),
        ("damaged_bytes", "not is_lost and damaged is true"),
        ("no_input", "kind = 'unknown' and damaged is not true"),
        ("unknown_form", "kind not in ('lost', 'unknown') and damaged is not true"),
    ] %}
        {% call finding(kind) %}
select
    origin,
    source_id,
    record_no,
    around.sysplex,
    around.system_id,
    around.start_utc,
    around.end_utc,
    path as subject,
    case
        when is_lost then reason
        when kind = 'unknown' then 'no known form'
        else format('record {} at offset {} of {}: {}', record_no, file_offset, path, reason)
    end as found,
    affects
from aside
left join around using (source_id, record_no, file_offset)
where {{ condition }}
        {% endcall %}
    {% endfor %}

    {% call finding("load_set_aside") %}
select
    load.origin,
    load.source_id,
    0 as record_no,
    load.path as subject,
    format('rows of {} break a fact that all data must hold: {} ({})', model, fact, rows_failed) as found
from {{ ref('stg_lake__set_aside') }} as aside
inner join load using (source_id)
    {% endcall %}

    {% call finding("duplicate_records") %}
select
    load.origin,
    copy.source_id,
    min(copy.record_no) as record_no,
    load.path as subject,
    format(
        '{} records of type {} in {} are {}',
        count(*),
        copy.record_type,
        load.path,
        if(copy.kept_source_id = copy.source_id, 'in it twice', 'also in ' || kept.path)
    ) as found
from {{ ref('stg_lake__copy') }} as copy
inner join load using (source_id)
inner join load as kept on copy.kept_source_id = kept.source_id
group by load.origin, copy.source_id, copy.kept_source_id, copy.record_type, load.path, kept.path
    {% endcall %}

    -- Each pair once.
    {% call finding("contradicting_records") %}
select
    record.origin,
    {{ first_record(of="record") }},
    record.sysplex,
    record.system_id,
    record.interval_start_utc as start_utc,
    record.interval_end_utc as end_utc,
    format('type {}-{}', record.record_type, record.record_subtype) as subject,
    format(
        '{} records contradict others of their interval, such as record {} of {} and record {} of {}',
        count(*), min(record.record_no), load.path, min(contradicting_record.record_no), other.path
    ) as found,
    {{ affected_by("record.record_type", "record.record_subtype") }} as affects
from (
    select {{ contradicting }} from {{ ref('int_lake__contradiction') }}
    union all by name
    select {{ contradicting }} from {{ ref('int_rmf__record') }}
    where contradicting_record is not null and part_no = 1
    union all by name
    select {{ contradicting | replace("sysplex, ", "") }} from {{ ref('int_mq__record') }}
    where contradicting_record is not null
) as record
inner join load using (source_id)
inner join load as other
    on record.contradicting_record.source_id = other.source_id
    and (load.load_no, record.record_no) < (other.load_no, record.contradicting_record.record_no)
group by
    record.origin, record.sysplex, record.system_id, record.interval_start_utc, record.interval_end_utc,
    record.record_type, record.record_subtype, load.path, other.path
    {% endcall %}
