-- A record says how many logical processors come before the first one of a partition. The models
-- count them instead, because in a split record that number may be relative to its part. In a
-- complete record both must agree.
{{ config(severity='warn') }}

with partition as (

    select
        section.source_id,
        section.record_no,
        section.partition_name,
        section.sections_before,
        sum(section.logical_processor_sections) over (
            partition by section.source_id, section.record_no
            order by section.section_no
        ) - section.logical_processor_sections as sections_passed
    from {{ ref('stg_zos_cpu__partition') }} as section
    inner join {{ ref('int_rmf__record') }} as record using (source_id, record_no)
    where record.parts = 1 and section.logical_processor_sections > 0

)

select *
from partition
where sections_before <> sections_passed
