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
