{% set measures = ["ziip_seconds", "ziip_on_cp_seconds", "general_purpose_seconds"] %}

with class as (

    select
        origin,
        system_id,
        interval_start_utc,
        {% for measure in measures %}
        sum({{ measure }}) as {{ measure }}{{ "," if not loop.last }}
        {% endfor %}
    from {{ ref('fct_service_class_period_interval') }}
    group by all

)

select *
from class
full join {{ ref('fct_ziip_interval') }} as total using (origin, system_id, interval_start_utc)
where
    {% for measure in measures %}
    {{ differs("class." ~ measure, "total." ~ measure) }}{{ " or" if not loop.last }}
    {% endfor %}
