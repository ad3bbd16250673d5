-- A figure far from the level of its series is a suspicion: one run in twenty is.
select
    measured.origin,
    measured.source_id,
    measured.record_no,
    measured.run_id,
    measured.campaign,
    measured.configuration_id,
    measured.metric,
    measured.unit,
    measured.value,
    series_level.level_no,
    series_level.is_current,
    series_level.level,
    series_level.usual_low,
    series_level.usual_high,
    series_level.runs,
    case
        when series_level.usual_low is null
        then 'not judged'
        when measured.value between series_level.usual_low and series_level.usual_high
        then 'within'
        else 'suspected'
    end as verdict,
    case
        when series_level.usual_low is not null
        then 'against where 95 % of runs at its level are'
        when series_level.runs < 3
        then 'fewer than three runs are at its level'
        else series_level.reason
    end as reason
from {{ ref("fct_measurement") }} as measured
inner join
    {{ ref("fct_run_session") }} as session
    on measured.origin = session.origin
    and measured.run_id = session.run_id
inner join
    {{ ref("fct_series_level") }} as series_level
    on measured.origin = series_level.origin
    and measured.campaign is not distinct from series_level.campaign
    and measured.configuration_id = series_level.configuration_id
    and measured.metric = series_level.metric
    and measured.unit is not distinct from series_level.unit
    and session.session_no between series_level.first_session_no and series_level.last_session_no
where measured.is_compared and isfinite(measured.value)
