{{ config(materialized="incremental", incremental_strategy="by_day") }}

{# What tells records with one header apart in loads of earlier releases, which have no hash. #}
{% set sections = [
    ref("stg_mq__protected_access"),
    source("staging", "mq__accounting_product"),
    source("staging", "mq__statistics_product"),
    source("staging", "zos_cpu__job_identification"),
    ref("stg_rmf__part"),
    ref("stg_rmf__product"),
    ref("stg_rmf__subject"),
    ref("stg_zos_devices__counter_processor"),
    ref("stg_zos_devices__data_set_job"),
] %}

with
    record as (

        select
            record.source_id,
            record.record_no,
            record.record_type,
            record.record_subtype,
            record.system_id,
            record.smf_time_local,
            record.content_hash,
            load.load_no,
            hash(
                load.origin,
                record.record_type,
                record.record_subtype,
                record.system_id,
                record.subsystem_id,
                record.smf_time_local,
                record.record_bytes
            ) as header
        from {{ source("staging", "smf__record") }} as record
        inner join {{ ref("stg_lake__load") }} as load using (source_id)
        -- Without the headers and trailers of dumps.
        where record.record_type not in (2, 3)

    ),

    without_hash as (

        select * from record semi join (select header from record where content_hash is null) using (header)

    ),

    section as (

        {% for relation in sections %}
            select source_id, record_no, hash(*columns(* exclude (source_id, record_no))) as content
            from {{ relation }} as section
            semi join without_hash using (source_id, record_no) {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    alike as (

        select *, content_hash as content
        from record
        semi join
            (select content_hash from record group by content_hash having count(*) > 1) using (content_hash)
        anti join without_hash using (header)
        union all by name
        select without_hash.*, section.content
        from without_hash
        left join
            (select source_id, record_no, bit_xor(content) as content from section group by all) as section
            using (source_id, record_no)

    ),

    dated as (

        {% for view in ["mq__accounting_product", "mq__statistics_product"] %}
            select alike.source_id, alike.record_no
            from {{ source("staging", view) }} as product
            inner join alike using (source_id, record_no)
            where
                product.section_no = 1 and {{ is_mq_header_valid("alike", "product") }}
                {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    -- Equal records are events of their own where nothing in them says when exactly they were made.
    event as (

        select source_id, record_no
        from {{ ref("stg_mq__protected_access") }}
        union all
        select source_id, record_no
        from alike
        anti join dated using (source_id, record_no)
        where record_type in (115, 116)

    ),

    repeated as (

        select
            alike.*,
            event.source_id is not null as is_event,
            row_number() over (
                partition by alike.source_id, alike.header, alike.content order by alike.record_no
            ) as occurrence_no
        from alike
        left join event using (source_id, record_no)
        qualify occurrence_no > 1

    ),

    -- Consecutive records that their file had before.
    stretch as (

        select *, first_value(smf_time_local) over stretch as first_time_local
        from
            (
                select
                    *, record_no - row_number() over (partition by source_id order by record_no) as stretch_no
                from repeated
            )
        window stretch as (partition by source_id, stretch_no order by record_no)

    ),

    -- Events of one moment follow one another. If other records or other times come again with them, it is
    -- the dump that comes again: after events of its end, if the time goes back.
    in_file_again as (

        select source_id, record_no
        from stretch
        window stretch as (partition by source_id, stretch_no)
        qualify
            not is_event
            or record_no
            >= min(record_no) filter (where not is_event or smf_time_local <> first_time_local) over stretch
            or first_time_local < arg_min(smf_time_local, (source_id, record_no)) filter (
                where smf_time_local <> first_time_local
            ) over stretch

    ),

    -- The copy of a part of a split record that has the other parts around it is preferred.
    part as (

        select
            *,
            count(*) over (partition by source_id, record_type, record_subtype, system_id, parts, set_no)
            = parts as is_whole
        from
            (
                select
                    *,
                    row_number() over (
                        partition by source_id, record_type, record_subtype, system_id order by record_no
                    )
                    - part_no as set_no
                from record
                inner join {{ ref("stg_rmf__part") }} as part using (source_id, record_no)
                where parts > 1
            )

    ),

    numbered as (

        select
            alike.*,
            coalesce(part.is_whole, true) as is_whole,
            row_number() over (
                partition by alike.source_id, alike.header, alike.content order by alike.record_no
            ) as occurrence_no
        from alike
        anti join in_file_again using (source_id, record_no)
        left join part using (source_id, record_no)

    ),

    in_another_load as (

        select
            source_id,
            record_no,
            first_value(source_id) over alike as kept_source_id,
            first_value(record_no) over alike as kept_record_no
        from numbered
        window
            alike as (partition by header, content, occurrence_no order by is_whole desc, load_no, record_no)
        qualify row_number() over alike > 1

    )

select
    source_id,
    record_no,
    record_type,
    record_subtype,
    smf_time_local,
    copy.kept_source_id,
    copy.kept_record_no
from record
inner join
    (
        select *
        from in_another_load
        union all
        select source_id, record_no, source_id as kept_source_id, null as kept_record_no
        from in_file_again
    ) as copy using (source_id, record_no)
