{# Comment on a model and its columns in one statement. dbt's default macro queries the columns
   twice first. A described column that does not exist fails the model. An incremental build keeps
   the table, and so its comments.

   A column without a description of its own gets the comment of the column of the same name that
   the model reads, unless those differ. #}
{% macro duckdb__persist_docs(relation, model, for_relation, for_columns) %}
  {% if not is_incremental() and not builds_in_lake() %}
    {% set comments %}
      {% if for_relation and config.persist_relation_docs() and model.description %}
        comment on {{ relation.type }} {{ relation }} is {{ duckdb_escape_comment(model.description) }};
      {% endif %}
      {% if for_columns and config.persist_column_docs() %}
        {% for column in model.columns.values() if column.description %}
          comment on column {{ relation }}.{{ adapter.quote(column.name) }}
          is {{ duckdb_escape_comment(column.description) }};
        {% endfor %}
        {% for name, comment in inherited_comments(relation, model) %}
          comment on column {{ relation }}.{{ adapter.quote(name) }} is {{ duckdb_escape_comment(comment) }};
        {% endfor %}
      {% endif %}
    {% endset %}
    {% if comments | trim %}
      {% call statement("comments") %}{{ comments }}{% endcall %}
    {% endif %}
  {% endif %}
{% endmacro %}

{# Name and comment of the columns that a model does not describe, from what it reads. #}
{% macro inherited_comments(relation, model) %}
  {% set tables, texts = [], [] %}
  {# Ignore what a team's own project adds. #}
  {% for id in model.depends_on.nodes if model.package_name != "perfhouse" or id.split(".")[1] == "perfhouse" %}
    {% set parent = graph.nodes.get(id) or graph.sources.get(id) %}
    {% if parent.config.materialized == "ephemeral" %}
      {% for column in parent.columns.values() if column.description %}
        {% do texts.append("('" ~ column.name ~ "', " ~ duckdb_escape_comment(column.description) ~ ")") %}
      {% endfor %}
    {% elif parent.relation_name %}
      {% do tables.append("('" ~ parent.schema ~ "', '" ~ (parent.alias or parent.identifier) ~ "')") %}
    {% endif %}
  {% endfor %}
  {% if not execute or not (tables or texts) %}{{ return([]) }}{% endif %}
  {% set own = model.columns.values() | selectattr("description") | map(attribute="name") | list %}
  {% set query %}
    with told as (
      {% if tables %}
      select column_name, comment
      from duckdb_columns()
      where comment is not null and (schema_name, table_name) in ({{ tables | join(", ") }})
      {% endif %}
      {{ "union all" if tables and texts }}
      {% if texts %}select * from (values {{ texts | join(", ") }}) as ephemeral (column_name, comment){% endif %}
    )

    select column_name, any_value(told.comment)
    from told
    join duckdb_columns() as made using (column_name)
    where
      (database_name, schema_name, table_name)
      = ('{{ relation.database }}', '{{ relation.schema }}', '{{ relation.identifier }}')
      {% for name in own %}and column_name != '{{ name }}'{% endfor %}
    group by column_name
    having count(distinct told.comment) = 1
  {% endset %}
  {{ return(run_query(query).rows) }}
{% endmacro %}
