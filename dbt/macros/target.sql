{# What depends on dbt's target. dbt_project.yml cannot call macros, so two settings there name it too. #}

{# Whether whatever is selected is built from all records: for unit tests, and for people who run dbt on
   a copy (docs/dbt.md). Only `perfhouse build` knows which days to rebuild. #}
{% macro builds_all_days() %}
    {{ return(target.name == "copy") }}
{% endmacro %}

{# Whether tables are built in DuckLake, where the views of FILE have the comments. #}
{% macro builds_in_lake() %}
    {{ return(target.name == "lake") }}
{% endmacro %}
