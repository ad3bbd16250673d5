{# Relative difference allowed between a printed figure and the records: reports are computed from
   more digits than they print, and print large figures in K or M. #}
{% set rounding = 1e-3 %}

with
    record as (select source_id, record_no, system_name from {{ days(ref("int_rmf__record"), around=1) }}),

    {% for kind, subject in rmf_report_subjects().items() %}
        {% set mart, condition, name = subject.mart %}
        {{ kind | replace(" ", "_") }} as (

            select
                fact.origin,
                fact.{{ subject.of }} as reported,
                {{ name }} as subject,
                date_trunc(
                    'second', fact.interval_start_utc + to_minutes(fact.utc_offset_minutes)
                ) as interval_start_local,
                max(fact.interval_start_utc) as interval_start_utc,
                max(fact.interval_seconds) as interval_seconds,
                {% for figure, (how, _) in subject.figures.items() %}
                    {% if how == "sum" %} sum(fact.{{ figure }}) as {{ figure }},
                    {% else %}
                        sum(fact.{{ figure }} * fact.{{ how }}) / nullif(
                            sum(fact.{{ how }}) filter (where fact.{{ figure }} is not null), 0
                        ) as {{ figure }},
                    {% endif %}
                {% endfor %}
            from {{ days(ref(mart), around=1) }} as fact
            left join record using (source_id, record_no)
            where {{ condition }}
            group by all

        ),

    {% endfor %}
    recorded as (

        {% for kind, subject in rmf_report_subjects().items() %}
            {% for figure in subject.figures %}
                select
                    origin,
                    '{{ kind }}' as subject_kind,
                    subject,
                    reported,
                    interval_start_local,
                    interval_start_utc,
                    interval_seconds,
                    '{{ figure }}' as figure,
                    cast({{ figure }} as double) as recorded
                from {{ kind | replace(" ", "_") }} {{ "union all" if not loop.last }}
                {% endfor %} {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    -- A report may cover several intervals, so its figures match none of them. The lengths are compared
    -- after the join, because in the join condition they would force a comparison of every pair.
    compared as (

        select
            printed.*,
            recorded.interval_start_utc,
            case
                when abs(printed.interval_seconds - recorded.interval_seconds) < 1 then recorded.recorded
            end as recorded
        from {{ days(ref("int_rmf_report__figure")) }} as printed
        left join
            recorded
            on printed.origin = recorded.origin
            and printed.subject_kind = recorded.subject_kind
            and printed.subject = recorded.subject
            and printed.reported = recorded.reported
            and printed.figure = recorded.figure
            and printed.interval_start_local = recorded.interval_start_local

    )

select
    origin,
    source_id,
    record_no,
    case when reports_on = 'sysplex' then reported end as sysplex,
    case when reports_on = 'system_id' then reported end as system_id,
    interval_start_local,
    coalesce(
        interval_start_utc,
        min(interval_start_utc) over (partition by origin, reports_on, reported, interval_start_local)
    ) as interval_start_utc,
    interval_seconds,
    subject_kind,
    subject,
    figure,
    unit,
    printed,
    recorded,
    printed - recorded as difference,
    abs(printed - recorded) <= last_place + {{ rounding }} * abs(recorded) as agrees
from compared
