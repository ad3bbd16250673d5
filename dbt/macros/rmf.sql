{# Shared by the models of RMF records. #}

{# The RMF records that perfhouse decodes, as (type, subtype). #}
{% macro rmf_kinds() -%}
    {{ return([(70, 1), (70, 2), (72, 3), (74, 1), (74, 4)]) }}
{%- endmacro %}

{# The sections of a staging model, as if RMF had not broken their records into parts: record_no is
   that of the first part, and section_no continues from part to part. Indexes stored in sections
   may count within a part, so part_no and part_section_no keep the original position. Leaves
   out records that are duplicates, lack a part, or must not be counted (skipped, Monitor III). #}
{% macro merged_sections(relation) -%}
    (
        select
            section.* exclude (source_id, record_no, section_no),
            record.logical_source_id as source_id,
            record.logical_record as record_no,
            row_number() over (
                partition by record.logical_source_id, record.logical_record
                order by record.part_no, section.section_no
            ) as section_no,
            record.part_no,
            section.section_no as part_section_no
        from {{ relation }} as section
        inner join {{ days(ref("int_rmf__record"), around=1) }} as record using (source_id, record_no)
        where record.usable
    )
{%- endmacro %}

{# Columns that trace every mart row to its record. #}
{% macro rmf_record_columns(alias) -%}
    {{ alias }}.origin,
    {{ alias }}.source_id,
    {{ alias }}.record_no,
    {{ alias }}.sysplex,
    {{ alias }}.system_id
{%- endmacro %}

{# The columns of an interval, and the time for which it stands. #}
{% macro rmf_interval_columns(alias) -%}
    {{ interval_columns(alias) }},
    {{ alias }}.expected_seconds
{%- endmacro %}

{# Whether a cumulative record follows the previous one in its window: they are at most two hours
   apart. An increase over a longer gap cannot be assigned to any time within the gap. The limit
   also means that models look back at most two hours, so reading one more day is enough (see
   macros/incremental.sql). #}
{% macro follows(moment, window) -%}
    coalesce({{ moment }} - lag({{ moment }}) over {{ window }} <= interval 2 hour, false)
{%- endmacro %}

{#- A column of the `interval` before a moment, local time; NULL if that began more than a day before, as
    a build reads the days around its own only. -#}
{% macro of_interval_before(moment, column) -%}
    if({{ moment }} <= interval.interval_start_local + interval 1 day, interval.{{ column }}, null)
{%- endmacro %}
