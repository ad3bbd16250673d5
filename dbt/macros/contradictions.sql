{# Records about the same thing in the same interval, and intervals that overlap. #}

{# Of the rows of a relation about one `key` and interval, if they are of several records: source_id, record_no
   and a record that the row contradicts. Intervals are the same if their ends agree within two seconds, or a
   quarter of a shorter one. `record` is the row's record, or the first part of a split one. #}
{% macro contradictions(relation, key) -%}
    {%- set order = "interval_start_utc, interval_end_utc, load_no, source_id, record_no" %}
    select
        source_id,
        record_no,
        case
            when record = first_value(record) over same
            then last_value(record) over same
            else first_value(record) over same
        end as contradicting_record
    from (
        select
            *,
            sum(cast(separate as integer)) over (
                partition by {{ key }} order by {{ order }} rows unbounded preceding
            ) as interval_no
        from (
            select
                *,
                least(2, epoch(interval_end_utc - interval_start_utc) / 4) as allowed_seconds,
                not coalesce(
                    epoch(interval_start_utc - lag(interval_start_utc) over earlier) <= allowed_seconds
                    and abs(epoch(interval_end_utc - lag(interval_end_utc) over earlier))
                    <= allowed_seconds,
                    false
                ) as separate
            from {{ relation }}
            window earlier as (partition by {{ key }} order by {{ order }})
        )
    )
    window same as (
        partition by {{ key }}, interval_no
        order by load_no, record
        rows between unbounded preceding and unbounded following
    )
    qualify first_value(record) over same <> last_value(record) over same
{%- endmacro %}

{# Of intervals of one `key` that have more than two seconds in common, those beside which a better one is
   used: their columns `row`, and that interval as `used`. `better_first` orders intervals; ends that differ
   by `same_seconds` at most are of one interval. #}
{% macro overlaps(relation, key, row, better_first, same_seconds=-1) -%}
    -- Islands are times that overlapping intervals cover without a break.
    with
        island as (

            select
                *,
                sum(cast(separate as integer)) over (
                    partition by {{ key }}
                    order by interval_start_utc, interval_end_utc desc
                    rows unbounded preceding
                ) as island
            from (
                select
                    *,
                    coalesce(
                        interval_start_utc + interval 2 second >= max(interval_end_utc) over (
                            partition by {{ key }}
                            order by interval_start_utc, interval_end_utc desc
                            rows between unbounded preceding and 1 preceding
                        ),
                        true
                    ) as separate
                from {{ relation }}
            )

        ),

        ranked as (

            select *, row_number() over (partition by {{ key }}, island order by {{ better_first }}) as place
            from island
            qualify count(*) over (partition by {{ key }}, island) > 1

        )

    select less.{{ row | replace(", ", ", less.") }}, arg_min(better, better.place) as used
    from ranked as less
    inner join ranked as better using ({{ key }}, island)
    where
        better.place < less.place
        and better.interval_start_utc + interval 2 second < less.interval_end_utc
        and better.interval_end_utc - interval 2 second > less.interval_start_utc
        and (
            abs(epoch(better.interval_start_utc - less.interval_start_utc)) > {{ same_seconds }}
            or abs(epoch(better.interval_end_utc - less.interval_end_utc)) > {{ same_seconds }}
        )
    group by less.{{ row | replace(", ", ", less.") }}
{%- endmacro %}

{# The figures that lack a record which does not count. #}
{% macro affected_by(record_type, record_subtype) -%}
    case
        when {{ record_type }} = 72
        then ['ziip', 'classes']
        when {{ record_type }} = 70 and {{ record_subtype }} = 1
        then ['cpu', 'ziip']
        when {{ record_type }} = 30
        then ['address spaces']
        when {{ record_type }} in (115, 116)
        then ['mq']
        else ['devices']
    end
{%- endmacro %}
