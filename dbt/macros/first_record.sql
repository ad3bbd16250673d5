{# The source_id and record_no of the first row of a group, by the expressions of `by`. Rows that they
   do not tell apart go by source_id and record_no themselves, so that every build names the same
   record, and both columns come from one row. #}
{% macro first_record(by=[], of="") -%}
    {%- set prefix = of ~ "." if of else "" -%}
    {%- set order = (by + [prefix ~ "source_id", prefix ~ "record_no"]) | join(", ") -%}
    arg_min({{ prefix }}source_id, ({{ order }})) as source_id,
    arg_min({{ prefix }}record_no, ({{ order }})) as record_no
{%- endmacro %}
