{{ config(materialized="view" if builds_all_days() else "ephemeral") }}

with
    {% for kind, subject in rmf_report_subjects().items() %}
        {% set model, condition, name = subject.printed %}
        {{ kind | replace(" ", "_") }} as (

            {% for figure, (_, last_place) in subject.figures.items() %}
                select
                    source_id,
                    record_no,
                    '{{ kind }}' as subject_kind,
                    {{ name }} as subject,
                    '{{ subject.of }}' as reports_on,
                    {{ subject.of }} as reported,
                    interval_seconds,
                    interval_start_local,
                    '{{ figure }}' as figure,
                    '{{ unit_of_figure(figure) }}' as unit,
                    cast({{ figure }} as double) as printed,
                    {{ last_place }} as last_place
                from {{ source("staging", "rmf_report__" ~ model) }}
                where {{ condition }} and {{ figure }} is not null {{ "union all" if not loop.last }}
            {% endfor %}

        ),

    {% endfor %}
    figure as (

        {% for kind in rmf_report_subjects() %}
            select * from {{ kind | replace(" ", "_") }} {{ "union all" if not loop.last }}
        {% endfor %}

    )

-- If two files contain the same report, keep the one loaded first.
select load.origin, figure.*
from figure
inner join {{ ref("stg_lake__load") }} as load using (source_id)
qualify
    row_number() over (
        partition by
            load.origin,
            figure.subject_kind,
            figure.subject,
            figure.reported,
            figure.figure,
            figure.interval_start_local,
            figure.interval_seconds
        order by load.loaded_at_utc, figure.source_id, figure.record_no
    )
    = 1
