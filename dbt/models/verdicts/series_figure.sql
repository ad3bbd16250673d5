-- Series of sessions, as points in order of builds: one row per origin, campaign, configuration and metric.
-- A session is the mean of its runs; runs in another unit than the last one are left out.
with
    measured as (

        select
            measurement.*,
            session.session_no,
            session.ordered_utc,
            max_by(measurement.unit, (session.ordered_utc, measurement.run_id)) over (
                partition by
                    measurement.origin, measurement.campaign, measurement.configuration_id, measurement.metric
            ) as unit_of_series
        from {{ ref("fct_measurement") }} as measurement
        inner join
            {{ ref("fct_run_session") }} as session
            on measurement.origin = session.origin
            and measurement.run_id = session.run_id
        where measurement.is_compared and isfinite(measurement.value)

    ),

    session as (

        select
            origin,
            campaign,
            configuration_id,
            metric,
            unit,
            any_value(more_is_better) as more_is_better,
            session_no,
            avg(value) as value,
            list(value order by run_id) as figures,
            min(ordered_utc) as first_utc,
            {{ first_record(["ordered_utc"]) }}
        from measured
        where unit is not distinct from unit_of_series
        group by all

    )

select
    origin,
    campaign,
    configuration_id,
    metric,
    unit,
    bool_or(more_is_better) as more_is_better,
    {% for column, of in [
        ("values_of_sessions", "value"),
        ("figures_of_sessions", "figures"),
        ("session_nos", "session_no"),
        ("first_utcs", "first_utc"),
        ("source_ids", "source_id"),
        ("record_nos", "record_no"),
    ] %}
        list({{ of }} order by session_no) as {{ column }}{{ "," if not loop.last }}
    {% endfor %}
from session
group by all
