-- A record says how many logical processors stand before a partition's first. The models count
-- them, as a broken record's number may count in the part; in a whole one both must agree.
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
