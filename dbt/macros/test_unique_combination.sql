{# A generic test of a grain: the columns together, NULLs counted as equal, name one row. #}
{% test unique_combination(model, columns) %}

select
    {{ columns | join(", ") }},
    count(*) as rows_found
from {{ model }}
group by {{ columns | join(", ") }}
having count(*) > 1

{% endtest %}
