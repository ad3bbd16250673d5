with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 70 and record_subtype = 1 and usable and part_no = 1

    ),

    partition_section as (select * from {{ merged_sections(ref("stg_zos_cpu__partition")) }}),

    processor_kind as (select * from {{ merged_sections(ref("stg_zos_cpu__processor_kind")) }}),

    processor_place as (

        select * from {{ merged_sections(source("staging", "zos_devices__processor_place")) }}

    ),

    -- The online CPs of the system's own partition.
    own_processor as (

        select record.source_id, record.record_no, processor_place.nesting_levels, processor_place.place
        from record
        inner join
            partition_section
            on record.source_id = partition_section.source_id
            and record.record_no = partition_section.record_no
            and record.partition_number = partition_section.partition_number
        inner join
            processor_place
            on record.source_id = processor_place.source_id
            and record.record_no = processor_place.record_no
            and processor_place.section_no > partition_section.sections_before
            and processor_place.section_no
            <= partition_section.sections_before + partition_section.logical_processor_sections
        inner join
            processor_kind
            on record.source_id = processor_kind.source_id
            and record.record_no = processor_kind.record_no
            and processor_place.kind_no = processor_kind.section_no
        where processor_place.online_seconds > 0 and processor_kind.processor_type = 'CP'

    ),

    -- A container is identified by its position at its own level and all outer levels.
    container_count as (

        select
            source_id,
            record_no,
            count(*) as cps_online,
            case when max(nesting_levels) > 1 then max(nesting_levels) end as nesting_levels,
            {% for level in nesting_levels() %}
                nullif(
                    count(distinct list_slice(place, {{ level }}, nesting_levels)) filter (
                        where nesting_levels > 1 and nesting_levels >= {{ level }}
                    ),
                    0
                ) as containers_level_{{ level }}{{ "," if not loop.last }}
            {% endfor %}
        from own_processor
        group by source_id, record_no

    )

select
    record.source_id,
    record.record_no,
    record.origin,
    record.sysplex,
    record.system_id,
    record.interval_start_utc,
    record.interval_end_utc,
    container_count.* exclude (source_id, record_no)
from record
inner join container_count using (source_id, record_no)
