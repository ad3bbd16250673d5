{# What the models of RMF's records share. #}

{# The records of RMF that perfhouse decodes, as (type, subtype). #}
{% macro rmf_kinds() -%}
    {{ return([(70, 1), (70, 2), (72, 3), (74, 1), (74, 4)]) }}
{%- endmacro %}

{# The sections of a staging model, as if RMF had not broken their records: record_no is that of
   the first part and section_no runs on from part to part. Indexes that stand inside sections may
   count within the part: part_record_no and part_section_no still say where a section was. Records
   that arrived twice, lack a part, or are not to be counted (skipped, Monitor III) are left out. #}
{% macro merged_sections(relation) -%}
    (
        select
            section.* exclude (record_no, section_no),
            record.logical_record as record_no,
            row_number() over (
                partition by section.source_id, record.logical_record
                order by record.part_no, section.section_no
            ) as section_no,
            section.record_no as part_record_no,
            section.section_no as part_section_no
        from {{ relation }} as section
        inner join {{ days(ref("int_rmf__record"), around=1) }} as record using (source_id, record_no)
        where record.usable
    )
{%- endmacro %}

{# Columns with which every row of a mart says where it came from. #}
{% macro rmf_record_columns(alias) -%}
    {{ alias }}.origin,
    {{ alias }}.source_id,
    {{ alias }}.record_no,
    {{ alias }}.sysplex,
    {{ alias }}.system_id
{%- endmacro %}

{# Whether a record that counts from a start follows the one before it in a window: no more than two
   hours lie between. What was added in a longer silence says nothing of any time in it, and loads
   that lie further apart can be built one by one (app/pipeline/additions.py). #}
{% macro follows(moment, window) -%}
    coalesce({{ moment }} - lag({{ moment }}) over {{ window }} <= interval 2 hour, false)
{%- endmacro %}
