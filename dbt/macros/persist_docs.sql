{# Comment on a model and the columns that it describes in one statement. dbt's default macro queries
   the columns twice first. A described column that does not exist fails the model. An incremental
   build keeps the table, and so its comments. #}
{% macro duckdb__persist_docs(relation, model, for_relation, for_columns) %}
  {% if not is_incremental() and not builds_in_lake() %}
    {% set comments %}
      {% if for_relation and config.persist_relation_docs() and model.description %}
        comment on {{ relation.type }} {{ relation }} is {{ duckdb_escape_comment(model.description) }};
      {% endif %}
      {% if for_columns and config.persist_column_docs() %}
        {% set adds = adding(model) if model.schema == "marts" else {} %}
        {% for column in model.columns.values() if column.description %}
          comment on column {{ relation }}.{{ adapter.quote(column.name) }}
          is {{ duckdb_escape_comment(with_adding(column.description, adds.get(column.name))) }};
        {% endfor %}
      {% endif %}
    {% endset %}
    {% if comments | trim %}
      {% call statement("comments") %}{{ comments }}{% endcall %}
    {% endif %}
  {% endif %}
{% endmacro %}

{# At the end, comment on the columns that no model describes: each gets the comment of the column of
   the same name that the model reads, unless those differ. For all models at once, as DuckDB's list
   of columns takes longer to read than a small model takes to build. A lake's columns get theirs
   from meta.lineage. #}
{% macro comment_on_inherited_columns() %}
  {% if not execute or builds_in_lake() %}{{ return("") }}{% endif %}
  {% set query %}
    select cast(json_group_object(name, comments) as varchar)
    from (
      select
        schema_name || '.' || table_name as name,
        json_group_object(column_name, comment) as comments
      from duckdb_columns()
      where database_name = '{{ target.database }}'
      group by name
    )
  {% endset %}
  {% set known = fromjson(run_query(query).rows[0][0]) %}
  {% set told, comments = {}, [] %}
  {% for id in graph.nodes %}
    {% do inherit_comments(id, known, told, comments) %}
  {% endfor %}
  {{ return("begin; " ~ comments | join("\n") ~ " commit;") }}
{% endmacro %}

{# Put the comments of the columns of a model or source into `told`, and statements for those that are
   missing into `comments`.
   known: the columns of each table with their comments, or none. #}
{% macro inherit_comments(id, known, told, comments) %}
  {% set node = graph.nodes.get(id) or graph.sources.get(id) %}
  {% if id in told or not node %}{{ return(none) }}{% endif %}
  {% set own = {} %}
  {% if node.config.materialized == "ephemeral" %}
    {% for column in node.columns.values() if column.description %}
      {% do own.update({column.name: column.description}) %}
    {% endfor %}
  {% else %}
    {% for name, comment in known.get(node.schema ~ "." ~ (node.alias or node.identifier), {}).items() %}
      {% do own.update({name: without_adding(comment) if node.schema == "marts" else comment}) %}
    {% endfor %}
  {% endif %}
  {% do told.update({id: own}) %}
  {% set of_parents, differ = {}, {} %}
  {# Ignore what a team's own project adds. #}
  {% for parent in node.get("depends_on", {}).get("nodes", []) if node.package_name != "perfhouse" or (parent.split(".")[1] == "perfhouse" and "__team_" not in parent) %}
    {% do inherit_comments(parent, known, told, comments) %}
    {% for name, comment in told.get(parent, {}).items() if comment %}
      {% if of_parents.setdefault(name, comment) != comment %}{% do differ.update({name: true}) %}{% endif %}
    {% endfor %}
  {% endfor %}
  {% set inherited = [] %}
  {% for name, comment in own.items() if not comment and name in of_parents and name not in differ %}
    {% do inherited.append(name) %}
  {% endfor %}
  {% set adds = adding(node) if inherited and node.schema == "marts" else {} %}
  {% for name in inherited %}
    {% do own.update({name: of_parents[name]}) %}
    {% do comments.append(
        "comment on column " ~ target.database ~ "." ~ node.schema ~ "." ~ adapter.quote(node.alias or node.identifier)
        ~ "." ~ adapter.quote(name) ~ " is " ~ duckdb_escape_comment(with_adding(of_parents[name], adds.get(name))) ~ ";"
    ) %}
  {% endfor %}
{% endmacro %}
