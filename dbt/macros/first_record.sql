{# The source_id and record_no of the first row of a group, in the order of the expressions in `by`.
   Ties are broken by source_id and record_no, so that every build names the same record and both
   columns come from one row. #}
{% macro first_record(by=[], of="") -%}
    {%- set prefix = of ~ "." if of else "" -%}
    {%- set order = (by + [prefix ~ "source_id", prefix ~ "record_no"]) | join(", ") -%}
    arg_min({{ prefix }}source_id, ({{ order }})) as source_id,
    arg_min({{ prefix }}record_no, ({{ order }})) as record_no
{%- endmacro %}
