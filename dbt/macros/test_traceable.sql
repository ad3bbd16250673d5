{# A generic test of a mart: each row says whose it is (the columns of `keys`), whether it was
   measured or simulated, and the load and record it came from. One query, as five tests a mart
   would cost more than the mart. #}
{% test traceable(
    model, origins=["measured", "simulated"], keys=["system_id", "queue_manager"]
) %}

select
    mart.origin,
    mart.source_id,
    mart.record_no,
    {% for key in keys %}
    mart.{{ key }}{{ "," if not loop.last }}
    {% endfor %}
from {{ model }} as mart
left join {{ ref("stg_lake__load") }} as load using (source_id)
where
    mart.origin is null
    or mart.origin not in ('{{ origins | join("', '") }}')
    or mart.origin <> load.origin
    or load.source_id is null
    or mart.record_no is null
    {% for key in keys %}
    or mart.{{ key }} is null
    {% endfor %}

{% endtest %}
