{% set measures = ["cycles", "instructions", "processors", "records"] %}

with kind as (

    select
        origin,
        system_id,
        interval_start_utc,
        interval_end_utc,
        {% for measure in measures %}
        sum({{ measure }}) as {{ measure }}{{ "," if not loop.last }}
        {% endfor %}
    from {{ ref('fct_hardware_processor_interval') }}
    group by all

)

select *
from kind
full join {{ ref('fct_hardware_interval') }} as total
    using (origin, system_id, interval_start_utc, interval_end_utc)
where
    {% for measure in measures %}
    {{ differs("kind." ~ measure, "total." ~ measure) }}{{ " or" if not loop.last }}
    {% endfor %}
