{% set measures = ["records", "messages", "mqi_calls", "cpu_seconds", "elapsed_seconds", "wait_seconds"] %}

with task as (

    select
        origin,
        {% for measure in measures %}
        {{ "count(*)" if measure == "records" else "sum(" ~ measure ~ ")" }} as {{ measure }}{{ "," if not loop.last }}
        {% endfor %}
    from {{ ref('fct_task_accounting') }}
    group by origin

),

application as (

    select
        origin,
        {% for measure in measures %}
        sum({{ measure }}) as {{ measure }}{{ "," if not loop.last }}
        {% endfor %}
    from {{ ref('fct_application_cost') }}
    group by origin

)

select *
from task
full join application using (origin)
where
    {% for measure in measures %}
    coalesce(abs(task.{{ measure }} - application.{{ measure }}), 1) > 1e-6{{ " or" if not loop.last }}
    {% endfor %}
