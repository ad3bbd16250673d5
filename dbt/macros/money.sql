{# What CPU time and data cost by the site's own prices (stg_lake__price). #}

{# Join the prices at a moment: `price` of any machine, and `own_price` of a generation of machines. #}
{% macro join_prices(moment, generation) -%}
    left join {{ ref("stg_lake__price") }} as price
        on {{ valid_at("price", moment) }} and price.machine = ''
    left join {{ ref("stg_lake__price") }} as own_price
        on {{ valid_at("own_price", moment) }} and own_price.machine = {{ generation }}
{%- endmacro %}

{% macro valid_at(price, moment) -%}
    {{ moment }} >= {{ price }}.valid_from
    and ({{ price }}.valid_until is null or {{ moment }} < {{ price }}.valid_until)
{%- endmacro %}

{# The price of a second on a CP, from joined prices and the MSU hours that the second takes. #}
{% macro money_per_cp_second(msu_hours_per_second) -%}
    if(price.msu_hour = 0, 0, price.msu_hour * ({{ msu_hours_per_second }}))
    + coalesce(own_price.cp_second, price.cp_second)
{%- endmacro %}

{# At the end of a build, put the currency into the comments of the columns of money. #}
{% macro name_the_currency() %}
  {% if not execute or builds_in_lake() %}{{ return("") }}{% endif %}
  {% set currency = run_query("select any_value(currency) from work.meta.price").rows[0][0] %}
  {% if not currency %}{{ return("") }}{% endif %}
  {% set query %}
    select schema_name, table_name, column_name, comment
    from duckdb_columns()
    where database_name = '{{ target.database }}' and contains(comment, $${{ unknown_currency() }}$$)
  {% endset %}
  {% set comments = [] %}
  {% for schema, table, column, comment in run_query(query).rows %}
    {% do comments.append(
        "comment on column " ~ target.database ~ "." ~ schema ~ "." ~ adapter.quote(table) ~ "."
        ~ adapter.quote(column) ~ " is "
        ~ duckdb_escape_comment(comment.replace(unknown_currency(), currency)) ~ ";"
    ) %}
  {% endfor %}
  {{ return("begin; " ~ comments | join("\n") ~ " commit;") }}
{% endmacro %}

{# What descriptions say for it (_lake__docs.md). #}
{% macro unknown_currency() %}{{ return("the currency of prices.toml") }}{% endmacro %}
